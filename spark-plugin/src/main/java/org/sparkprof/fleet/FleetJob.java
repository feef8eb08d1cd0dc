// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.fleet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;

/**
 * The Spark job of `sparkprof fleet analyze --master`. Lists the locations, passes the files on to the command that
 * submitted it, gets the logs to read from it, and has executors stream each log through the command's engine.
 *
 * <p>Arguments: the name of the engine's program among the job's files, locations, "--", the engine's arguments, of
 * which "files:NAME" is a file of the job. Output: a line "file SIZE MODIFIED_MS NAME" for each file, "listed", then
 * for each log "log NUMBER", its rows, and the engine's line "done", or "broken REASON". Input: for each log a line
 * with its description and the names of its files, none if the engine opens them. Fields are separated by tabs.
 */
public final class FleetJob {
  /** Waves of tasks that run at a time: one fills the cores that the last tasks of the other leave. */
  private static final int WAVES = 2;

  private static final int LOGS_OF_A_CORE = 128;

  private FleetJob() {}

  public static void main(String[] arguments) throws Exception {
    List<String> all = Arrays.asList(arguments);
    int end = all.indexOf("--");
    PrintStream output = new PrintStream(System.out, false, "UTF-8");
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf())) {
      list(all.subList(1, end), spark.hadoopConfiguration(), output);
      HashMap<String, String> settings = new HashMap<>();
      for (Map.Entry<String, String> setting : spark.hadoopConfiguration()) {
        settings.put(setting.getKey(), setting.getValue());
      }
      Broadcast<HashMap<String, String>> hadoop = spark.broadcast(settings);
      List<String> engine = new ArrayList<>(Arrays.asList("files:" + all.get(0), "fleet", "engine"));
      engine.addAll(all.subList(end + 1, all.size()));
      readAll(spark, hadoop, engine, output);
    }
  }

  private static void list(List<String> locations, Configuration configuration, PrintStream output) throws IOException {
    for (String location : locations) {
      Path root = new Path(location);
      FileSystem files = root.getFileSystem(configuration);
      if ("file".equals(files.getScheme())) {
        listLocal(files, root, output);
        continue;
      }
      RemoteIterator<LocatedFileStatus> found = files.listFiles(root, true);
      while (found.hasNext()) tell(found.next(), output);
    }
    output.print("listed\n");
    output.flush();
  }

  /** Without permissions, as listFiles() would start a process for those of each file. */
  private static void listLocal(FileSystem files, Path path, PrintStream output) throws IOException {
    for (FileStatus found : files.listStatus(path)) {
      if (found.isFile()) {
        tell(found, output);
      } else if (found.isDirectory()) {
        listLocal(files, found.getPath(), output);
      }
    }
  }

  private static void tell(FileStatus file, PrintStream output) {
    String name = nameOf(file.getPath());
    // A name with control characters would break the lines.
    if (name.chars().anyMatch(c -> c < ' '))
      return;
    output.print("file\t" + file.getLen() + "\t" + file.getModificationTime() + "\t" + name + "\n");
  }

  /** Local files have the name that the command gives them without Spark. */
  private static String nameOf(Path path) {
    return "file".equals(path.toUri().getScheme()) ? path.toUri().getPath() : path.toString();
  }

  private static void readAll(JavaSparkContext spark, Broadcast<HashMap<String, String>> hadoop, List<String> engine,
      PrintStream output) throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    int cores = Math.max(1, spark.defaultParallelism());
    int mostLogs = LOGS_OF_A_CORE * cores;
    ExecutorService waves = Executors.newFixedThreadPool(WAVES);
    List<Future<?>> running = new ArrayList<>();
    int number = 0;
    List<String> logs = new ArrayList<>();
    for (String line = input.readLine();; line = input.readLine()) {
      if (line != null)
        logs.add(number++ + "\t" + line);
      if (logs.size() == mostLogs || (line == null && !logs.isEmpty())) {
        List<String> wave = logs;
        running.add(waves.submit(() -> readWave(spark, wave, 2 * cores, hadoop, engine, output)));
        logs = new ArrayList<>();
      }
      if (line == null)
        break;
    }
    waves.shutdown();
    for (Future<?> wave : running) wave.get();
  }

  private static void readWave(JavaSparkContext spark, List<String> logs, int most,
      Broadcast<HashMap<String, String>> hadoop, List<String> engine, PrintStream output) {
    int partitions = Math.min(most, logs.size());
    // The largest logs come first: each partition gets some.
    List<String> dealt = new ArrayList<>();
    for (int partition = 0; partition < partitions; ++partition) {
      for (int i = partition; i < logs.size(); i += partitions) dealt.add(logs.get(i));
    }
    List<byte[]> answers =
        spark.parallelize(dealt, partitions).mapPartitions(new FleetPartition(hadoop, engine)).collect();
    synchronized (output) {
      for (byte[] answer : answers) output.write(answer, 0, answer.length);
      output.flush();
    }
  }
}

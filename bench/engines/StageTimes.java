// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;

/**
 * Writes the CPU time of this JVM's threads by name, as the kernel counts it, when a stage begins and when it ends: one
 * line "EVENT STAGE ATTEMPT NANOSECONDS NAME=NANOSECONDS …" with tabs between. The file is in BENCH_STAGE_TIMES.
 */
public final class StageTimes extends SparkListener {
  private static final Path THREADS = Paths.get("/proc/self/task");
  private final PrintWriter out;
  private final Set<Integer> measured = new HashSet<>();

  public StageTimes() throws IOException {
    out =
        new PrintWriter(Files.newBufferedWriter(Paths.get(System.getenv("BENCH_STAGE_TIMES")), StandardCharsets.UTF_8));
  }

  @Override
  public synchronized void onStageSubmitted(SparkListenerStageSubmitted event) {
    // Jobs without a description open the tables.
    if (event.properties().getProperty("spark.job.description") == null)
      return;
    measured.add(event.stageInfo().stageId());
    write("begin", event.stageInfo().stageId(), event.stageInfo().attemptNumber());
  }

  @Override
  public synchronized void onStageCompleted(SparkListenerStageCompleted event) {
    if (measured.contains(event.stageInfo().stageId()))
      write("end", event.stageInfo().stageId(), event.stageInfo().attemptNumber());
  }

  private void write(String event, int stage, int attempt) {
    Map<String, Long> times = new TreeMap<>();
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
      for (Path thread : threads) {
        try {
          String name = new String(Files.readAllBytes(thread.resolve("comm")), StandardCharsets.UTF_8).trim();
          String counters = new String(Files.readAllBytes(thread.resolve("schedstat")), StandardCharsets.UTF_8);
          times.merge(name, Long.parseLong(counters.split(" ")[0]), Long::sum);
        } catch (IOException e) {
          // The thread has ended.
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    out.print(event + "\t" + stage + "\t" + attempt + "\t" + System.nanoTime());
    times.forEach((name, ns) -> out.print("\t" + name + "=" + ns));
    out.println();
    out.flush();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.fleet;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkFiles;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;

/** Streams the logs of a partition through one engine process; see {@link FleetJob}. */
final class FleetPartition implements FlatMapFunction<Iterator<String>, byte[]> {
  private static final long serialVersionUID = 1;
  private static final String OF_JOB = "files:";

  private final Broadcast<HashMap<String, String>> hadoop;
  private final ArrayList<String> command;

  FleetPartition(Broadcast<HashMap<String, String>> hadoop, List<String> command) {
    this.hadoop = hadoop;
    this.command = new ArrayList<>(command);
  }

  @Override
  public Iterator<byte[]> call(Iterator<String> logs) {
    Configuration configuration = new Configuration();
    hadoop.value().forEach(configuration::set);
    List<String> engine = new ArrayList<>();
    for (String argument : command) {
      engine.add(argument.startsWith(OF_JOB) ? SparkFiles.get(argument.substring(OF_JOB.length())) : argument);
    }
    ByteArrayOutputStream answers = new ByteArrayOutputStream();
    try (FleetEngine process = new FleetEngine(engine)) {
      while (logs.hasNext()) {
        String[] fields = logs.next().split("\t");
        List<FleetEngine.OpenLog> files = new ArrayList<>();
        for (int i = 2; i < fields.length; ++i) {
          Path path = new Path(fields[i]);
          files.add(() -> path.getFileSystem(configuration).open(path));
        }
        byte[] head = ("log\t" + fields[0] + "\n").getBytes(StandardCharsets.UTF_8);
        answers.write(head, 0, head.length);
        process.read(fields[1], files, answers);
      }
    }
    return Collections.singletonList(answers.toByteArray()).iterator();
  }
}

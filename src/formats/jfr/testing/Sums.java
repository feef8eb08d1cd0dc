// SPDX-License-Identifier: Apache-2.0
// Prints TYPE COUNT SUM for each event type of a recording, as the JDK's own reader sees it. SUM adds up what the event
// weighs: bytes, or a duration in ns.
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

public class Sums {
  static final List<String> WEIGHTS = List.of("tlabSize", "allocationSize", "weight", "size", "samples");

  static long weight(RecordedEvent event) {
    for (String field : WEIGHTS) {
      if (event.hasField(field))
        return event.getLong(field);
    }
    return event.hasField("duration") ? event.getDuration().toNanos() : 0;
  }

  public static void main(String[] arguments) throws Exception {
    Map<String, long[]> sums = new TreeMap<>();
    try (RecordingFile file = new RecordingFile(Path.of(arguments[0]))) {
      while (file.hasMoreEvents()) {
        RecordedEvent event = file.readEvent();
        long[] sum = sums.computeIfAbsent(event.getEventType().getName(), name -> new long[2]);
        sum[0]++;
        sum[1] += weight(event);
      }
    }
    sums.forEach((name, sum) -> System.out.println(name + " " + sum[0] + " " + sum[1]));
  }
}

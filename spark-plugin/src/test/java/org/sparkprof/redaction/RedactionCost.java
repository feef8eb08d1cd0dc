// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.Option;
import scala.collection.Iterator;

/**
 * Measures the cost of redacting events on Spark's listener thread (bench/redaction_cost): reads event logs whose paths
 * are the arguments, and prints for each kind of event how many were taken, their mean size, and nanoseconds of the
 * processor for one: as the plugin does it, and when every text is searched.
 */
public final class RedactionCost {
  private static final long TRIAL = 200_000_000L; // nanoseconds of the processor
  private static final int TRIALS = 3;

  private static final class Event {
    final SparkListenerEvent event;
    final String json;

    Event(SparkListenerEvent event, String json) {
      this.event = event;
      this.json = json;
    }
  }

  private interface Way {
    String redact(Event event) throws Exception;
  }

  // So few that they stay in the processor's cache, where they are when Spark hands one over.
  private static final int MOST_EVENTS = 100;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final Map<String, String> NAMES = new HashMap<>();

  private static long sink;

  private RedactionCost() {}

  public static void main(String[] paths) throws Exception {
    Map<String, List<Event>> kinds = new TreeMap<>();
    for (String path : paths) {
      read(path, kinds);
    }
    EventRedaction redaction = new EventRedaction(null, null);
    System.out.printf("%-55s %7s %8s %10s %10s%n", "event", "count", "bytes", "ns", "searched");
    List<String> rows = new ArrayList<>();
    for (Map.Entry<String, List<Event>> kind : kinds.entrySet()) {
      List<Event> events = kind.getValue();
      double best = Double.MAX_VALUE;
      double searched = Double.MAX_VALUE;
      for (int trial = 0; trial < TRIALS; trial++) {
        best = Math.min(best, trial(events, event -> redaction.redact(event.event, event.json)));
        searched = Math.min(searched, trial(events, event -> redaction.redact(event.json)));
      }
      long bytes = events.stream().mapToLong(event -> event.json.length()).sum();
      rows.add(String.format(
          "%-55s %7d %8d %10.0f %10.0f", kind.getKey(), events.size(), bytes / events.size(), best, searched));
    }
    rows.stream().sorted(Comparator.naturalOrder()).forEach(System.out::println);
    if (sink == 0) {
      throw new IllegalStateException("nothing was redacted");
    }
  }

  private static double trial(List<Event> events, Way way) throws Exception {
    long start = THREADS.getCurrentThreadCpuTime();
    long count = 0;
    long now = start;
    while (now - start < TRIAL) {
      for (Event event : events) {
        sink += way.redact(event).length();
      }
      count += events.size();
      now = THREADS.getCurrentThreadCpuTime();
    }
    return (double) (now - start) / count;
  }

  private static void read(String path, Map<String, List<Event>> kinds) throws IOException {
    for (String line : Files.readAllLines(Paths.get(path), StandardCharsets.UTF_8)) {
      SparkListenerEvent event;
      try {
        event = (SparkListenerEvent) Class.forName("org.apache.spark.util.JsonProtocol")
                    .getMethod("sparkEventFromJson", String.class)
                    .invoke(null, line);
      } catch (ReflectiveOperationException e) {
        continue; // an event of another vendor's Spark
      }
      String kind = event.getClass().getSimpleName();
      if (event instanceof SparkListenerTaskEnd) {
        withNumbers((SparkListenerTaskEnd) event);
        kind += " " + ((SparkListenerTaskEnd) event).reason().getClass().getSimpleName();
      }
      List<Event> events = kinds.computeIfAbsent(kind, any -> new ArrayList<>());
      if (events.size() < MOST_EVENTS) {
        events.add(new Event(event, line));
      }
    }
  }

  /** Like on the driver, accumulators hold numbers, and all tasks' share their names. */
  private static void withNumbers(SparkListenerTaskEnd end) {
    List<AccumulableInfo> all = new ArrayList<>();
    Iterator<AccumulableInfo> before = end.taskInfo().accumulables().iterator();
    while (before.hasNext()) {
      AccumulableInfo info = before.next();
      all.add(new AccumulableInfo(info.id(), Option.apply(NAMES.computeIfAbsent(info.name().get(), name -> name)),
          number(info.update()), number(info.value()), false, true, info.metadata()));
    }
    end.taskInfo().setAccumulables(scala.collection.JavaConverters.asScalaBufferConverter(all).asScala());
  }

  private static Option<Object> number(Option<Object> value) {
    try {
      return value.isEmpty() ? value : Option.apply(Long.valueOf(value.get().toString()));
    } catch (NumberFormatException e) {
      return value;
    }
  }
}

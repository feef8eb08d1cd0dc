// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A stage whose tasks burn a known CPU time on their own thread: KnownCpu SECONDS TASKS. Prints "TID cpuNs stolenNs" a
 * task: what it burnt, and what a hypervisor took from all cores meanwhile.
 */
public final class KnownCpu {
  private KnownCpu() {}

  static double burn(long nanos) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long end = threads.getCurrentThreadCpuTime() + nanos;
    double sink = 1;
    while (threads.getCurrentThreadCpuTime() < end) {
      for (int i = 1; i < 2_000; i++) sink += Math.sqrt(sink + i);
    }
    return sink;
  }

  static long stolenNanos() throws IOException {
    long ticks = Long.parseLong(Files.readAllLines(Paths.get("/proc/stat")).get(0).split(" +")[8]);
    return ticks * 10_000_000;
  }

  public static void main(String[] args) {
    long nanos = (long) (Double.parseDouble(args[0]) * 1e9);
    int tasks = Integer.parseInt(args[1]);
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName("KnownCpu"))) {
      List<Integer> numbers = new ArrayList<>();
      for (int i = 0; i < tasks; i++) numbers.add(i);
      List<String> burnt =
          spark.parallelize(numbers, tasks)
              .map(number -> {
                long stolenBefore = stolenNanos();
                long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
                burn(nanos);
                long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before;
                return TaskContext.get().taskAttemptId() + " " + cpu + " " + (stolenNanos() - stolenBefore);
              })
              .collect();
      for (String line : burnt) System.out.println(line);
    }
  }
}

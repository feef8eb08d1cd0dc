// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Garbage collection: each task keeps all of its records until its end, and the collector copies them again and again.
 *
 * <p>What the report should show: a large part of the tasks' run time is garbage collection ({@code gc}), and
 * the allocations are in {@code Hoarder.record}.
 *
 * <p>Compile as WordStorm and run with little memory: {@code sparkprof run -- spark-submit --driver-memory 600m --class
 * Hoarder build/examples/hoarder.jar [RECORDS] [--fixed]}. With {@code --fixed} a task uses each record once and
 * forgets it.
 */
public final class Hoarder {
  private Hoarder() {}

  static String record(long number) {
    long state = number;
    for (int step = 0; step < 100; step++) state = state * 6364136223846793005L + 1442695040888963407L;
    return "record " + number + " of state " + state;
  }

  public static void main(String[] args) {
    boolean isFixed = args.length > 0 && args[args.length - 1].equals("--fixed");
    int records = args.length > 0 && !args[0].startsWith("-") ? Integer.parseInt(args[0]) : 12_000_000;
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName("Hoarder"))) {
      List<Integer> starts = new ArrayList<>();
      for (int i = 0; i < 8; i++) starts.add(i);
      int each = records / 8;
      long length = spark.parallelize(starts, 8)
                        .map(start -> {
                          List<String> kept = new ArrayList<>();
                          long sum = 0;
                          for (int i = 0; i < each; i++) {
                            String text = record((long) start * each + i);
                            sum += text.length();
                            if (!isFixed)
                              kept.add(text);
                          }
                          return sum + kept.size();
                        })
                        .reduce(Long::sum);
      System.out.println("characters and records: " + length);
    }
  }
}

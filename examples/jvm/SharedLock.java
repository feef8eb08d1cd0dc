// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Shared lock: all tasks of an executor use one counter, and each waits for its lock while another task holds it.
 *
 * <p>What the report should show: the tasks wait for the monitor of {@code SharedLock$Registry} in {@code
 * Registry.register} for about half of their time ({@code lock}), while the owner of the lock computes in the same
 * method.
 *
 * <p>Compile and run as WordStorm. With {@code --fixed} each task has a registry of its own.
 */
public final class SharedLock {
  private SharedLock() {}

  /** The mistake: the work is done inside the lock. */
  static final class Registry {
    static final Registry SHARED = new Registry();
    private long sum;

    synchronized long register(long number) {
      long state = number;
      for (int step = 0; step < 4_000_000; step++) state = state * 6364136223846793005L + 1442695040888963407L;
      sum += state;
      return sum;
    }
  }

  public static void main(String[] args) {
    boolean isFixed = args.length > 0 && args[args.length - 1].equals("--fixed");
    int numbers = args.length > 0 && !args[0].startsWith("-") ? Integer.parseInt(args[0]) : 1_600;
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName("SharedLock"))) {
      List<Integer> starts = new ArrayList<>();
      for (int i = 0; i < 8; i++) starts.add(i);
      int each = numbers / 8;
      long total = spark.parallelize(starts, 8)
                       .map(start -> {
                         Registry registry = isFixed ? new Registry() : Registry.SHARED;
                         long sum = 0;
                         for (int i = 0; i < each; i++) sum ^= registry.register((long) start * each + i);
                         return sum;
                       })
                       .reduce((a, b) -> a ^ b);
      System.out.println("sum: " + total);
    }
  }
}

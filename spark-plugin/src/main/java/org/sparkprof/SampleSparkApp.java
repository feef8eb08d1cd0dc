// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A job to check a set-up with: counts primes for some seconds in each of some partitions, then says how to see whether
 * profiling works. Arguments: seconds (default 10), partitions (default 2).
 */
public final class SampleSparkApp {
  private static final int DEFAULT_SECONDS = 10;
  private static final int DEFAULT_PARTITIONS = 2;
  private static final int CANDIDATES_AT_ONCE = 1000;

  private SampleSparkApp() {}

  public static void main(String[] arguments) {
    int seconds = number(arguments, 0, DEFAULT_SECONDS);
    int partitions = number(arguments, 1, DEFAULT_PARTITIONS);
    List<Integer> seeds = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      seeds.add(i);
    }
    SparkConf conf = new SparkConf().setIfMissing("spark.app.name", "sparkprof sample");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      long primes = context.parallelize(seeds, partitions).map(seed -> countPrimes(seconds)).reduce(Long::sum);
      System.out.println("Found " + primes + " primes in " + seconds + " s with " + partitions + " tasks.");
      System.out.println(conf.get("spark.plugins", "").contains(SparkProfPlugin.class.getName())
              ? "The sparkprof plugin is enabled. Search for 'sparkprof: profiling started' in the driver's and the "
                  + "executors' logs; 'sparkprof: the recording of ... goes to ...' names the folder of the recording."
              : "The sparkprof plugin is not enabled: add --conf spark.plugins=" + SparkProfPlugin.class.getName());
    }
  }

  private static int number(String[] arguments, int index, int standard) {
    return index < arguments.length ? Integer.parseInt(arguments[index]) : standard;
  }

  private static long countPrimes(int seconds) {
    long deadline = System.nanoTime() + seconds * 1_000_000_000L;
    long found = 0;
    for (long first = 2; System.nanoTime() - deadline < 0; first += CANDIDATES_AT_ONCE) {
      for (long candidate = first; candidate < first + CANDIDATES_AT_ONCE; candidate++) {
        if (isPrime(candidate)) {
          found++;
        }
      }
    }
    return found;
  }

  private static boolean isPrime(long candidate) {
    for (long divisor = 2; divisor * divisor <= candidate; divisor++) {
      if (candidate % divisor == 0) {
        return false;
      }
    }
    return true;
  }
}

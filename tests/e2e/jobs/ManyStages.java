// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Twenty one-stage jobs of 50 short tasks each, four at a time, in each of which every task burns CPU in a method that
 * only its job calls: ManyStages. Prints "job STAGES method" so that a test can tell which method belongs to which job
 * group.
 */
public final class ManyStages {
  private ManyStages() {}

  interface Burn {
    double run(double seed);
  }

  static double spin(double seed) {
    for (int i = 1; i < 400_000; i++) seed += Math.sqrt(seed + i);
    return seed;
  }

  static double burn00(double s) {
    return spin(s) + 0;
  }
  static double burn01(double s) {
    return spin(s) + 1;
  }
  static double burn02(double s) {
    return spin(s) + 2;
  }
  static double burn03(double s) {
    return spin(s) + 3;
  }
  static double burn04(double s) {
    return spin(s) + 4;
  }
  static double burn05(double s) {
    return spin(s) + 5;
  }
  static double burn06(double s) {
    return spin(s) + 6;
  }
  static double burn07(double s) {
    return spin(s) + 7;
  }
  static double burn08(double s) {
    return spin(s) + 8;
  }
  static double burn09(double s) {
    return spin(s) + 9;
  }
  static double burn10(double s) {
    return spin(s) + 10;
  }
  static double burn11(double s) {
    return spin(s) + 11;
  }
  static double burn12(double s) {
    return spin(s) + 12;
  }
  static double burn13(double s) {
    return spin(s) + 13;
  }
  static double burn14(double s) {
    return spin(s) + 14;
  }
  static double burn15(double s) {
    return spin(s) + 15;
  }
  static double burn16(double s) {
    return spin(s) + 16;
  }
  static double burn17(double s) {
    return spin(s) + 17;
  }
  static double burn18(double s) {
    return spin(s) + 18;
  }
  static double burn19(double s) {
    return spin(s) + 19;
  }

  static double burn(int job, double seed) {
    switch (job) {
      case 0:
        return burn00(seed);
      case 1:
        return burn01(seed);
      case 2:
        return burn02(seed);
      case 3:
        return burn03(seed);
      case 4:
        return burn04(seed);
      case 5:
        return burn05(seed);
      case 6:
        return burn06(seed);
      case 7:
        return burn07(seed);
      case 8:
        return burn08(seed);
      case 9:
        return burn09(seed);
      case 10:
        return burn10(seed);
      case 11:
        return burn11(seed);
      case 12:
        return burn12(seed);
      case 13:
        return burn13(seed);
      case 14:
        return burn14(seed);
      case 15:
        return burn15(seed);
      case 16:
        return burn16(seed);
      case 17:
        return burn17(seed);
      case 18:
        return burn18(seed);
      default:
        return burn19(seed);
    }
  }

  public static void main(String[] args) throws Exception {
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName("ManyStages"))) {
      List<Integer> numbers = new ArrayList<>();
      for (int i = 0; i < 50; i++) numbers.add(i);
      ExecutorService pool = Executors.newFixedThreadPool(4);
      List<Future<String>> jobs = new ArrayList<>();
      for (int j = 0; j < 20; j++) {
        final int job = j;
        jobs.add(pool.submit(() -> {
          spark.setJobGroup("group-" + job, "burn" + job, false);
          // The stage of each task comes back with its result: what the tasks themselves know is the truth.
          List<Integer> stages = spark.parallelize(numbers, numbers.size())
                                     .map(n -> {
                                       if (burn(job, n) < 0)
                                         throw new IllegalStateException();
                                       return org.apache.spark.TaskContext.get().stageId();
                                     })
                                     .distinct(1)
                                     .collect();
          return String.format("burn%02d %s", job, stages.get(0));
        }));
      }
      for (Future<String> job : jobs) System.out.println(job.get());
      pool.shutdown();
    }
  }
}

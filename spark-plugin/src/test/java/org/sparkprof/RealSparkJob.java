// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * The job that RealSparkTest runs in a JVM of its own: 24 tasks, one of which fails at its first attempt. Its only line
 * on standard output is the result. Arguments: how many SparkContexts one after another, and "" or the path from
 * which {@link #waitFor} makes the names of the files that the tasks of each context wait for.
 */
public final class RealSparkJob {
  private static final int NUMBERS = 1000;

  private RealSparkJob() {}

  public static void main(String[] arguments) {
    int contexts = Integer.parseInt(arguments[0]);
    long result = 0;
    for (int i = 0; i < contexts; i++) {
      try (JavaSparkContext context = new JavaSparkContext(new SparkConf().setAppName("real job " + i))) {
        result += run(context, arguments[1].isEmpty() ? null : waitFor(arguments[1], i));
      }
    }
    System.out.println("result " + result);
  }

  /** The file that the tasks of one context wait for. */
  static File waitFor(String path, int context) {
    return new File(path + "-" + context);
  }

  private static long run(JavaSparkContext context, File waitFor) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < NUMBERS; i++) {
      numbers.add(i);
    }
    long sum = context.parallelize(numbers, 12)
                   .map(number -> {
                     while (waitFor != null && !waitFor.exists()) {
                       Thread.sleep(20);
                     }
                     TaskContext task = TaskContext.get();
                     if (task.partitionId() == 5 && task.attemptNumber() == 0) {
                       throw new IllegalStateException("this task fails at its first attempt");
                     }
                     return burn(number);
                   })
                   .reduce(Long::sum);
    return sum + context.parallelize(numbers, 12).count();
  }

  /** The result of one context's job, computed without Spark. */
  static long expected() {
    long sum = NUMBERS;
    for (int i = 0; i < NUMBERS; i++) {
      sum += burn(i);
    }
    return sum;
  }

  private static long burn(int seed) {
    long value = seed;
    for (int i = 0; i < 100_000; i++) {
      value = value * 6364136223846793005L + 1442695040888963407L;
    }
    return value & 0xffff;
  }
}

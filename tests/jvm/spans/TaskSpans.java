// SPDX-License-Identifier: Apache-2.0
import java.lang.management.ManagementFactory;
import one.profiler.Span;

/**
 * Burns 4.5 seconds of CPU in {@code first} as task 11 of stage 3, and 1.5 seconds in {@code second} as task 12, and
 * marks both with async-profiler's spans as Spark's own profiler does: stage, stage attempt, partition, task, attempt,
 * status.
 */
public class TaskSpans {
  static volatile long sink;

  static long clock() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  static void burn(long nanos) {
    long end = clock() + nanos;
    while (clock() < end) {
      for (int i = 0; i < 10_000; i++) sink++;
    }
  }

  static void first() {
    burn(4_500_000_000L);
  }

  static void second() {
    burn(1_500_000_000L);
  }

  public static void main(String[] arguments) {
    long start = Span.start();
    first();
    Span.end(start, "3,0,0,11,0,SUCCESS");
    start = Span.start();
    second();
    Span.end(start, "stageId=3,stageAttemptNumber=1,partitionId=1,taskAttemptId=12,attemptNumber=1,status=FAILED");
  }
}

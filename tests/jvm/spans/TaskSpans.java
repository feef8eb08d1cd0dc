// SPDX-License-Identifier: Apache-2.0
import one.profiler.Span;

/**
 * Burns 1.5 seconds in {@code first} as task 11 of stage 3, and half a second in {@code second} as task 12, and marks
 * both with async-profiler's spans as Spark's own profiler does: stage, stage attempt, partition, task, attempt, status.
 */
public class TaskSpans {
  static volatile long sink;

  static void first(long end) {
    while (System.nanoTime() < end) sink++;
  }

  static void second(long end) {
    while (System.nanoTime() < end) sink++;
  }

  public static void main(String[] arguments) {
    long start = Span.start();
    first(System.nanoTime() + 1_500_000_000L);
    Span.end(start, "3,0,0,11,0,SUCCESS");
    start = Span.start();
    second(System.nanoTime() + 500_000_000L);
    Span.end(start, "stageId=3,stageAttemptNumber=1,partitionId=1,taskAttemptId=12,attemptNumber=1,status=FAILED");
  }
}

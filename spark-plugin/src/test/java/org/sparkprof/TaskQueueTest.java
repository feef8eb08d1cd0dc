// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

final class TaskQueueTest {
  private static TaskRecord record(long taskId) {
    return TaskRecord.end(TaskRecord.SUCCEEDED, taskId, taskId, 1);
  }

  @Test
  void aFullQueueDropsAndCounts() {
    TaskQueue queue = new TaskQueue(4);
    for (int i = 0; i < 10; i++) {
      assertEquals(i < 4, queue.offer(record(i)));
    }
    assertEquals(6, queue.dropped());
    assertEquals(0, queue.poll().taskId);
    assertTrue(queue.offer(record(99)));
    for (long expected : new long[] {1, 2, 3, 99}) {
      assertEquals(expected, queue.poll().taskId);
    }
    assertNull(queue.poll());
  }

  @Test
  void aClosedQueueTakesNothingAndCountsNothing() {
    TaskQueue queue = new TaskQueue(4);
    queue.close();
    assertFalse(queue.offer(record(1)));
    assertEquals(0, queue.dropped());
  }

  @Test
  void everyRecordOfManyThreadsArrivesOnceOrIsCounted() throws InterruptedException {
    int writers = 4;
    int each = 20_000;
    TaskQueue queue = new TaskQueue(64);
    CountDownLatch running = new CountDownLatch(writers);
    for (int w = 0; w < writers; w++) {
      long first = (long) w * each;
      new Thread(() -> {
        for (int i = 0; i < each; i++) {
          queue.offer(record(first + i));
        }
        running.countDown();
      }).start();
    }
    BitSet seen = new BitSet();
    long received = 0;
    while (true) {
      boolean over = running.getCount() == 0;
      TaskRecord record = queue.poll();
      if (record != null) {
        assertFalse(seen.get((int) record.taskId));
        seen.set((int) record.taskId);
        received++;
      } else if (over) {
        break;
      }
    }
    assertEquals((long) writers * each, received + queue.dropped());
  }
}

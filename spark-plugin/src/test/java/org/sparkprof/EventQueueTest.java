// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class EventQueueTest {
  @Test
  void theBudgetIsInBytesAndWhatFindsNoRoomIsCounted() {
    EventQueue queue = new EventQueue(100);
    assertTrue(queue.offer(new byte[60]));
    assertFalse(queue.offer(new byte[60]));
    assertTrue(queue.offer(new byte[40]));
    assertEquals(1, queue.dropped());
    assertEquals(60, queue.poll().length);
    assertTrue(queue.offer(new byte[60]));
    assertEquals(40, queue.poll().length);
  }

  @Test
  void anEventLongerThanAFrameIsDropped() {
    EventQueue queue = new EventQueue(Long.MAX_VALUE);
    assertFalse(queue.offer(new byte[EventQueue.MAX_EVENT_BYTES + 1]));
    assertEquals(1, queue.dropped());
  }

  @Test
  void aClosedQueueKeepsNothing() {
    EventQueue queue = new EventQueue(100);
    queue.offer(new byte[10]);
    queue.close();
    assertNull(queue.poll());
    assertFalse(queue.offer(new byte[10]));
    assertEquals(0, queue.dropped());
  }
}

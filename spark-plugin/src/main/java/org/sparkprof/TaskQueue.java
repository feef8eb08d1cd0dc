// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Bounded queue from many task threads to one reader. {@link #offer} never waits: when the queue is full or closed the
 * record is dropped and counted. {@link #poll} is for one thread at a time.
 */
final class TaskQueue {
  private final AtomicReferenceArray<TaskRecord> slots;
  private final AtomicLong tail = new AtomicLong();
  private final AtomicLong head = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private volatile boolean closed;

  TaskQueue(int capacity) {
    slots = new AtomicReferenceArray<>(capacity);
  }

  boolean offer(TaskRecord record) {
    if (closed) {
      return false;
    }
    long position;
    do {
      position = tail.get();
      if (position - head.get() >= slots.length()) {
        dropped.incrementAndGet();
        return false;
      }
    } while (!tail.compareAndSet(position, position + 1));
    slots.lazySet((int) (position % slots.length()), record);
    return true;
  }

  /** The oldest record, or null if there is none or its writer has not finished. */
  TaskRecord poll() {
    long position = head.get();
    int slot = (int) (position % slots.length());
    TaskRecord record = slots.get(slot);
    if (record != null) {
      // The slot is emptied before the head moves: a writer that sees the new head finds it empty.
      slots.lazySet(slot, null);
      head.lazySet(position + 1);
    }
    return record;
  }

  long dropped() {
    return dropped.get();
  }

  /** From now on records are neither kept nor counted. */
  void close() {
    closed = true;
  }
}

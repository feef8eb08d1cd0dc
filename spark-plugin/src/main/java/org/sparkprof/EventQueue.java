// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/**
 * Spark events on their way to the agent, as JSON in UTF-8, bounded in bytes. Adding never waits for the reader's I/O.
 */
public final class EventQueue {
  /** Longest event that fits into a frame of the agent's protocol with room to spare. */
  static final int MAX_EVENT_BYTES = 48 << 20;

  private final long maxBytes;
  private final ArrayDeque<byte[]> events = new ArrayDeque<>();
  private long bytes;
  private long dropped;
  private LongSupplier droppedBefore = () -> 0;
  private boolean closed;

  EventQueue(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  public synchronized boolean offer(byte[] event) {
    if (closed) {
      return false;
    }
    if (event.length > MAX_EVENT_BYTES || bytes + event.length > maxBytes) {
      dropped++;
      return false;
    }
    events.add(event);
    bytes += event.length;
    return true;
  }

  synchronized byte[] poll() {
    byte[] event = events.poll();
    if (event != null) {
      bytes -= event.length;
    }
    return event;
  }

  synchronized int size() {
    return events.size();
  }

  /** Counts an event that could not even be turned into JSON. */
  synchronized void countDropped() {
    dropped++;
  }

  synchronized long dropped() {
    return dropped + droppedBefore.getAsLong();
  }

  /** Events that were dropped on their way here. */
  synchronized void alsoDropped(LongSupplier before) {
    droppedBefore = before;
  }

  synchronized void close() {
    closed = true;
    events.clear();
    bytes = 0;
  }
}

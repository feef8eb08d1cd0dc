// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Everything on its way to the agent. Spark's threads only add to bounded queues; the session's own threads write. When
 * the agent does not take data, a write blocks its thread, which {@link #stuckMs} shows; the queues then fill and drop.
 */
final class Outbox {
  /** A frame that is neither a task nor an event: written before those that wait. */
  interface Frame {
    void write(FrameWriter writer) throws IOException;
  }

  private static final int TASK_RECORDS = 1 << 16;
  private static final int EVENTS_AT_ONCE = 32;
  private static final long MAX_EVENT_BYTES = 64L << 20;

  final TaskQueue tasks = new TaskQueue(TASK_RECORDS);
  /** A sixteenth of the heap at most: the queue must not press a small driver. */
  final EventQueue events = new EventQueue(Math.min(MAX_EVENT_BYTES, Runtime.getRuntime().maxMemory() / 16));

  private final ConcurrentLinkedQueue<Frame> frames = new ConcurrentLinkedQueue<>();
  private final ReentrantLock writing = new ReentrantLock();
  private FrameWriter writer;
  private boolean closed;
  private long reportedDrops;
  private volatile long writingSinceNs;

  /**
   * Greets the agent; from now on {@link #drain} writes.
   *
   * @throws IOException the agent cannot be reached, or the outbox was closed before: the agent's input is ended then
   */
  void connect(FrameWriter writer, Map<String, String> hello) throws IOException {
    writing.lock();
    try {
      if (closed) {
        writer.close();
        throw new IOException("the application ended before the agent had started");
      }
      writer.hello(hello);
      writer.flush();
      this.writer = writer;
    } finally {
      writing.unlock();
    }
  }

  void add(Frame frame) {
    frames.add(frame);
  }

  /** Writes all that waits. False = another thread has been writing for longer than the time given. */
  boolean drain(long waitMs) throws IOException {
    try {
      if (!writing.tryLock(waitMs, TimeUnit.MILLISECONDS)) {
        return false;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    try {
      if (writer != null) {
        writeAll();
      }
      return true;
    } finally {
      writingSinceNs = 0;
      writing.unlock();
    }
  }

  /** How long the agent has taken nothing of what is being written, in ms; 0 = nothing is. */
  long stuckMs() {
    long since = writingSinceNs;
    return since == 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
  }

  /** Ends the agent's input: it sees the end of file. */
  void close(long waitMs) throws IOException {
    stopTaking();
    try {
      if (!writing.tryLock(waitMs, TimeUnit.MILLISECONDS)) {
        throw new IOException("the agent has not taken data for " + stuckMs() + " ms");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the agent's input was closed", e);
    }
    try {
      closed = true;
      if (writer != null) {
        FrameWriter last = writer;
        writer = null;
        last.close();
      }
    } finally {
      writing.unlock();
    }
  }

  /** From now on nothing is taken any more: tasks and listeners pass without cost. */
  void stopTaking() {
    tasks.close();
    events.close();
  }

  /** What waits now: a driver whose events keep coming would never be done with those, and nobody else could write. */
  private void writeAll() throws IOException {
    boolean wrote = false;
    int waiting = events.size();
    do {
      writingSinceNs = System.nanoTime() | 1;
      for (Frame frame = frames.poll(); frame != null; frame = frames.poll()) {
        frame.write(writer);
        wrote = true;
      }
      for (TaskRecord record = tasks.poll(); record != null; record = tasks.poll()) {
        writer.task(record);
        wrote = true;
      }
      // Few at a time, so that task records never wait behind a heap of events.
      for (int i = 0; i < EVENTS_AT_ONCE && waiting > 0; i++, waiting--) {
        byte[] event = events.poll();
        if (event != null) {
          writer.sparkEvent(event);
          wrote = true;
        }
      }
    } while (waiting > 0);
    long droppedTasks = tasks.dropped();
    long droppedEvents = events.dropped();
    if (droppedTasks + droppedEvents != reportedDrops) {
      reportedDrops = droppedTasks + droppedEvents;
      writer.dropped(droppedTasks, droppedEvents);
      wrote = true;
    }
    if (wrote) {
      writer.flush();
    }
  }
}

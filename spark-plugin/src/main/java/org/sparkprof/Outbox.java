// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Everything on its way to the agent. Spark's threads only add to bounded queues; the session's own threads write. When
 * the agent does not take data, a write blocks its thread; the queues then fill and drop.
 *
 * <p>Frames are kept until the agent confirms that they are in the recording ({@link #recorded}). When it dies first,
 * the next agent gets them again, after the tasks that still run.
 */
final class Outbox {
  /** A frame other than an event: written before the events that wait. */
  interface Frame {
    void write(FrameWriter writer) throws IOException;
  }

  /** Means nothing to another agent than the current one. */
  private interface FrameOfThisAgent extends Frame {}

  /** A DUMPED frame: it belongs to the dump's file. */
  private static final class Dump implements FrameOfThisAgent {
    final long timeNs;
    final EngineCounters counters;

    Dump(long timeNs, EngineCounters counters) {
      this.timeNs = timeNs;
      this.counters = counters;
    }

    @Override
    public void write(FrameWriter writer) throws IOException {
      writer.dumped(timeNs, counters);
    }
  }

  /** Counts as a frame of this conversation and is not written to the next agent. */
  private static final Frame NOTHING = writer -> {};
  private static final int TASK_RECORDS = 1 << 16;
  private static final int EVENTS_AT_ONCE = 32;
  private static final long MAX_EVENT_BYTES = 64L << 20;
  private static final String QUEUE_FULL = "queue of the plugin or Spark full";

  final TaskQueue tasks = new TaskQueue(TASK_RECORDS);
  /** At most a sixteenth of the heap, so that the queue does not put pressure on a small driver. */
  final EventQueue events = new EventQueue(Math.min(MAX_EVENT_BYTES, Runtime.getRuntime().maxMemory() / 16));

  private final ConcurrentLinkedQueue<Frame> frames = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<FrameOfThisAgent> dumps = new ConcurrentLinkedQueue<>();
  private final ReentrantLock writing = new ReentrantLock();
  private final Condition connected = writing.newCondition();
  private FrameWriter writer;
  private boolean closed;
  private long reportedTasks;
  private long reportedEvents;

  /** Written to the current agent and not recorded yet, oldest first. Guards itself and the fields below. */
  private final ArrayDeque<Frame> unrecorded = new ArrayDeque<>();
  /** Begins of the tasks that run as far as the recording shows, by OS thread. */
  private final Map<Integer, TaskRecord> running = new HashMap<>();
  /** Frames that the current agent has recorded. */
  private long recordedFrames;
  private long recordedDumpNs;

  /**
   * Greets an agent; from now on {@link #drain} writes to it.
   *
   * @throws IOException the agent cannot be reached, or the outbox was closed before: the agent's input is ended then
   */
  void connect(FrameWriter writer, Map<String, String> hello) throws IOException {
    writing.lock();
    try {
      if (closed) {
        writer.close();
        throw new IOException("the application ended before the agent started");
      }
      List<Frame> again;
      synchronized (unrecorded) {
        again = new ArrayList<>(unrecorded);
        again.removeIf(frame -> frame == NOTHING || frame instanceof FrameOfThisAgent);
        unrecorded.clear();
        recordedFrames = 0;
        // In front of everything else, so that nothing is lost when this write fails.
        unrecorded.add(NOTHING);
        running.forEach((thread, begin) -> unrecorded.add(NOTHING));
        unrecorded.addAll(again);
        again.addAll(0, running.values());
      }
      writer.hello(hello);
      for (Frame frame : again) {
        frame.write(writer);
      }
      writer.flush();
      this.writer = writer;
      connected.signalAll();
    } finally {
      writing.unlock();
    }
  }

  /**
   * The agent cannot be written to any more; what it had not recorded waits for the next one.
   *
   * @return false = another thread has been writing for longer than the time given
   */
  boolean disconnect(long waitMs) throws InterruptedException {
    if (!writing.tryLock(waitMs, TimeUnit.MILLISECONDS)) {
      return false;
    }
    try {
      writer = null;
      dumps.clear();
      frames.removeIf(frame -> frame instanceof FrameOfThisAgent);
      return true;
    } finally {
      writing.unlock();
    }
  }

  /** Waits until an agent is connected or the time is over. */
  void awaitConnected(long timeoutMs) throws InterruptedException {
    writing.lock();
    try {
      long left = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
      while (writer == null && left > 0) {
        left = connected.awaitNanos(left);
      }
    } finally {
      writing.unlock();
    }
  }

  void add(Frame frame) {
    frames.add(frame);
  }

  /** @param count lost since the last call */
  void lost(String what, String reason, long count) {
    add(writer -> writer.loss(what, reason, count));
  }

  /** The server has the current agent's recording up to this position. */
  void uploaded(long position) {
    frames.add((FrameOfThisAgent) writer -> writer.uploaded(position));
  }

  /** The engine's file has complete chunks up to this time; all older task records were added before. */
  void dumped(long timeNs, EngineCounters counters) {
    dumps.add(new Dump(timeNs, counters));
  }

  /** Settings of the samples in later dumps. The next agent gets them with its greeting. */
  void settings(Map<String, String> values) {
    dumps.add(writer -> writer.settings(values));
  }

  /** So many frames of this conversation are in the recording, HELLO included. */
  void recorded(long frameCount) {
    synchronized (unrecorded) {
      for (; recordedFrames < frameCount && !unrecorded.isEmpty(); recordedFrames++) {
        Frame frame = unrecorded.poll();
        if (frame instanceof Dump) {
          recordedDumpNs = ((Dump) frame).timeNs;
        } else if (frame instanceof TaskRecord) {
          TaskRecord task = (TaskRecord) frame;
          if (task.what == TaskRecord.BEGIN) {
            running.put(task.osThread, task);
          } else {
            running.remove(task.osThread);
          }
        }
      }
    }
  }

  /** The time of the last dump that is in the recording, by System.nanoTime; 0 = none is. */
  long recordedDumpNs() {
    synchronized (unrecorded) {
      return recordedDumpNs;
    }
  }

  /** Frames that the current agent has recorded. */
  long recordedFrames() {
    synchronized (unrecorded) {
      return recordedFrames;
    }
  }

  /** Frames written to the current agent. */
  long writtenFrames() {
    synchronized (unrecorded) {
      return recordedFrames + unrecorded.size();
    }
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
      writing.unlock();
    }
  }

  /** Ends the agent's input: it sees the end of file. */
  void close(long waitMs) throws IOException {
    stopTaking();
    try {
      if (!writing.tryLock(waitMs, TimeUnit.MILLISECONDS)) {
        throw new IOException("the agent does not accept data");
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

  /** Rejects further data: tasks and listeners then continue without cost. */
  void stopTaking() {
    tasks.close();
    events.close();
  }

  /** Writes the frames waiting now: a busy driver's queue never gets empty, and no other thread could write. */
  private void writeAll() throws IOException {
    boolean wrote = false;
    int waiting = events.size();
    do {
      for (Frame frame = frames.poll(); frame != null; frame = frames.poll()) {
        send(frame);
        wrote = true;
      }
      for (TaskRecord record = tasks.poll(); record != null; record = tasks.poll()) {
        send(record);
        wrote = true;
      }
      // Few at a time, so that task records never wait for many events.
      for (int i = 0; i < EVENTS_AT_ONCE && waiting > 0; i++, waiting--) {
        byte[] event = events.poll();
        if (event != null) {
          send(writer -> writer.sparkEvent(event));
          wrote = true;
        }
      }
    } while (waiting > 0);
    // Tasks first: the agent relies on having all records that are older than the dump.
    for (FrameOfThisAgent dump = dumps.poll(); dump != null; dump = dumps.poll()) {
      send(dump);
      wrote = true;
    }
    long droppedTasks = tasks.dropped();
    wrote |= sendDropped("task_records", droppedTasks - reportedTasks);
    reportedTasks = droppedTasks;
    long droppedEvents = events.dropped();
    wrote |= sendDropped("spark_events", droppedEvents - reportedEvents);
    reportedEvents = droppedEvents;
    if (wrote) {
      writer.flush();
    }
  }

  private boolean sendDropped(String what, long count) throws IOException {
    if (count <= 0) {
      return false;
    }
    send(writer -> writer.loss(what, QUEUE_FULL, count));
    return true;
  }

  private void send(Frame frame) throws IOException {
    keep(frame);
    frame.write(writer);
  }

  private void keep(Frame frame) {
    synchronized (unrecorded) {
      unrecorded.add(frame);
    }
  }
}

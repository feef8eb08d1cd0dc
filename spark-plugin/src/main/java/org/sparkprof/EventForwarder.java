// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import com.codahale.metrics.Counter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkFirehoseListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerBlockUpdated;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerExecutorMetricsUpdate;

/**
 * Forwards the driver's events as JSON. Spark logs an event with all its settings, in clear text and in one line, when
 * a listener spends more than a second on it. The listener's thread therefore only hands events over; a thread of its
 * own loads Jackson and Spark's JSON classes, which takes up to seconds on a busy machine, and converts the events in
 * order. Both queues are bounded.
 */
final class EventForwarder extends SparkFirehoseListener {
  private static final String QUEUE = "sparkprof";
  static final int MAX_WAITING = 10_000;

  /** Turns an event into its JSON. */
  interface Converter {
    String text(SparkListenerEvent event) throws Exception;
  }

  private final EventQueue events;
  private final Callable<Converter> loader;
  /** Events to be converted. Guarded by this. */
  private List<SparkListenerEvent> waiting = new ArrayList<>();
  /** The number of events taken out of `waiting` and not converted. Guarded by this. */
  private int converting;
  /** Whether the application's last event has arrived. Guarded by this. */
  private boolean ended;
  /** Guarded by this. */
  private boolean closed;
  private boolean complained;

  /** `loader` is called on a thread of its own, see start(). */
  EventForwarder(EventQueue events, Callable<Converter> loader) {
    this.events = events;
    this.loader = loader;
  }

  void start() {
    Thread thread = new Thread(this::run, "sparkprof-events");
    thread.setDaemon(true);
    thread.start();
  }

  private static Converter converter(PodDisruptions pods) throws ReflectiveOperationException {
    EventJson json = new EventJson();
    return event -> json.text(pods.explained(event));
  }

  /** Registers on the context. Events that Spark posted before its listeners started arrive too. */
  static EventForwarder register(SparkContext context, EventQueue events, PodDisruptions pods) {
    EventForwarder forwarder = new EventForwarder(events, () -> converter(pods));
    forwarder.start();
    events.offer(("{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"" + context.version() + "\"}")
                     .getBytes(StandardCharsets.UTF_8));
    try {
      // A separate queue, so that a delay here does not drop events of other listeners. Not public in Scala.
      context.listenerBus().addToQueue(forwarder, QUEUE);
    } catch (LinkageError e) {
      context.addSparkListener(forwarder);
      return forwarder;
    }
    try {
      Counter droppedBySpark =
          context.listenerBus().metrics().metricRegistry().counter("queue." + QUEUE + ".numDroppedEvents");
      events.alsoDropped(droppedBySpark::getCount);
    } catch (LinkageError e) {
      Log.debug("events that Spark drops are not counted", e);
    }
    return forwarder;
  }

  /** Waits until all events so far are converted, or until the timeout. */
  void awaitConverted(long timeoutMs) throws InterruptedException {
    await(timeoutMs, () -> waiting.isEmpty() && converting == 0);
  }

  /**
   * Waits until all events up to the application's last one are converted, or until the timeout. Spark posts that event
   * before it stops its plugins, but its queues deliver it later.
   */
  void awaitEnd(long timeoutMs) throws InterruptedException {
    await(timeoutMs, () -> ended && waiting.isEmpty() && converting == 0);
  }

  private synchronized void await(long timeoutMs, BooleanSupplier done) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    while (!done.getAsBoolean()) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (leftMs <= 0) {
        return;
      }
      wait(leftMs);
    }
  }

  /** Ends the thread; what is not converted is counted as dropped, further events are ignored. */
  synchronized void close() {
    closed = true;
    waiting.forEach(event -> events.countDropped());
    waiting.clear();
    notifyAll();
  }

  private void run() {
    Converter converter = null; // null when it cannot be loaded
    try {
      converter = loader.call();
    } catch (Throwable e) {
      complain(e);
    }
    while (true) {
      List<SparkListenerEvent> batch;
      synchronized (this) {
        converting = 0;
        notifyAll();
        try {
          while (waiting.isEmpty() && !closed) {
            wait();
          }
        } catch (InterruptedException e) {
          closed = true;
        }
        if (closed) {
          return;
        }
        batch = waiting;
        waiting = new ArrayList<>();
        converting = batch.size();
      }
      for (SparkListenerEvent event : batch) {
        convert(event, converter);
      }
    }
  }

  @Override
  public void onEvent(SparkListenerEvent event) {
    if (!isRecorded(event)) {
      return;
    }
    synchronized (this) {
      if (closed) {
        return;
      }
      ended |= event instanceof SparkListenerApplicationEnd;
      if (waiting.size() < MAX_WAITING) {
        waiting.add(event);
        notifyAll();
        return;
      }
    }
    events.countDropped();
  }

  // Spark's event log omits updates of metrics and blocks, too, since there are many. But only those of blocks show
  // that cached data was evicted: tasks report it only with spark.taskMetrics.trackUpdatedBlockStatuses.
  private static boolean isRecorded(SparkListenerEvent event) {
    if (event instanceof SparkListenerBlockUpdated) {
      return ((SparkListenerBlockUpdated) event).blockUpdatedInfo().blockId().isRDD();
    }
    return !(event instanceof SparkListenerExecutorMetricsUpdate) && event.logEvent();
  }

  private void convert(SparkListenerEvent event, Converter converter) {
    if (converter == null) { // the reason was logged
      events.countDropped();
      return;
    }
    try {
      String text = converter.text(event);
      events.offer(text.getBytes(StandardCharsets.UTF_8));
    } catch (Throwable e) {
      events.countDropped();
      complain(e);
    }
  }

  private void complain(Throwable e) {
    if (!complained) {
      complained = true;
      Log.warn("the recording lacks an event: " + Log.reason(e));
    }
  }
}

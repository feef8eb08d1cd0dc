// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import com.codahale.metrics.Counter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkFirehoseListener;
import org.apache.spark.scheduler.SparkListenerBlockUpdated;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerExecutorMetricsUpdate;
import org.sparkprof.redaction.EventRedaction;

/**
 * Forwards the driver's events as JSON. The conversion runs on the listener's thread, because Spark changes some events
 * (accumulators) after they were posted; everything behind it is a bounded queue.
 *
 * <p>Only the first events wait: loading Jackson and Spark's JSON classes takes up to seconds on a busy machine, and Spark
 * logs an event with all its settings in clear text when a listener spends more than a second on it. A thread of its own
 * loads them and converts what has come meanwhile, in order.
 */
final class EventForwarder extends SparkFirehoseListener {
  private static final String QUEUE = "sparkprof";
  static final int MAX_WAITING = 10_000;

  /** Turns an event into its text without secrets. */
  interface Converter {
    String text(SparkListenerEvent event) throws Exception;
  }

  private final EventQueue events;
  private final Callable<Converter> loader;
  private final CountDownLatch ready = new CountDownLatch(1);
  /** Events until the converter is loaded, then null. Guarded by this. */
  private List<SparkListenerEvent> waiting = new ArrayList<>();
  /** Null until it is loaded, and when that fails. */
  private Converter converter;
  private volatile boolean complained;

  /** `loader` is called on a thread of its own, see start(). */
  EventForwarder(EventQueue events, Callable<Converter> loader) {
    this.events = events;
    this.loader = loader;
  }

  void start() {
    Thread thread = new Thread(this::load, "sparkprof-event-loader");
    thread.setDaemon(true);
    thread.start();
  }

  private static Converter converter(SparkConf conf) throws ReflectiveOperationException {
    String stringRegex = conf.get("spark.sql.redaction.string.regex", conf.get("spark.redaction.string.regex", null));
    EventRedaction redaction = new EventRedaction(conf.get("spark.redaction.regex", null), stringRegex);
    EventJson json = new EventJson();
    return event -> redaction.redact(event, json.text(event));
  }

  /** Registers on the context. Events that Spark posted before its listeners started arrive too. */
  static EventForwarder register(SparkContext context, EventQueue events) {
    SparkConf conf = context.conf();
    EventForwarder forwarder = new EventForwarder(events, () -> converter(conf));
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
      Counter droppedBySpark = context.listenerBus().metrics().metricRegistry().counter(
          "queue." + QUEUE + ".numDroppedEvents");
      events.alsoDropped(droppedBySpark::getCount);
    } catch (LinkageError e) {
      Log.debug("events that Spark drops are not counted", e);
    }
    return forwarder;
  }

  /** Waits until all events so far are converted, or until the timeout. */
  void awaitReady(long timeoutMs) throws InterruptedException {
    ready.await(timeoutMs, TimeUnit.MILLISECONDS);
  }

  private void load() {
    try {
      converter = loader.call();
    } catch (Throwable e) {
      complain(e);
    }
    while (true) {
      List<SparkListenerEvent> batch;
      synchronized (this) {
        if (waiting.isEmpty()) {
          waiting = null;
          break;
        }
        batch = waiting;
        waiting = new ArrayList<>();
      }
      batch.forEach(this::convert);
    }
    ready.countDown();
  }

  @Override
  public void onEvent(SparkListenerEvent event) {
    // The events that Spark's event log omits, too: many and unused.
    if (event instanceof SparkListenerExecutorMetricsUpdate || event instanceof SparkListenerBlockUpdated
        || !event.logEvent()) {
      return;
    }
    synchronized (this) {
      if (waiting != null) {
        if (waiting.size() < MAX_WAITING) {
          waiting.add(event);
        } else {
          events.countDropped();
        }
        return;
      }
    }
    convert(event);
  }

  private void convert(SparkListenerEvent event) {
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

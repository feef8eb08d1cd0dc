// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import com.codahale.metrics.Counter;
import java.nio.charset.StandardCharsets;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkFirehoseListener;
import org.apache.spark.scheduler.SparkListenerBlockUpdated;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerExecutorMetricsUpdate;

/**
 * Forwards the driver's events as JSON. The conversion runs on the listener's thread, because Spark changes some events
 * (accumulators) after they were posted; everything behind it is a bounded queue.
 */
final class EventForwarder extends SparkFirehoseListener {
  private static final String QUEUE = "sparkprof";

  private final EventQueue events;
  private final String sparkRegex;
  private final String stringRegex;
  // Made at the first event, on the listener's thread: Jackson takes longer to start than the driver may be held up.
  private EventJson json;
  private Redaction redaction;
  private boolean complained;

  private EventForwarder(EventQueue events, SparkConf conf) {
    this.events = events;
    sparkRegex = conf.get("spark.redaction.regex", null);
    stringRegex = conf.get("spark.sql.redaction.string.regex", conf.get("spark.redaction.string.regex", null));
  }

  /** Registers on the context. Events that Spark posted before its listeners started arrive too. */
  static void register(SparkContext context, EventQueue events) {
    EventForwarder forwarder = new EventForwarder(events, context.conf());
    events.offer(("{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"" + context.version() + "\"}")
        .getBytes(StandardCharsets.UTF_8));
    try {
      // A queue of its own: a slow moment here must not cost other listeners their events. Not public in Scala.
      context.listenerBus().addToQueue(forwarder, QUEUE);
    } catch (LinkageError e) {
      context.addSparkListener(forwarder);
      return;
    }
    try {
      Counter droppedBySpark = context.listenerBus().metrics().metricRegistry().counter(
          "queue." + QUEUE + ".numDroppedEvents");
      events.alsoDropped(droppedBySpark::getCount);
    } catch (LinkageError e) {
      Log.debug("events that Spark drops are not counted", e);
    }
  }

  @Override
  public void onEvent(SparkListenerEvent event) {
    // The same events that Spark's event log leaves out: many, and nobody reads them.
    if (event instanceof SparkListenerExecutorMetricsUpdate || event instanceof SparkListenerBlockUpdated
        || !event.logEvent()) {
      return;
    }
    try {
      if (json == null) {
        redaction = new Redaction(sparkRegex, stringRegex);
        json = new EventJson();
      }
      String text = redaction.redact(event, json.text(event));
      events.offer(text.getBytes(StandardCharsets.UTF_8));
    } catch (Throwable e) {
      events.countDropped();
      if (!complained) {
        complained = true;
        Log.warn("an event is missing in the recording: " + Log.reason(e));
      }
    }
  }
}

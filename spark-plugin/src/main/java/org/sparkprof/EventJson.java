// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.spark.scheduler.SparkListenerEvent;

/**
 * Spark's own JSON of its events, as in the event log. The method's name and form changed with Spark 3.4, hence
 * reflection.
 */
final class EventJson {
  private final Method toText;
  /** Before Spark 3.4: the event becomes a json4s value, which this object's "compact" turns into text. */
  private final Object json4s;
  private final Method compact;

  EventJson() throws ReflectiveOperationException {
    Class<?> protocol = Class.forName("org.apache.spark.util.JsonProtocol");
    Method direct = find(protocol, "sparkEventToJsonString");
    if (direct != null) {
      toText = direct;
      json4s = null;
      compact = null;
      return;
    }
    toText = protocol.getMethod("sparkEventToJson", SparkListenerEvent.class);
    json4s = Class.forName("org.json4s.jackson.JsonMethods$").getField("MODULE$").get(null);
    compact = json4s.getClass().getMethod("compact", Class.forName("org.json4s.JsonAST$JValue"));
  }

  String text(SparkListenerEvent event) throws ReflectiveOperationException {
    try {
      Object value = toText.invoke(null, event);
      return json4s == null ? (String) value : (String) compact.invoke(json4s, value);
    } catch (InvocationTargetException e) {
      throw new ReflectiveOperationException(
          "Spark cannot write " + event.getClass().getName() + " as JSON: " + Log.reason(e.getCause()), e.getCause());
    }
  }

  private static Method find(Class<?> type, String name) {
    try {
      return type.getMethod(name, SparkListenerEvent.class);
    } catch (NoSuchMethodException e) {
      return null;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Set;
import org.apache.spark.Success$;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskGettingResult;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.TaskInfo;
import scala.Option;
import scala.collection.Iterator;

/**
 * Tells the events of tasks in which nobody can have written a secret: nearly all events of a job are these, and need
 * no search. A user writes the names of accumulators, their values that are no numbers, and why a task failed.
 */
final class PlainTasks {
  private static final int MAX_NAMES = 10_000;

  // Its result is another type in Spark 4.
  private final Method accumulables;
  private final Set<String> plainNames = new HashSet<>();

  PlainTasks() throws ReflectiveOperationException {
    accumulables = TaskInfo.class.getMethod("accumulables");
  }

  /** Call after the event's text was made: accumulators are only added to an event. */
  boolean has(SparkListenerEvent event) throws ReflectiveOperationException {
    if (event instanceof SparkListenerTaskEnd) {
      SparkListenerTaskEnd end = (SparkListenerTaskEnd) event;
      return end.reason() == Success$.MODULE$ && isPlain(end.taskInfo());
    }
    if (event instanceof SparkListenerTaskStart) {
      return isPlain(((SparkListenerTaskStart) event).taskInfo());
    }
    return event instanceof SparkListenerTaskGettingResult
        && isPlain(((SparkListenerTaskGettingResult) event).taskInfo());
  }

  private boolean isPlain(TaskInfo task) throws ReflectiveOperationException {
    if (task == null) {
      return false;
    }
    Iterator<?> all = ((scala.collection.Iterable<?>) accumulables.invoke(task)).iterator();
    while (all.hasNext()) {
      AccumulableInfo accumulable = (AccumulableInfo) all.next();
      if (!isNumber(accumulable.value()) || !isNumber(accumulable.update()) || !isPlainName(accumulable.name())) {
        return false;
      }
    }
    return true;
  }

  private static boolean isNumber(Option<Object> value) {
    return value.isEmpty() || value.get() instanceof Number;
  }

  private boolean isPlainName(Option<String> name) {
    if (name.isEmpty() || plainNames.contains(name.get())) {
      return true;
    }
    if (!TextRedaction.redactSetting(name.get(), "1").equals("1")
        || !TextRedaction.redact(name.get()).equals(name.get())) {
      return false;
    }
    if (plainNames.size() < MAX_NAMES) {
      plainNames.add(name.get());
    }
    return true;
  }
}

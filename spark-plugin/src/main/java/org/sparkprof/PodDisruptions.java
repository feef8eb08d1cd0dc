// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import scala.Function1;
import scala.Tuple2;
import scala.runtime.BoxedUnit;

/**
 * Why Kubernetes ended the pods of executors: preempted, evicted, lost with their node. Spark's own reason is that
 * somebody deleted the pod; the pod's condition DisruptionTarget (Kubernetes 1.26 and later) says more, for as long as
 * the pod is there. Spark watches its pods anyway. Its classes for them are not public, hence reflection.
 */
final class PodDisruptions {
  private static final String CONDITION = "DisruptionTarget";
  private static final String STORE = "ExecutorPodsSnapshotsStore";
  private static final long INTERVAL_MS = 500;

  /** Descriptions by executor. */
  private final Map<String, String> disruptions = new ConcurrentHashMap<>();

  /** Call when the scheduler runs. Does nothing unless executors are pods. */
  void watch(SparkContext context) {
    try {
      Object store = storeOf(context.schedulerBackend());
      if (store != null) {
        Function1<scala.collection.Iterable<?>, BoxedUnit> take = this::take;
        store.getClass().getMethod("addSubscriber", long.class, Function1.class).invoke(store, INTERVAL_MS, take);
      }
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      Log.debug("the reasons for which pods are deleted are not recorded", e);
    }
  }

  /** The event; that of an executor's removal tells what happened to its pod. */
  SparkListenerEvent explained(SparkListenerEvent event) {
    if (!(event instanceof SparkListenerExecutorRemoved)) {
      return event;
    }
    SparkListenerExecutorRemoved removed = (SparkListenerExecutorRemoved) event;
    String disruption = disruptions.get(removed.executorId());
    return disruption == null ? event
                              : new SparkListenerExecutorRemoved(removed.time(), removed.executorId(),
                                  removed.reason() + "\nThe pod's disruption: " + disruption);
  }

  void add(String executor, String reason, String message) {
    disruptions.put(executor, message == null || message.isEmpty() ? reason : reason + ", " + message);
  }

  private static Object storeOf(Object backend) throws ReflectiveOperationException {
    for (Class<?> type = backend.getClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.getType().getSimpleName().equals(STORE)) {
          field.setAccessible(true);
          return field.get(backend);
        }
      }
    }
    return null;
  }

  private BoxedUnit take(scala.collection.Iterable<?> snapshots) {
    try {
      // Each has all pods, and each change of a pod makes another one.
      Object last = null;
      for (scala.collection.Iterator<?> all = snapshots.iterator(); all.hasNext();) {
        last = all.next();
      }
      if (last == null) {
        return BoxedUnit.UNIT;
      }
      Object pods = call(last, "executorPods");
      for (scala.collection.Iterator<?> one = ((scala.collection.Iterable<?>) pods).iterator(); one.hasNext();) {
        Tuple2<?, ?> entry = (Tuple2<?, ?>) one.next();
        takePod(entry._1().toString(), entry._2());
      }
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      Log.debug("the state of a pod", e);
    }
    return BoxedUnit.UNIT;
  }

  private void takePod(String executor, Object state) throws ReflectiveOperationException {
    Object pod;
    try {
      pod = call(state, "pod");
    } catch (NoSuchMethodException e) {
      return; // a state without a pod
    }
    Object status = call(pod, "getStatus");
    if (status == null || disruptions.containsKey(executor)) {
      return;
    }
    for (Object condition : (List<?>) call(status, "getConditions")) {
      if (CONDITION.equals(call(condition, "getType"))) {
        add(executor, String.valueOf(call(condition, "getReason")), (String) call(condition, "getMessage"));
      }
    }
  }

  private static Object call(Object object, String method) throws ReflectiveOperationException {
    return object.getClass().getMethod(method).invoke(object);
  }
}

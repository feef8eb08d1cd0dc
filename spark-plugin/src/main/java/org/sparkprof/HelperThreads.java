// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.lang.reflect.Field;
import java.util.function.ToLongFunction;
import org.apache.spark.TaskContext;

/**
 * Threads that Spark starts beside a task's own: up to 3.5 one that runs the plan before a Python function and feeds
 * the worker ("stdout writer for python"), and those around the program of RDD.pipe. Nothing that a sampler sees says
 * whose they are, but they hold the task's context. Their names get the task, as the names of the tasks' own threads
 * have it: "stdout writer for python (TID 7)".
 */
final class HelperThreads {
  private static final String[] PREFIXES = {"stdout writer for ", "stdin writer for "};
  private static final String MARK = " (TID ";

  private final Class<?> contextType;
  private final ToLongFunction<Object> taskOfContext;
  private Thread[] threads = new Thread[256];

  HelperThreads() {
    this(TaskContext.class, context -> ((TaskContext) context).taskAttemptId());
  }

  /** With contexts of another kind: for tests. */
  HelperThreads(Class<?> contextType, ToLongFunction<Object> taskOfContext) {
    this.contextType = contextType;
    this.taskOfContext = taskOfContext;
  }

  /** Names the threads started since the last call; takes a few microseconds. */
  void name() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group.getParent() != null) {
      group = group.getParent();
    }
    int count = group.enumerate(threads);
    for (int i = 0; i < count; i++) {
      Thread thread = threads[i];
      threads[i] = null;
      if (isHelper(thread.getName())) {
        long task = taskOf(thread);
        if (task >= 0) {
          thread.setName(thread.getName() + MARK + task + ")");
        }
      }
    }
    if (count == threads.length) {
      threads = new Thread[count * 2];
    }
  }

  private static boolean isHelper(String name) {
    for (String prefix : PREFIXES) {
      if (name.startsWith(prefix)) {
        return !name.contains(MARK);
      }
    }
    return false;
  }

  /** The task whose context is in a field of the thread; -1 = none. */
  private long taskOf(Thread thread) {
    try {
      for (Class<?> type = thread.getClass(); type != Thread.class; type = type.getSuperclass()) {
        for (Field field : type.getDeclaredFields()) {
          if (contextType.isAssignableFrom(field.getType())) {
            field.setAccessible(true);
            Object context = field.get(thread);
            return context == null ? -1 : taskOfContext.applyAsLong(context);
          }
        }
      }
    } catch (ReflectiveOperationException | RuntimeException e) {
      Log.debug("helper thread", e);
    }
    return -1;
  }
}

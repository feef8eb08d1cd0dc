// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.spark.TaskContext;

/**
 * Turns the begin and end of tasks into records. Both are called on the task's own thread, cost microseconds and never
 * wait. At the end of a task its TaskContext is gone already, so the thread remembers what it runs.
 */
final class TaskRecorder {
  private static final String SQL_EXECUTION_ID = "spark.sql.execution.id";
  private static final long NO_TASK = -1;

  private static final class TaskThread {
    final int osThread = ProcFile.threadId();
    long taskId = NO_TASK;
  }

  private final ThreadLocal<TaskThread> threads = ThreadLocal.withInitial(TaskThread::new);
  private final TaskQueue queue;
  private final boolean namesThreads;

  /**
   * @param namesThreads gives threads the name of their task, "TID 7", for profilers of the host: they see threads of
   *     containers by other IDs. Java's own name of the thread stays.
   */
  TaskRecorder(TaskQueue queue, boolean namesThreads) {
    this.queue = queue;
    this.namesThreads = namesThreads;
  }

  void begin() {
    TaskContext context = TaskContext.get();
    if (context == null) {
      return;
    }
    TaskThread thread = threads.get();
    thread.taskId = context.taskAttemptId();
    queue.offer(TaskRecord.begin(System.nanoTime(), thread.taskId, thread.osThread, context.stageId(),
        context.stageAttemptNumber(), context.partitionId(), context.attemptNumber(),
        number(context.getLocalProperty(SQL_EXECUTION_ID))));
    if (namesThreads) {
      nameThread(thread.taskId);
    }
  }

  private static void nameThread(long taskId) {
    try (FileOutputStream name = new FileOutputStream("/proc/thread-self/comm")) {
      name.write(("TID " + taskId).getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      Log.debug("thread name", e);
    }
  }

  /** @param status TaskRecord.SUCCEEDED or TaskRecord.FAILED */
  void end(int status) {
    TaskThread thread = threads.get();
    if (thread.taskId == NO_TASK) {
      return;
    }
    queue.offer(TaskRecord.end(status, System.nanoTime(), thread.taskId, thread.osThread));
    thread.taskId = NO_TASK;
  }

  private static long number(String text) {
    if (text == null) {
      return -1;
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}

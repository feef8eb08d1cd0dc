// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;

/** Begin or end of one task on one thread: a TASK_BEGIN or TASK_END frame. */
final class TaskRecord implements Outbox.Frame {
  static final int BEGIN = 0;
  static final int SUCCEEDED = 1;
  static final int FAILED = 2;

  /** BEGIN, or the status with which the task ended. */
  final int what;
  final long timeNs;
  final long taskId;
  final int osThread;
  final int stage;
  final int stageAttempt;
  final int partition;
  final int attempt;
  /** SQL execution id, -1 = none. */
  final long sqlExecution;

  private TaskRecord(int what, long timeNs, long taskId, int osThread, int stage, int stageAttempt, int partition,
      int attempt, long sqlExecution) {
    this.what = what;
    this.timeNs = timeNs;
    this.taskId = taskId;
    this.osThread = osThread;
    this.stage = stage;
    this.stageAttempt = stageAttempt;
    this.partition = partition;
    this.attempt = attempt;
    this.sqlExecution = sqlExecution;
  }

  static TaskRecord begin(long timeNs, long taskId, int osThread, int stage, int stageAttempt, int partition,
      int attempt, long sqlExecution) {
    return new TaskRecord(BEGIN, timeNs, taskId, osThread, stage, stageAttempt, partition, attempt, sqlExecution);
  }

  @Override
  public void write(FrameWriter writer) throws IOException {
    writer.task(this);
  }

  static TaskRecord end(int status, long timeNs, long taskId, int osThread) {
    return new TaskRecord(status, timeNs, taskId, osThread, 0, 0, 0, 0, 0);
  }
}

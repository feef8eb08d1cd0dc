// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.spark.Success$;
import org.apache.spark.TaskEndReason;
import org.apache.spark.UnknownReason$;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskGettingResult;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.scheduler.TaskLocality;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.collection.JavaConverters;

final class PlainTasksTest {
  private static final String JSON = "{\"Event\":\"E\",\"Accumulables\":[{\"Name\":\"x --password hunter2\"}]}";

  private static TaskInfo task(String accumulable, Object value) {
    TaskInfo task = new TaskInfo(1, 2, 0, 3, "driver", "localhost", TaskLocality.ANY(), false);
    AccumulableInfo info = new AccumulableInfo(
        7, Option.apply(accumulable), Option.apply(value), Option.apply(value), false, true, Option.empty());
    task.setAccumulables(JavaConverters.asScalaBufferConverter(java.util.Arrays.asList(info)).asScala());
    return task;
  }

  private static SparkListenerEvent end(TaskEndReason reason, TaskInfo task) {
    return new SparkListenerTaskEnd(0, 0, "ResultTask", reason, task, null, null);
  }

  @Test
  void eventsOfTasksWithNumbersOnlyNeedNoSearch() throws Exception {
    PlainTasks plain = new PlainTasks();
    TaskInfo task = task("number of output rows", 12L);
    for (int round = 0; round < 2; round++) {
      assertTrue(plain.has(end(Success$.MODULE$, task)));
      assertTrue(plain.has(new SparkListenerTaskStart(0, 0, task)));
      assertTrue(plain.has(new SparkListenerTaskGettingResult(task)));
    }
    assertTrue(plain.has(end(Success$.MODULE$, task(null, null))));
    assertFalse(plain.has(new SparkListenerApplicationEnd(1)));
  }

  @Test
  void whatAUserMayHaveWrittenIsSearched() throws Exception {
    PlainTasks plain = new PlainTasks();
    assertFalse(plain.has(end(UnknownReason$.MODULE$, task("rows", 12L))));
    for (int round = 0; round < 2; round++) {
      assertFalse(plain.has(end(Success$.MODULE$, task("x --password hunter2", 12L))));
      assertFalse(plain.has(new SparkListenerTaskStart(0, 0, task("db.password", 12L))));
      assertFalse(plain.has(end(Success$.MODULE$, task("rows", "password=hunter2"))));
      assertFalse(plain.has(end(Success$.MODULE$, task("rows", java.util.Arrays.asList("password=hunter2")))));
    }
    assertFalse(plain.has(end(Success$.MODULE$, null)));
  }

  @Test
  void anApplicationsOwnPatternOfStringsIsLookedForInAllEvents() throws Exception {
    SparkListenerEvent event = end(Success$.MODULE$, task("rows", 12L));
    assertEquals(JSON, new EventRedaction(null, null).redact(event, JSON));
    assertFalse(new EventRedaction(null, "nothing").redact(event, JSON).contains("hunter2"));
  }
}

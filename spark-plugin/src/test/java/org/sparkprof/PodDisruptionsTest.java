// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.junit.jupiter.api.Test;

/** The events that the forwarder gets; tests/k8s has the pods. */
final class PodDisruptionsTest {
  private final PodDisruptions pods = new PodDisruptions();

  @Test
  void theRemovalOfAnExecutorTellsWhyItsPodWasDeleted() {
    pods.add("3", "PreemptionByScheduler", "for a higher priority");
    SparkListenerExecutorRemoved told =
        (SparkListenerExecutorRemoved) pods.explained(new SparkListenerExecutorRemoved(7, "3", "deleted by a user"));
    assertEquals(7, told.time());
    assertEquals("3", told.executorId());
    assertEquals(
        "deleted by a user\nThe pod's disruption: PreemptionByScheduler, for a higher priority", told.reason());
  }

  @Test
  void allElseStaysAsSparkTellsIt() {
    pods.add("3", "EvictionByEvictionAPI", "");
    SparkListenerEvent other = new SparkListenerExecutorRemoved(7, "4", "deleted by a user");
    assertSame(other, pods.explained(other));
    SparkListenerEvent end = new SparkListenerApplicationEnd(8);
    assertSame(end, pods.explained(end));
  }
}

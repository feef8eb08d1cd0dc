// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SamplingIntervalsTest {
  private static final long MS = 1_000_000;
  private static final long MIB = 1 << 20;

  private static Settings settings(String... pairs) {
    Map<String, String> conf = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      conf.put("spark.sparkprof." + pairs[i], pairs[i + 1]);
    }
    return Settings.resolve(conf::get, Collections.emptyMap(), Collections.emptyMap(), text -> {});
  }

  private static ByteBuffer frame(long... intervals) {
    ByteBuffer frame = ByteBuffer.allocate(32);
    for (long interval : intervals) {
      frame.putLong(interval);
    }
    frame.flip();
    return frame;
  }

  @Test
  void allocationsAndLocksBeginAboveTheirIntervals() {
    Settings first = SamplingIntervals.first(settings());
    assertEquals(10 * MS, first.cpuIntervalNs);
    assertEquals(100 * MS, first.wallIntervalNs);
    assertEquals(32 * MIB, first.allocIntervalBytes);
    assertEquals(20 * MS, first.lockThresholdNs);
  }

  @Test
  void anIntervalThatTheUserSetStays() {
    Settings configured = settings("alloc.interval", "2m", "cpu.interval", "10ms");
    assertEquals(2 * MIB, SamplingIntervals.first(configured).allocIntervalBytes);
    Settings next = SamplingIntervals.of(configured, frame(40 * MS, 200 * MS, 64 * MIB, 80 * MS));
    assertEquals(10 * MS, next.cpuIntervalNs);
    assertEquals(200 * MS, next.wallIntervalNs);
    assertEquals(2 * MIB, next.allocIntervalBytes);
    assertEquals(80 * MS, next.lockThresholdNs);
  }

  @Test
  void oneThatAServerSetsStaysToo() {
    Settings configured = settings().with(Collections.singletonMap("lock.threshold", "1000000"));
    assertEquals(MS, SamplingIntervals.of(configured, frame(0, 0, 0, 80 * MS)).lockThresholdNs);
  }

  @Test
  void noIntervalBecomesFinerThanConfigured() {
    Settings next = SamplingIntervals.of(settings(), frame(1, 0, 1024, 5 * MS));
    assertEquals(10 * MS, next.cpuIntervalNs);
    assertEquals(100 * MS, next.wallIntervalNs);
    assertEquals(2 * MIB, next.allocIntervalBytes);
  }

  @Test
  void theAgentGetsWhatIsInEffectAndWhatItMayChange() {
    Settings configured = settings("events", "cpu,alloc", "cpu.interval", "20ms");
    Map<String, String> values = new HashMap<>();
    SamplingIntervals.record(configured, SamplingIntervals.first(configured), values);
    assertEquals(String.valueOf(32 * MIB), values.get("setting.alloc.interval_bytes"));
    assertEquals(String.valueOf(2 * MIB), values.get("finest.alloc.interval_bytes"));
    assertEquals("0", values.get("finest.cpu.interval_ns"));
    assertEquals("0", values.get("finest.lock.threshold_ns"));
    assertEquals("cpu", values.get("setting.fixed_intervals"));
  }

  @Test
  void theEngineIsRestartedOnlyForAnotherInterval() {
    Settings configured = settings();
    Settings now = SamplingIntervals.first(configured);
    assertTrue(Engine.sameSampling(now, SamplingIntervals.of(configured, frame(10 * MS, 100 * MS, 32 * MIB, 20 * MS))));
    assertFalse(
        Engine.sameSampling(now, SamplingIntervals.of(configured, frame(10 * MS, 100 * MS, 48 * MIB, 20 * MS))));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * The sampling intervals in effect. They begin at the configured ones or above, and the agent, which counts what
 * samples cost, sets them from then on (docs/agent-protocol.md). An interval that the user has set stays as it is.
 */
final class SamplingIntervals {
  /** Settings with an interval, in the order of the frame INTERVALS, and their names in a recording. */
  private static final String[] KEYS = {"cpu.interval", "wall.interval", "alloc.interval", "lock.threshold"};
  private static final String[] NAMES = {
      "cpu.interval_ns", "wall.interval_ns", "alloc.interval_bytes", "lock.threshold_ns"};
  private static final String[] EVENTS = {Settings.CPU, Settings.WALL, Settings.ALLOC, Settings.LOCK};
  /**
   * Factor of the configured intervals, until the agent has seen the first samples: a job may allocate or wait for
   * locks without pause from its start.
   */
  private static final long[] FIRST_FACTORS = {1, 1, 16, 4};

  private SamplingIntervals() {}

  /** The settings to begin with. */
  static Settings first(Settings configured) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < KEYS.length; i++) {
      if (!configured.isChosen(KEYS[i])) {
        values.put(KEYS[i], String.valueOf(configured.interval(KEYS[i]) * FIRST_FACTORS[i]));
      }
    }
    return configured.with(values);
  }

  /** The settings with the intervals of a frame. */
  static Settings of(Settings configured, ByteBuffer frame) {
    Map<String, String> values = new HashMap<>();
    for (String key : KEYS) {
      long interval = frame.getLong();
      if (interval > 0 && !configured.isChosen(key)) {
        values.put(key, String.valueOf(Math.max(interval, configured.interval(key))));
      }
    }
    return configured.with(values);
  }

  /** For the agent: the intervals in effect, and the configured ones of those that it may change. */
  static void record(Settings configured, Settings now, Map<String, String> values) {
    StringBuilder fixed = new StringBuilder();
    for (int i = 0; i < KEYS.length; i++) {
      boolean sampled = now.hasEvent(EVENTS[i]);
      boolean chosen = configured.isChosen(KEYS[i]);
      values.put("setting." + NAMES[i], String.valueOf(now.interval(KEYS[i])));
      if (sampled && chosen) {
        fixed.append(fixed.length() == 0 ? "" : ",").append(EVENTS[i]);
      }
      values.put("finest." + NAMES[i], String.valueOf(sampled && !chosen ? configured.interval(KEYS[i]) : 0));
    }
    values.put("setting.fixed_intervals", fixed.toString());
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

/** The sampling engine's counters since the start: the counts of a DUMPED frame. */
final class EngineCounters {
  final long samples;
  final long skipped;
  final long overflows;

  EngineCounters(long samples, long skipped, long overflows) {
    this.samples = samples;
    this.skipped = skipped;
    this.overflows = overflows;
  }

  /** Reads async-profiler's answer to {@code metrics}: one "name number" a line. A counter that is missing is 0. */
  static EngineCounters parse(String metrics) {
    return new EngineCounters(value(metrics, "samples_total"), value(metrics, "samples_skipped_total"),
        value(metrics, "calltracestorage_overflows_total"));
  }

  private static long value(String metrics, String name) {
    for (String line : metrics.split("\n")) {
      if (line.startsWith(name + " ")) {
        try {
          return Long.parseLong(line.substring(name.length() + 1).trim());
        } catch (NumberFormatException e) {
          return 0;
        }
      }
    }
    return 0;
  }
}

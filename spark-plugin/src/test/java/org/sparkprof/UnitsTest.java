// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** {@link SettingValueTest} tests the meaning of texts with the same cases as C++. */
final class UnitsTest {
  @Test
  void writesTextsThatAreReadBack() {
    assertEquals("10ms", Units.durationText(10_000_000L));
    assertEquals("90s", Units.durationText(90_000_000_000L));
    assertEquals("2MiB", Units.bytesText(2L << 20));
    for (long value : new long[] {1, 1_500, 60_000_000_000L, 7L << 40}) {
      assertEquals(value, Units.durationNs(Units.durationText(value)));
      assertEquals(value, Units.bytes(Units.bytesText(value)));
    }
  }

  @Test
  void trimsOnlyBlanks() {
    assertEquals("\u0001a", Units.trim(" \t\u0001a\u000b\n"));
    assertEquals("", Units.trim(" \r\n"));
  }
}

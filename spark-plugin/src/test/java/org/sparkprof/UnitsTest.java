// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

final class UnitsTest {
  @Test
  void readsDurationsWithUnits() {
    assertEquals(10_000_000L, Units.durationNs("10ms"));
    assertEquals(500_000L, Units.durationNs(" 500 US "));
    assertEquals(60_000_000_000L, Units.durationNs("1m"));
    assertEquals(7L, Units.durationNs("7ns"));
  }

  @Test
  void refusesDurationsThatMeanDifferentThingsToDifferentTools() {
    for (String text : new String[] {"10", "", "0ms", "-1s", "1.5s", "10 parsecs", "999999999999h"}) {
      assertThrows(IllegalArgumentException.class, () -> Units.durationNs(text), text);
    }
  }

  @Test
  void readsBytesInPowersOf1024() {
    assertEquals(524_288L, Units.bytes("512k"));
    assertEquals(1L << 30, Units.bytes("1GiB"));
    assertEquals(4096L, Units.bytes("4096"));
    assertThrows(IllegalArgumentException.class, () -> Units.bytes("1 sack"));
  }
}

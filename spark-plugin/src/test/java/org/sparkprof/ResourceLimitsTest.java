// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResourceLimitsTest {
  private static final List<String> LIMITS =
      Arrays.asList("Limit                     Soft Limit           Hard Limit           Units     ",
          "Max file size             2048000              unlimited            bytes     ",
          "Max open files            unlimited            524288               files     ",
          "Max open files limit      7                    7                    files     ");

  @Test
  void readsTheSoftLimit() {
    assertEquals(2_048_000, ResourceLimits.softLimit(ResourceLimits.FILE_SIZE, LIMITS));
  }

  @Test
  void unlimitedAndUnknownAreNoLimit() {
    assertEquals(Long.MAX_VALUE, ResourceLimits.softLimit(ResourceLimits.OPEN_FILES, LIMITS));
    assertEquals(Long.MAX_VALUE, ResourceLimits.softLimit("Max stack size", LIMITS));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class RetryDelayTest {
  private final ServerUploader.RetryDelay delay = new ServerUploader.RetryDelay(new Random(1));

  @Test
  void growsToABound() {
    long[] most = {1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000};
    for (long bound : most) {
      long ms = delay.afterFailure(0);
      assertTrue(ms >= bound / 2 && ms <= bound, ms + " of " + bound);
    }
    for (int i = 0; i < 100; i++) {
      assertTrue(delay.afterFailure(0) <= 60_000);
    }
    delay.reset();
    assertTrue(delay.afterFailure(0) <= 1_000);
  }

  @Test
  void isNeverShorterThanAsked() {
    for (int i = 0; i < 100; i++) {
      long ms = delay.afterFailure(5_000);
      assertTrue(ms >= 5_000 && ms <= 6_000, String.valueOf(ms));
    }
  }
}

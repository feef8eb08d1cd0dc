// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.util.Random;

/** How long to wait before the next attempt: growing, bounded, and different for each JVM. */
final class RetryDelay {
  private static final long FIRST_MS = 1_000;
  private static final long LARGEST_MS = 60_000;

  private final Random random;
  private int failures;

  RetryDelay(Random random) {
    this.random = random;
  }

  void reset() {
    failures = 0;
  }

  /** @param askedMs what the server asked for; 0 = nothing: then it doubles with each call */
  long afterFailure(long askedMs) {
    long exponential = Math.min(LARGEST_MS, FIRST_MS << Math.min(failures, 16));
    failures++;
    // Never earlier than asked, and not all at once.
    return askedMs > 0 ? askedMs + (long) (askedMs * 0.2 * random.nextDouble())
                       : exponential / 2 + (long) (exponential * random.nextDouble() / 2);
  }
}

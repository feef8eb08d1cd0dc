// SPDX-License-Identifier: Apache-2.0

import java.util.Random;

/**
 * Burns one core: three quarters of it in {@code large}, one quarter in {@code small}. Says "ready" when it is warm.
 * Its rounds differ in length: rounds of one length could keep step with a sampler's interval.
 */
public class Burn {
  static volatile double sink;

  static void large(int steps) {
    work(3 * steps);
  }

  static void small(int steps) {
    work(steps);
  }

  static void work(int steps) {
    double sum = 0;
    for (int i = 1; i <= steps; i++) {
      sum += Math.sqrt(i) / i;
    }
    sink = sum;
  }

  static void round(Random random) {
    int steps = 500_000 + random.nextInt(1_000_000);
    large(steps);
    small(steps);
  }

  public static void main(String[] arguments) {
    Random random = new Random(1);
    for (int i = 0; i < 20; i++) {
      round(random);
    }
    System.out.println("ready");
    while (true) {
      round(random);
    }
  }
}

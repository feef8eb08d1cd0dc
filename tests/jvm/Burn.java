// SPDX-License-Identifier: Apache-2.0

/** Burns one core: three quarters of it in {@code large}, one quarter in {@code small}. Says "ready" when it is warm. */
public class Burn {
  static volatile double sink;

  static void large() {
    work(3_000_000);
  }

  static void small() {
    work(1_000_000);
  }

  static void work(int steps) {
    double sum = 0;
    for (int i = 1; i <= steps; i++) {
      sum += Math.sqrt(i) / i;
    }
    sink = sum;
  }

  public static void main(String[] arguments) {
    for (int i = 0; i < 20; i++) {
      large();
      small();
    }
    System.out.println("ready");
    while (true) {
      large();
      small();
    }
  }
}

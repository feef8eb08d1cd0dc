// SPDX-License-Identifier: Apache-2.0

/** Allocates three quarters of its bytes in {@code large} and one quarter in {@code small}. Says "ready" when warm. */
public class Allocate {
  static volatile byte[] sink;

  static void large() {
    sink = new byte[30_000];
  }

  static void small() {
    sink = new byte[10_000];
  }

  public static void main(String[] arguments) throws Exception {
    for (int i = 0; i < 20_000; i++) {
      large();
      small();
    }
    System.out.println("ready");
    while (true) {
      for (int i = 0; i < 1_000; i++) {
        large();
        small();
      }
      Thread.sleep(1);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;

/**
 * Allocates three quarters of its native memory in {@code large}, one quarter in {@code small}. Says "ready" when
 * warm.
 */
public class AllocateNative {
  static volatile ByteBuffer sink;

  static void large() {
    sink = ByteBuffer.allocateDirect(300_000);
  }

  static void small() {
    sink = ByteBuffer.allocateDirect(100_000);
  }

  public static void main(String[] arguments) throws Exception {
    large();
    small();
    System.out.println("ready");
    while (true) {
      large();
      small();
      Thread.sleep(1);
    }
  }
}

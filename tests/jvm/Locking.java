// SPDX-License-Identifier: Apache-2.0

/** One thread holds a lock most of the time, another one waits for it in {@code waiting}. Says "ready" at once. */
public class Locking {
  static final Object lock = new Object();

  static void waiting() {
    synchronized (lock) {
      Thread.onSpinWait();
    }
  }

  static void holding() throws InterruptedException {
    synchronized (lock) {
      Thread.sleep(40);
    }
    Thread.sleep(1);
  }

  public static void main(String[] arguments) throws Exception {
    Thread waiter = new Thread(() -> {
      while (true) {
        waiting();
      }
    });
    waiter.setDaemon(true);
    waiter.start();
    System.out.println("ready");
    while (true) {
      holding();
    }
  }
}

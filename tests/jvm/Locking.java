// SPDX-License-Identifier: Apache-2.0

/** One thread holds a lock most of the time, another one waits for it in {@code waiting}. Says "ready" at once. */
public class Locking {
  static final Object lock = new Object();

  static void waiting() {
    synchronized (lock) {
      Thread.onSpinWait();
    }
  }

  static void holding() {
    synchronized (lock) {
      pause(40);
    }
    pause(3);
  }

  static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  public static void main(String[] arguments) {
    // It rests between: on a busy machine it would else lose its core while it has the lock, and the other one would
    // wait.
    Thread waiter = new Thread(() -> {
      while (true) {
        waiting();
        pause(1);
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

// SPDX-License-Identifier: Apache-2.0
// A second of each kind of work that a profiler can see: processor time, allocation, a contended lock, waiting.
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

public class Work {
  static volatile long sink;
  static volatile Object kept;
  static final Object monitor = new Object();
  static final ReentrantLock lock = new ReentrantLock();

  static void burn(long until) {
    long x = 1;
    while (System.nanoTime() < until) {
      for (int i = 0; i < 10_000; i++) x = x * 6364136223846793005L + 1442695040888963407L;
    }
    sink = x;
  }

  static void allocate(long until) {
    List<byte[]> list = new ArrayList<>();
    while (System.nanoTime() < until) {
      list.add(new byte[2000]);
      if (list.size() > 1000) {
        kept = list;
        list = new ArrayList<>();
      }
    }
  }

  static void contend(long until) throws InterruptedException {
    while (System.nanoTime() < until) {
      synchronized (monitor) {
        Thread.sleep(3);
      }
      lock.lock();
      try {
        Thread.sleep(3);
      } finally {
        lock.unlock();
      }
    }
  }

  interface Step {
    void run(long until) throws InterruptedException;
  }

  public static void main(String[] arguments) throws Exception {
    long until = System.nanoTime() + 1_000_000_000L;
    Step[] steps = {Work::burn, Work::allocate, Work::contend, Work::contend};
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < steps.length; i++) {
      Step step = steps[i];
      Thread thread = new Thread(() -> {
        try {
          step.run(until);
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }, "work-" + i);
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) thread.join();
    System.gc();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class HelperThreadsTest {
  private static final class Context { final long task = 7; }

  /** Has the name and shape of Spark's BasePythonRunner.WriterThread. */
  private static final class Writer extends Thread {
    private final Context context = new Context();
    private final CountDownLatch end;

    Writer(String name, CountDownLatch end) {
      super(name);
      this.end = end;
    }

    @Override
    public void run() {
      try {
        end.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(String.valueOf(context), e);
      }
    }
  }

  @Test
  void namesAWriterAfterTheTaskWhoseContextItHoldsOnce() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    Thread writer = new Writer("stdout writer for python3", end);
    Thread other = new Writer("another", end);
    Thread stranger = new Thread(() -> await(end), "stdout writer for somebody");
    for (Thread thread : new Thread[] {writer, other, stranger}) {
      thread.start();
    }
    HelperThreads helpers = new HelperThreads(Context.class, context -> ((Context) context).task);
    helpers.name();
    helpers.name();
    end.countDown();
    assertEquals("stdout writer for python3 (TID 7)", writer.getName());
    assertEquals("another", other.getName());
    assertEquals("stdout writer for somebody", stranger.getName());
    for (Thread thread : new Thread[] {writer, other, stranger}) {
      thread.join();
    }
  }

  private static void await(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

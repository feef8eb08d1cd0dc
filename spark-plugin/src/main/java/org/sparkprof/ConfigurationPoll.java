// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Asks for the group's configuration from time to time, on a thread of its own: the driver its server, executors their
 * driver.
 */
final class ConfigurationPoll {
  /** Returns null when nothing is known now; what was known then stays in effect. */
  interface Question {
    CentralConfiguration ask() throws Exception;
  }

  private static final long FIRST_MS = 300;

  private final Question question;
  private final long intervalMs;
  private final Consumer<CentralConfiguration> changed;
  private final Random random = new Random();
  private final CountDownLatch end = new CountDownLatch(1);
  private CentralConfiguration known = CentralConfiguration.NONE;
  private boolean answered;

  /**
   * @param intervalMs the longest time between two questions; it varies, so that many JVMs do not ask at once, and is
   *     shorter until the first answer
   * @param changed called on the thread of this poll
   */
  ConfigurationPoll(Question question, long intervalMs, Consumer<CentralConfiguration> changed) {
    this.question = question;
    this.intervalMs = intervalMs;
    this.changed = changed;
  }

  void start() {
    Thread thread = new Thread(this::run, "sparkprof-configuration");
    thread.setDaemon(true);
    thread.start();
  }

  void stop() {
    end.countDown();
  }

  private void run() {
    try {
      long longestMs = FIRST_MS;
      for (long waitMs = FIRST_MS; !end.await(waitMs, TimeUnit.MILLISECONDS);) {
        askOnce();
        longestMs = answered ? intervalMs : Math.min(intervalMs, longestMs * 2);
        waitMs = longestMs - (long) (longestMs * 0.2 * random.nextDouble());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void askOnce() {
    try {
      CentralConfiguration now = question.ask();
      answered = answered || now != null;
      if (now != null && !now.sets(known)) {
        known = now;
        changed.accept(now);
      }
    } catch (Exception | LinkageError e) {
      // A server that is away is reported by the upload.
      Log.debug("configuration", e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Takes a class histogram of this JVM at an interval. Each stops the JVM for a time that grows with the number of
 * objects in its heap. While it would take longer than {@code heapSummary.maxPause}, judged by the last one, summaries
 * are skipped and counted.
 */
final class HeapSummaries {
  /** Early, so that most jobs have one, but not in the first seconds, which are busy. */
  static final long FIRST_NS = 5_000_000_000L;
  /** How long a summary that is due waits for a garbage collection to make the heap small enough. */
  static final long PATIENCE_NS = 30_000_000_000L;
  /** Speed for a heap of small objects, see docs/what-sparkprof-records.md: for the first summary. */
  static final double USUAL_PAUSE_NS_PER_BYTE = 0.6;
  /**
   * A heap that has grown may have larger objects instead of more: up to this multiple of the longest pause is risked.
   */
  private static final long MOST_GROWTH = 4;
  private static final long CHECK_INTERVAL_MS = 1_000;
  /** A last summary this soon after another one shows nothing new. */
  private static final long SHORTEST_GAP_NS = 5_000_000_000L;
  /** The end of a JVM must not wait for longer. */
  private static final long LONGEST_LAST_PAUSE_NS = 200_000_000L;

  private final Outbox outbox;
  /** Settings in effect; null = no summaries. */
  private final Supplier<Settings> settings;
  private final CountDownLatch stop = new CountDownLatch(1);
  /** System.nanoTime() of the last summary, or of the decision to skip one. */
  private long lastNs;
  private boolean any;
  private boolean skipping;
  private boolean failed;
  private double pauseNsPerByte = USUAL_PAUSE_NS_PER_BYTE;
  private long lastPauseNs = Long.MAX_VALUE;

  HeapSummaries(Outbox outbox, Supplier<Settings> settings, long startNs) {
    this.outbox = outbox;
    this.settings = settings;
    this.lastNs = startNs;
  }

  void start() {
    Thread thread = new Thread(this::run, "sparkprof-heap");
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try {
      while (!stop.await(CHECK_INTERVAL_MS, TimeUnit.MILLISECONDS)) {
        check(System.nanoTime());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      fail(Log.reason(e));
    }
  }

  /** Takes a summary or skips it, if one is due. */
  synchronized void check(long nowNs) {
    Settings now = settings.get();
    if (now == null || failed || stop.getCount() == 0) {
      return;
    }
    long dueNs = lastNs + (any ? now.heapSummaryIntervalNs : Math.min(FIRST_NS, now.heapSummaryIntervalNs));
    if (nowNs - dueNs < 0) {
      return;
    }
    if (isShort(now.heapSummaryMaxPauseNs)) {
      take();
      lastNs = nowNs;
    } else if (nowNs - dueNs >= PATIENCE_NS) {
      skip(now.heapSummaryMaxPauseNs);
      lastNs = nowNs;
    }
  }

  /** Ends the summaries, with a last one if it is cheap. */
  synchronized void finish() {
    stop.countDown();
    Settings now = settings.get();
    if (now != null && !failed && System.nanoTime() - lastNs >= SHORTEST_GAP_NS
        && isShort(Math.min(now.heapSummaryMaxPauseNs, LONGEST_LAST_PAUSE_NS))) {
      take();
    }
  }

  private boolean isShort(long maxPauseNs) {
    long expectedNs = expectedPauseNs();
    return Math.min(expectedNs, lastPauseNs) <= maxPauseNs && expectedNs / MOST_GROWTH <= maxPauseNs;
  }

  private long expectedPauseNs() {
    return (long) (pauseNsPerByte * usedBytes());
  }

  private static long usedBytes() {
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private void take() {
    try {
      long usedBytes = usedBytes();
      ClassHistogram histogram = ClassHistogram.take();
      pauseNsPerByte = (double) histogram.pauseNs / Math.max(1, usedBytes);
      lastPauseNs = histogram.pauseNs;
      any = true;
      skipping = false;
      outbox.add(writer -> writer.heapSummary(histogram));
    } catch (IOException e) {
      fail(e.getMessage());
    }
  }

  private void skip(long maxPauseNs) {
    long pauseNs = expectedPauseNs();
    any = true;
    // A longer pause than usual was that of a busy machine, which may be less busy the next time.
    pauseNsPerByte = Math.min(pauseNsPerByte, USUAL_PAUSE_NS_PER_BYTE);
    outbox.lost("heap_summaries", "longer pause than heapSummary.maxPause", 1);
    if (!skipping) {
      skipping = true;
      outbox.add(writer
          -> writer.notice(0,
              String.format(Locale.ROOT,
                  "Heap summaries skipped: each would stop this JVM for about %.1f s, longer than heapSummary.maxPause (%s)",
                  pauseNs / 1e9, Units.durationText(maxPauseNs))));
    }
  }

  private void fail(String why) {
    failed = true;
    Log.warn("no heap summaries: " + why);
    outbox.add(writer -> writer.notice(1, "No heap summaries: " + why));
  }
}

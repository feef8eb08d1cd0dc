// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * The sampling of a session's JVM: the engine, the settings in effect and their changes, and the gaps. The session's thread
 * starts, pauses and changes it; {@link #dump}, {@link #finish} and {@link #stop} may come from another thread.
 */
final class Sampling {
  private static final long LATE_START_NS = 10_000_000_000L;
  private static final long DRAIN_TIMEOUT_MS = 1_000;
  private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneOffset.UTC);

  private final Outbox outbox;
  private final int processId;
  private final NativeFiles files;
  /** Whether this JVM is sampled with these settings. */
  private final Predicate<Settings> sampled;
  /** The session's. */
  private final AtomicBoolean stopping;
  private final AtomicBoolean failed;
  private final Engine engine = new Engine();
  /** In effect. */
  private volatile Settings settings;
  /** System.nanoTime() up to which samples are in the recording; the session's thread only. */
  private long sampledUntilNs;
  private boolean everSampled;
  /** The engine runs, or would if the agent responded. */
  private boolean sampling;

  Sampling(Outbox outbox, int processId, NativeFiles files, Settings settings, Predicate<Settings> sampled,
      AtomicBoolean stopping, AtomicBoolean failed) {
    this.outbox = outbox;
    this.processId = processId;
    this.files = files;
    this.settings = settings;
    this.sampled = sampled;
    this.stopping = stopping;
    this.failed = failed;
  }

  Settings settings() {
    return settings;
  }

  /** The engine runs, or would if the agent responded. */
  boolean isOn() {
    return sampling;
  }

  /** The time from which samples are due. */
  void begin() {
    sampledUntilNs = System.nanoTime();
  }

  /** Samples into the file of an agent, if this JVM is to be sampled. */
  void start(String jfrFile) {
    sampling = false;
    if (sampled.test(settings)) {
      startEngine(jfrFile);
    } else {
      Log.info("recording Spark's events (this JVM is not sampled)");
    }
  }

  private void startEngine(String jfrFile) {
    synchronized (engine) {
      if (stopping.get() || failed.get()) {
        return;
      }
      try {
        String started = engine.start(files, settings, jfrFile);
        Log.info("profiling started (" + started + "), process " + processId);
        long nowNs = System.nanoTime();
        if (everSampled) {
          recordGap(nowNs - sampledUntilNs, "the agent exited and was restarted");
        } else if (nowNs - sampledUntilNs >= LATE_START_NS) {
          recordGap(nowNs - sampledUntilNs, "the agent got no CPU time at startup");
        }
        everSampled = true;
        sampling = true;
        sampledUntilNs = nowNs;
      } catch (Exception | LinkageError e) {
        engineFailed("not sampling: " + Log.reason(e));
        Log.debug("engine", e);
      }
    }
  }

  /** The agent has recorded more. */
  void recorded() {
    sampledUntilNs = Math.max(sampledUntilNs, outbox.recordedDumpNs());
  }

  /** Pauses until {@link #resume}. */
  void pause(String why) {
    synchronized (engine) {
      try {
        Log.warn(why + ": sampling is paused until it responds");
        engine.pause();
        sampledUntilNs = System.nanoTime();
      } catch (RuntimeException e) {
        engineFailed("sampling stopped: " + Log.reason(e));
      }
    }
  }

  /** Resumes and records the gap. */
  void resume(String jfrFile) {
    synchronized (engine) {
      if (stopping.get() || failed.get()) {
        return;
      }
      try {
        engine.resume(settings, jfrFile);
        Log.info("the agent responds again: sampling resumes");
        if (everSampled) {
          recordGap(System.nanoTime() - sampledUntilNs, "the agent got no CPU time or was stopped");
        }
      } catch (IOException | RuntimeException e) {
        engineFailed("sampling stopped: " + Log.reason(e));
      }
    }
  }

  /** Of the samples of Python workers; "0" when there are none. */
  String pythonIntervalNs() {
    return String.valueOf(sampled.test(settings) && settings.pythonEnabled ? settings.pythonIntervalNs : 0);
  }

  /** All samples up to the change go to the agent before the settings that the later ones have. */
  void change(Settings next, String what, String jfrFile) {
    long stoppedNs = System.nanoTime();
    boolean samples = sampled.test(next);
    boolean restart = samples && sampling && !Engine.sameSampling(settings, next);
    synchronized (engine) {
      if (stopping.get() || failed.get()) {
        return;
      }
      try {
        if (sampling && (restart || !samples)) {
          engine.pause();
          outbox.dumped(System.nanoTime(), engine.counters());
          sampling = false;
        }
        settings = next;
        Map<String, String> values = recordedSettings();
        values.put("python_interval_ns", pythonIntervalNs());
        outbox.settings(values);
        if (restart) {
          engine.resume(settings, jfrFile);
          sampling = true;
        }
      } catch (IOException | RuntimeException e) {
        engineFailed("sampling stopped: " + Log.reason(e));
        return;
      }
    }
    if (samples && !sampling) {
      // The time in which it was switched off is no gap.
      sampledUntilNs = System.nanoTime();
      startEngine(jfrFile);
    }
    long gapNs = System.nanoTime() - stoppedNs;
    String gap = "";
    if (restart) {
      sampledUntilNs = System.nanoTime();
      outbox.lost("profiling_ms", "restart of the sampler with another configuration",
          Math.max(1, TimeUnit.NANOSECONDS.toMillis(gapNs)));
      gap = String.format(Locale.ROOT, "; not sampled for %.1f ms", gapNs / 1e6);
    }
    String text = what + gap;
    Log.info(text);
    try {
      // The last samples before the change, and its settings, go in front of the notice.
      outbox.drain(DRAIN_TIMEOUT_MS);
    } catch (IOException e) {
      Log.debug("write", e);
    }
    outbox.add(writer -> writer.notice(0, text));
  }

  private void recordGap(long gapNs, String reason) {
    Instant now = Instant.now();
    outbox.lost("profiling_ms", reason, Math.max(1, TimeUnit.NANOSECONDS.toMillis(gapNs)));
    outbox.add(writer -> writer.notice(1, String.format(Locale.ROOT, "Not sampled for %.1f s (%s to %s UTC): %s",
        gapNs / 1e9, CLOCK.format(now.minusNanos(gapNs)), CLOCK.format(now), reason)));
  }

  /** One dump; the writer sends its DUMPED frame. */
  void dump() {
    synchronized (engine) {
      if (failed.get()) {
        return;
      }
      try {
        long timeNs = System.nanoTime();
        if (engine.dump()) {
          outbox.dumped(timeNs, engine.counters());
        }
      } catch (IOException | RuntimeException e) {
        engineFailed("sampling stopped: " + Log.reason(e));
      }
    }
  }

  private void engineFailed(String why) {
    sampling = false;
    Log.warn(why + "; the job continues without samples of process " + processId);
    outbox.add(writer -> writer.notice(1, why));
    stop();
  }

  /** Without the last samples. */
  void stop() {
    try {
      engine.stop();
    } catch (RuntimeException e) {
      Log.debug("engine stop", e);
    }
  }

  /** The last samples, and the end of sampling. */
  void finish() throws IOException {
    synchronized (engine) {
      long timeNs = System.nanoTime();
      EngineCounters counters = engine.counters();
      stop();
      if (everSampled) {
        outbox.dumped(timeNs, counters);
      }
      outbox.drain(DRAIN_TIMEOUT_MS);
    }
  }

  /** Null while this JVM has no heap summaries. */
  Settings heapSummarySettings() {
    Settings now = settings;
    return now.heapSummaryEnabled && sampled.test(now) && !failed.get() ? now : null;
  }

  /** The settings that the recording has, those of the samples. */
  Map<String, String> recordedSettings() {
    Map<String, String> values = new HashMap<>();
    values.put("setting.events", sampled.test(settings) ? String.join(",", settings.events) : "");
    values.put("setting.cpu.interval_ns", String.valueOf(settings.cpuIntervalNs));
    values.put("setting.wall.interval_ns", String.valueOf(settings.wallIntervalNs));
    values.put("setting.alloc.interval_bytes", String.valueOf(settings.allocIntervalBytes));
    values.put("setting.lock.threshold_ns", String.valueOf(settings.lockThresholdNs));
    values.put("setting.heap_summary.interval_ns",
        String.valueOf(sampled.test(settings) && settings.heapSummaryEnabled ? settings.heapSummaryIntervalNs : 0));
    // Tells a reader which executors must be in the recording.
    values.put("setting.executor.fraction", settings.executorShare());
    return values;
  }
}

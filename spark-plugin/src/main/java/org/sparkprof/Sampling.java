// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * The sampling of a session's JVM: the engine, the settings in effect and their changes, and the gaps. The session's
 * thread starts, pauses and changes it; {@link #dump}, {@link #finish} and {@link #stop} may come from another thread.
 */
final class Sampling {
  /**
   * Samples per second and core, and of the JVM, beyond which the agent sees them at once: several times what the
   * budget permits.
   */
  private static final double MANY_SAMPLES_PER_CORE = 250;
  private static final double MANY_SAMPLES = 500;
  /** After a look that finds fewer, as a share of those two, each third one is enough: a look takes a millisecond. */
  private static final double FEW_SAMPLES = 0.25;
  private static final int LOOKS_TO_SKIP = 3;
  private static final double USUAL_CPU_INTERVAL_NS = 1e7;
  private static final double USUAL_WALL_INTERVAL_NS = 1e8;
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
  /** Events that this JVM cannot sample, such as allocations in Java 8 without debug symbols. */
  private final Set<String> unsupported = new HashSet<>();
  /** Settings of the user and the server. */
  private volatile Settings configured;
  /** In effect: with other intervals, see {@link SamplingIntervals}. */
  private volatile Settings settings;
  /** System.nanoTime() up to which samples are in the recording; the session's thread only. */
  private long sampledUntilNs;
  private boolean everSampled;
  /** Taken up to the last dump. */
  private long dumpedSamples;
  /** Until the samples are counted again. */
  private int looksToSkip;
  /** The engine runs, or would if the agent responded. */
  private boolean sampling;

  Sampling(Outbox outbox, int processId, NativeFiles files, Settings settings, Predicate<Settings> sampled,
      AtomicBoolean stopping, AtomicBoolean failed) {
    this.outbox = outbox;
    this.processId = processId;
    this.files = files;
    this.configured = settings;
    this.settings = SamplingIntervals.first(settings);
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
      dumpedSamples = 0;
      if (stopping.get() || failed.get()) {
        return;
      }
      try {
        String started = startSupported(jfrFile);
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

  /** Starts the engine with the events that this JVM supports, and reports the others. */
  private String startSupported(String jfrFile) throws IOException {
    try {
      return engine.start(files, settings, jfrFile);
    } catch (IllegalArgumentException | IllegalStateException e) {
      Map<String, String> reasons = engine.unsupportedEvents(files, settings);
      if (reasons.isEmpty() || reasons.size() == settings.events.size()) {
        throw e;
      }
      unsupported.addAll(reasons.keySet());
      configured = configured.without(unsupported);
      settings = settings.without(unsupported);
      sendSettings();
      reasons.forEach((event, reason) -> {
        String text = "not sampling " + event + ": " + reason;
        Log.warn(text);
        outbox.add(writer -> writer.notice(1, text));
      });
      return engine.start(files, settings, jfrFile);
    }
  }

  private void sendSettings() {
    Map<String, String> values = recordedSettings();
    values.put("python_interval_ns", pythonIntervalNs());
    outbox.settings(values);
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

  /** Interval of the samples of Python workers; "0" when there are none. */
  String pythonIntervalNs() {
    return String.valueOf(sampled.test(settings) && settings.pythonEnabled ? settings.pythonIntervalNs : 0);
  }

  /** Brings other settings into effect and notes it in the recording. */
  void change(Settings next, String what, String jfrFile) {
    configured = next.without(unsupported);
    String gap =
        restart(SamplingIntervals.first(configured), "restart of the sampler with another configuration", jfrFile);
    if (gap == null) {
      return;
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

  /** Samples with other intervals, those of a frame from the agent. */
  void adapt(ByteBuffer intervals, String jfrFile) {
    Settings next = SamplingIntervals.of(configured, intervals);
    if (sampling && !Engine.sameSampling(settings, next)) {
      restart(next, "restart of the sampler with other intervals", jfrFile);
    }
  }

  /**
   * All samples up to the change go to the agent before the settings that the later ones have.
   *
   * @return how long the JVM was not sampled, for a message; null if nothing was changed
   */
  private String restart(Settings next, String reason, String jfrFile) {
    long stoppedNs = System.nanoTime();
    boolean samples = sampled.test(next);
    boolean restart = samples && sampling && !Engine.sameSampling(settings, next);
    synchronized (engine) {
      if (stopping.get() || failed.get()) {
        return null;
      }
      try {
        if (sampling && (restart || !samples)) {
          engine.pause();
          EngineCounters counters = engine.counters();
          dumpedSamples = counters.samples;
          outbox.dumped(System.nanoTime(), counters);
          sampling = false;
        }
        settings = next;
        sendSettings();
        if (restart) {
          engine.resume(settings, jfrFile);
          sampling = true;
        }
      } catch (IOException | RuntimeException e) {
        engineFailed("sampling stopped: " + Log.reason(e));
        return null;
      }
    }
    if (samples && !sampling) {
      // The time in which it was switched off is no gap.
      sampledUntilNs = System.nanoTime();
      startEngine(jfrFile);
    }
    if (!restart) {
      return "";
    }
    long gapNs = System.nanoTime() - stoppedNs;
    sampledUntilNs = System.nanoTime();
    outbox.lost("profiling_ms", reason, Math.max(1, TimeUnit.NANOSECONDS.toMillis(gapNs)));
    return String.format(Locale.ROOT, "; not sampled for %.1f ms", gapNs / 1e6);
  }

  private void recordGap(long gapNs, String reason) {
    Instant now = Instant.now();
    outbox.lost("profiling_ms", reason, Math.max(1, TimeUnit.NANOSECONDS.toMillis(gapNs)));
    outbox.add(writer
        -> writer.notice(1,
            String.format(Locale.ROOT, "Not sampled for %.1f s (%s to %s UTC): %s", gapNs / 1e9,
                CLOCK.format(now.minusNanos(gapNs)), CLOCK.format(now), reason)));
  }

  /**
   * Whether so many samples came since the last dump that it is time for the next one: the job has begun to allocate,
   * or to wait for locks, without pause.
   */
  boolean takesMany() {
    synchronized (engine) {
      if (!sampling || --looksToSkip > 0) {
        return false;
      }
      try {
        double most = MANY_SAMPLES + MANY_SAMPLES_PER_CORE * Runtime.getRuntime().availableProcessors();
        // With finer intervals than by default, more are expected.
        double finer =
            Math.max(USUAL_CPU_INTERVAL_NS / settings.cpuIntervalNs, USUAL_WALL_INTERVAL_NS / settings.wallIntervalNs);
        double share = (engine.counters().samples - dumpedSamples) / (most * Math.max(1, finer));
        looksToSkip = share < FEW_SAMPLES ? LOOKS_TO_SKIP : 0;
        return share > 1;
      } catch (IOException | RuntimeException e) {
        Log.debug("metrics", e);
        return false;
      }
    }
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
          EngineCounters counters = engine.counters();
          dumpedSamples = counters.samples;
          outbox.dumped(timeNs, counters);
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
    List<String> events = new ArrayList<>(settings.events);
    if (settings.pythonAllocIntervalBytes > 0) {
      events.add(Settings.PYTHON_ALLOC);
    }
    values.put("setting.events", sampled.test(settings) ? String.join(",", events) : "");
    SamplingIntervals.record(configured, settings, values);
    if (settings.hasEvent(Settings.NATIVE_MEMORY)) {
      values.put("setting.nativemem.interval_bytes", String.valueOf(settings.interval("nativemem.interval")));
      values.put("setting.nativemem.live", String.valueOf(settings.nativeMemoryLive));
    }
    if (settings.hasEvent(Settings.NATIVE_LOCK)) {
      values.put("setting.nativelock.threshold_ns", String.valueOf(settings.interval("nativelock.threshold")));
    }
    values.put("setting.heap_summary.interval_ns",
        String.valueOf(sampled.test(settings) && settings.heapSummaryEnabled ? settings.heapSummaryIntervalNs : 0));
    values.put("setting.samples.budget_billionths", String.valueOf(settings.interval("samples.budget")));
    // Tells a reader which executors must be in the recording.
    values.put("setting.executor.fraction", settings.executorShare());
    return values;
  }
}

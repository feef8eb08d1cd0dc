// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import one.profiler.AsyncProfiler;

/**
 * The sampling engine (async-profiler) of this JVM. There is one in a process; it may be started and stopped again for
 * each Spark application. All methods may block and must not be called on Spark's threads without a bound.
 */
final class Engine {
  /** async-profiler's mask: exclude JVM arguments and system properties, which may contain secrets. */
  private static final String JFR_OPTIONS = "3";
  private static final String[] OTHER_PROFILERS = {"asyncprofiler", "javaprofiler"};
  private static final String NO_FILE = "/dev/null";
  private static final String LIBRARY_PREFIX = "libsparkprof-engine-";

  /**
   * Only perf_events see the kernel. They take time at each context switch, and a descriptor for each thread: below
   * this limit, descriptors are left to the job. JVMs raise their limit as far as they may.
   */
  private static final long ENOUGH_DESCRIPTORS = 4096;

  private static AsyncProfiler loaded;

  private AsyncProfiler running;
  private boolean paused;

  /**
   * Loads the library when this is the first use in the JVM.
   *
   * @throws IOException another profiler is in this JVM, or no directory permits loading
   */
  private static synchronized AsyncProfiler load(NativeFiles files) throws IOException {
    if (loaded == null) {
      String other =
          otherProfiler(new String(Files.readAllBytes(Paths.get("/proc/self/maps")), StandardCharsets.UTF_8));
      if (other != null) {
        throw new IOException(
            "another profiler is loaded in this JVM (" + other + "), and two profilers disturb each other");
      }
      loaded = files.use(NativeFiles.platform() + "/libasyncProfiler.so", LIBRARY_PREFIX, ".so",
          file -> AsyncProfiler.getInstance(file.toString()));
    }
    return loaded;
  }

  /** File name of a mapped library that belongs to another sampling profiler, or null. */
  static String otherProfiler(String maps) {
    for (String line : maps.split("\n")) {
      int slash = line.indexOf('/');
      if (slash < 0) {
        continue;
      }
      String path = line.substring(slash);
      String name = path.substring(path.lastIndexOf('/') + 1);
      String lower = name.toLowerCase(Locale.ROOT);
      if (!lower.contains(".so")) {
        continue;
      }
      if (name.startsWith(LIBRARY_PREFIX)) {
        return name;
      }
      for (String other : OTHER_PROFILERS) {
        if (lower.contains(other)) {
          return name;
        }
      }
    }
    return null;
  }

  /** Starts sampling into the file. Returns a description for the log. */
  synchronized String start(NativeFiles files, Settings settings, String jfrFile) throws IOException {
    if (paused) {
      resume(settings, jfrFile);
      return describe(settings);
    }
    AsyncProfiler profiler = load(files);
    profiler.execute(startCommand(settings, jfrFile));
    running = profiler;
    return describe(settings);
  }

  /**
   * The events that this JVM cannot sample, with the engine's reason; for use after a start that failed. Starts the
   * engine with each event alone.
   */
  synchronized Map<String, String> unsupportedEvents(NativeFiles files, Settings settings) throws IOException {
    AsyncProfiler profiler = load(files);
    Map<String, String> reasons = new LinkedHashMap<>();
    for (String event : settings.events) {
      List<String> others = new ArrayList<>(settings.events);
      others.remove(event);
      try {
        profiler.execute(startCommand(settings.without(others), NO_FILE));
        profiler.stop();
      } catch (IllegalArgumentException | IllegalStateException e) {
        reasons.put(event, Log.reason(e));
      }
    }
    return reasons;
  }

  /** Whether both settings start the engine in the same way. */
  static boolean sameSampling(Settings left, Settings right) {
    return startCommand(left, "").equals(startCommand(right, ""));
  }

  static String startCommand(Settings settings, String jfrFile) {
    return command("start", settings, jfrFile);
  }

  private static String command(String action, Settings settings, String jfrFile) {
    StringBuilder command = new StringBuilder(action).append(",jfr");
    if (settings.hasEvent(Settings.CPU)) {
      boolean perfEvents =
          settings.cpuKernel && ResourceLimits.softLimit(ResourceLimits.OPEN_FILES) >= ENOUGH_DESCRIPTORS;
      command.append(perfEvents ? ",event=cpu" : ",event=ctimer").append(",interval=").append(settings.cpuIntervalNs);
    }
    if (settings.hasEvent(Settings.WALL)) {
      command.append(",wall=").append(settings.wallIntervalNs);
    }
    if (settings.hasEvent(Settings.ALLOC)) {
      command.append(",alloc=").append(settings.allocIntervalBytes);
    }
    if (settings.hasEvent(Settings.LOCK)) {
      command.append(",lock=").append(settings.lockThresholdNs);
    }
    if (settings.hasEvent(Settings.NATIVE_MEMORY)) {
      // Every release is an event, of sampled memory or not.
      command.append(",nativemem=").append(settings.interval("nativemem.interval"));
      command.append(settings.nativeMemoryLive ? "" : ",nofree");
    }
    if (settings.hasEvent(Settings.NATIVE_LOCK)) {
      command.append(",nativelock=").append(settings.interval("nativelock.threshold"));
    }
    // The engine's own log would go to standard output, which is the job's alone.
    command.append(",clock=monotonic,jstackdepth=")
        .append(settings.stackDepth)
        .append(",memlimit=")
        .append(settings.memoryLimitBytes)
        .append(",jfropts=")
        .append(JFR_OPTIONS)
        .append(",loglevel=none,log=/dev/null,file=")
        .append(jfrFile);
    return command.toString();
  }

  /** Stops sampling until {@link #resume}; writes all samples so far as complete chunks. */
  synchronized void pause() {
    if (running != null && !paused) {
      running.stop();
      paused = true;
    }
  }

  /** Goes on after {@link #pause}, at the end of the same file. */
  synchronized void resume(Settings settings, String jfrFile) throws IOException {
    if (running != null && paused) {
      running.execute(command("resume", settings, jfrFile));
      paused = false;
    }
  }

  /** Writes all samples so far as complete chunks of the file. */
  synchronized boolean dump() throws IOException {
    if (running == null || paused) {
      return false;
    }
    running.execute("dump,jfr,loglevel=none,log=/dev/null");
    return true;
  }

  synchronized EngineCounters counters() throws IOException {
    return running == null ? new EngineCounters(0, 0, 0) : EngineCounters.parse(running.execute("metrics"));
  }

  /** Stops sampling and finishes the file. Does nothing when it does not run. */
  synchronized void stop() {
    if (running == null) {
      return;
    }
    AsyncProfiler profiler = running;
    boolean samples = !paused;
    running = null;
    paused = false;
    if (samples) {
      profiler.stop();
    }
  }

  private static String describe(Settings settings) {
    StringBuilder text = new StringBuilder();
    for (String event : settings.events) {
      text.append(text.length() == 0 ? "" : ", ").append(event);
      if (event.equals(Settings.CPU) && settings.cpuKernel) {
        text.append(hasPerfEvents() ? " with kernel frames" : " without kernel frames: no perf_events");
      }
    }
    return text.toString();
  }

  private static boolean hasPerfEvents() {
    File[] descriptors = new File("/proc/self/fd").listFiles();
    if (descriptors == null) {
      return false;
    }
    for (File descriptor : descriptors) {
      try {
        Path target = Files.readSymbolicLink(descriptor.toPath());
        if (target.toString().contains("[perf_event]")) {
          return true;
        }
      } catch (IOException e) {
        // A descriptor that was closed since it was listed.
      }
    }
    return false;
  }
}

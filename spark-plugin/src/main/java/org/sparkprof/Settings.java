// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The user's settings, resolved. The first of these that has a key counts: Spark's configuration
 * ({@code spark.sparkprof.KEY}), the environment ({@code SPARKPROF_KEY}), what the driver sent, the CodeGuru plugin's
 * PROFILING_CONTEXT, the default. Keys, defaults and allowed values are those of {@link SettingsTable}. A value that is
 * refused is named once and its default is used.
 */
final class Settings {
  static final String CPU = "cpu";
  static final String WALL = "wall";
  static final String ALLOC = "alloc";
  static final String LOCK = "lock";
  static final String NATIVE_MEMORY = "nativemem";
  static final String NATIVE_LOCK = "nativelock";
  static final String PYTHON_ALLOC = "pyalloc";
  private static final String NO_EVENT = "none";

  static final String TOKEN = "server.token";
  static final String ENVIRONMENT_PREFIX = "SPARKPROF_";

  private static final String CONF_PREFIX = "spark.sparkprof.";
  private static final String[] CONF_ENVIRONMENT = {"spark.yarn.appMasterEnv.", "spark.executorEnv."};
  private static final double BILLION = 1e9;

  enum Transport { AUTO, DIRECT, HADOOP, DRIVER }

  final boolean enabled;
  final boolean driverEnabled;
  /** A tab in Spark's UI. */
  final boolean ui;
  /** Empty = not set. */
  final String uiTokenFile;
  final boolean executorEnabled;
  /** Share of the executors to profile, 0 to 1. */
  final double executorFraction;
  /** Where recordings go: a URI or a local path; null = not set. */
  final String dir;
  /** URL of the server that receives recordings, without a slash at the end; null = not set. */
  final String server;
  /** Empty = not set. */
  final String serverToken;
  final String serverTokenFile;
  /** False: tasks and Spark's events are recorded without samples. */
  final boolean samples;
  /** Events of the JVM; at least one. */
  final List<String> events;
  final long cpuIntervalNs;
  final boolean cpuKernel;
  final long wallIntervalNs;
  final long allocIntervalBytes;
  final long lockThresholdNs;
  /** Frames of a stack, at most. */
  final long stackDepth;
  final long memoryLimitBytes;
  final long bucketNs;
  final long dumpIntervalNs;
  final long uploadIntervalNs;
  final Transport transport;
  final long maxSpoolBytes;
  final String nodeDir;
  final String label;
  /** The job's version; empty = not set. */
  final String version;
  final String agentPath;
  final boolean pythonEnabled;
  final long pythonIntervalNs;
  final boolean nativeMemoryLive;
  final boolean pythonNative;
  /** 0 = allocations of Python are not sampled. */
  final long pythonAllocIntervalBytes;
  final boolean pythonAllocSmall;
  final boolean heapSummaryEnabled;
  final long heapSummaryIntervalNs;
  final long heapSummaryMaxPauseNs;
  /** Whether the results of queries are fingerprinted. */
  final boolean fingerprintsResults;
  /** Users who may read recordings besides their owner. */
  final PrivateFiles.Sharing sharing;

  private final Map<String, String> passedOn;
  /** Keys that the user, or a server, has set. */
  private final Set<String> chosen;
  /** By key, as {@link Setting#read} returns them; empty = not set. */
  private final Map<String, String> values;

  private Settings(Map<String, String> values, Map<String, String> passedOn, Set<String> chosen) {
    this.values = values;
    this.passedOn = passedOn;
    this.chosen = chosen;
    enabled = flag("enabled");
    driverEnabled = flag("driver.enabled");
    ui = flag("ui");
    uiTokenFile = values.get("ui.tokenFile");
    executorEnabled = flag("executor.enabled");
    executorFraction = number("executor.fraction") / BILLION;
    dir = values.get("dir").isEmpty() ? null : values.get("dir");
    server = values.get("server").isEmpty() ? null : values.get("server");
    serverToken = values.get(TOKEN);
    serverTokenFile = values.get("server.tokenFile");
    List<String> ofJvm = new ArrayList<>(Arrays.asList(values.get("events").split(",")));
    samples = !ofJvm.equals(Collections.singletonList(NO_EVENT));
    ofJvm.remove(NO_EVENT);
    boolean hasPythonAlloc = ofJvm.remove(PYTHON_ALLOC);
    events = ofJvm.isEmpty() ? Collections.singletonList(CPU) : ofJvm;
    cpuIntervalNs = number("cpu.interval");
    cpuKernel = flag("cpu.kernel");
    wallIntervalNs = number("wall.interval");
    allocIntervalBytes = number("alloc.interval");
    lockThresholdNs = number("lock.threshold");
    stackDepth = number("stackDepth");
    memoryLimitBytes = number("memoryLimit");
    bucketNs = number("bucket");
    dumpIntervalNs = number("dumpInterval");
    uploadIntervalNs = number("uploadInterval");
    transport = Transport.valueOf(values.get("transport").toUpperCase(Locale.ROOT));
    maxSpoolBytes = number("maxSpool");
    nodeDir = values.get("nodeDir");
    label = values.get("label");
    version = values.get("version");
    agentPath = values.get("agentPath").isEmpty() ? null : values.get("agentPath");
    pythonEnabled = flag("python.enabled");
    pythonIntervalNs = number("python.interval");
    nativeMemoryLive = flag("nativemem.live");
    pythonNative = flag("python.native");
    pythonAllocIntervalBytes = pythonEnabled && hasPythonAlloc ? number("python.alloc.interval") : 0;
    pythonAllocSmall = flag("python.alloc.small");
    heapSummaryEnabled = flag("heapSummary.enabled");
    heapSummaryIntervalNs = number("heapSummary.interval");
    heapSummaryMaxPauseNs = number("heapSummary.maxPause");
    fingerprintsResults = values.get("results").equals("full");
    sharing = PrivateFiles.Sharing.valueOf(values.get("share").toUpperCase(Locale.ROOT));
  }

  /**
   * @param conf value of a Spark configuration key, null when not set
   * @param environment the process's environment
   * @param fromDriver what {@link #forExecutors} gave on the driver; empty on the driver
   * @param warn takes one line for each value that cannot be used
   */
  static Settings resolve(Function<String, String> conf, Map<String, String> environment,
      Map<String, String> fromDriver, Consumer<String> warn) {
    Map<String, String> values = new HashMap<>();
    Map<String, String> passedOn = new HashMap<>();
    Function<String, String> variables = name -> variable(name, environment, conf);
    Map<String, String> context = ProfilingContext.read(variables, warn);
    for (Setting setting : SettingsTable.SETTINGS.values()) {
      String key = setting.key;
      String text = firstSet(
          conf.apply(CONF_PREFIX + key), variables.apply(environmentName(key)), fromDriver.get(key), context.get(key));
      if (text != null) {
        passedOn.put(key, text);
      }
      values.put(key, value(setting, text, warn));
    }
    return new Settings(values, passedOn, passedOn.keySet());
  }

  /** These settings with other values, as {@link Setting#read} returns them. */
  Settings with(Map<String, String> others) {
    Map<String, String> merged = new HashMap<>(values);
    merged.putAll(others);
    Set<String> keys = new HashSet<>(chosen);
    keys.addAll(others.keySet());
    return new Settings(merged, passedOn, keys);
  }

  /** These settings without events that cannot be sampled; unchanged if no other event is left. */
  Settings without(Collection<String> unsupported) {
    List<String> left = new ArrayList<>(events);
    left.removeAll(unsupported);
    boolean changes = !left.isEmpty() && left.size() < events.size();
    if (pythonAllocIntervalBytes > 0) {
      left.add(PYTHON_ALLOC);
    }
    return changes ? with(Collections.singletonMap("events", String.join(",", left))) : this;
  }

  /** Reports each unknown key of Spark's configuration with the prefix of settings. */
  static void checkKeys(Iterable<String> confKeys, Consumer<String> warn) {
    for (String confKey : confKeys) {
      if (!confKey.startsWith(CONF_PREFIX)) {
        continue;
      }
      String key = confKey.substring(CONF_PREFIX.length());
      if (!SettingsTable.SETTINGS.containsKey(key)) {
        String nearest = SettingsTable.nearestKey(key);
        warn.accept(
            confKey + " is not a setting" + (nearest == null ? "" : "; did you mean " + CONF_PREFIX + nearest + "?"));
      }
    }
  }

  /** The environment variable of a key: cpu.interval → SPARKPROF_CPU_INTERVAL, maxSpool → SPARKPROF_MAX_SPOOL. */
  static String environmentName(String key) {
    StringBuilder name = new StringBuilder(ENVIRONMENT_PREFIX);
    for (char c : key.toCharArray()) {
      if (c == '.') {
        name.append('_');
      } else if (Character.isUpperCase(c)) {
        name.append('_').append(c);
      } else {
        name.append(Character.toUpperCase(c));
      }
    }
    return name.toString();
  }

  /** Whether the key has a value that somebody chose, which the sampling budget leaves as it is. */
  boolean isChosen(String key) {
    return chosen.contains(key);
  }

  /** Value of the key of an interval. */
  long interval(String key) {
    return number(key);
  }

  boolean hasEvent(String event) {
    return events.contains(event);
  }

  /**
   * "sampling cpu every 10ms, wall every 100ms, …": what these settings make the plugin do, word for word as
   * {@code sparkprof run} prints it (src/settings/sampling_text.cc).
   */
  String samplingText() {
    if (!enabled || !(driverEnabled || executorEnabled)) {
      return "profiling is disabled";
    }
    if (!samples) {
      return "recording tasks without samples";
    }
    StringBuilder text = new StringBuilder("sampling ");
    for (String event : events) {
      boolean lock = event.equals(LOCK) || event.equals(NATIVE_LOCK);
      long interval = number(event + (lock ? ".threshold" : ".interval"));
      boolean memory = event.equals(ALLOC) || event.equals(NATIVE_MEMORY);
      text.append(event)
          .append(" every ")
          .append(memory ? Units.bytesText(interval) : Units.durationText(interval))
          .append(", ");
    }
    if (executorEnabled && pythonEnabled) {
      text.append("Python every ").append(Units.durationText(pythonIntervalNs));
      if (pythonAllocIntervalBytes > 0) {
        text.append(", ").append(PYTHON_ALLOC).append(" every ").append(Units.bytesText(pythonAllocIntervalBytes));
      }
    } else {
      text.setLength(text.length() - 2);
    }
    text.append(driverEnabled ? "" : "; not the driver").append(executorEnabled ? "" : "; not the executors");
    long share = number("executor.fraction");
    if (executorEnabled && share < BILLION) {
      text.append("; ")
          .append(share / 10_000_000)
          .append('.')
          .append(share / 1_000_000 % 10)
          .append("% of the executors");
    }
    return text.toString();
  }

  /**
   * The settings of this driver, for executors that do not share its environment. Holds no null values, and no secret:
   * Spark makes it a part of its configuration.
   */
  Map<String, String> forExecutors() {
    Map<String, String> settings = new HashMap<>(passedOn);
    settings.remove(TOKEN);
    return settings;
  }

  /** The share of the executors to profile: "1" for all, "0" for none, otherwise a decimal fraction. */
  String executorShare() {
    if (!enabled || !executorEnabled || executorFraction <= 0) {
      return "0";
    }
    return executorFraction >= 1
        ? "1"
        : BigDecimal.valueOf(number("executor.fraction"), 9).stripTrailingZeros().toPlainString();
  }

  /** Whether this executor belongs to the profiled share. The same executor of an application always gets the same. */
  boolean chosen(String applicationId, String executorId) {
    if (executorFraction >= 1) {
      return true;
    }
    long hash = 0xcbf29ce484222325L;
    for (char c : (applicationId + "/" + executorId).toCharArray()) {
      hash = (hash ^ c) * 0x100000001b3L;
    }
    hash ^= hash >>> 33;
    hash *= 0xff51afd7ed558ccdL;
    hash ^= hash >>> 33;
    return (hash >>> 11) * 0x1.0p-53 < executorFraction;
  }

  private static String variable(String name, Map<String, String> environment, Function<String, String> conf) {
    return firstSet(
        environment.get(name), conf.apply(CONF_ENVIRONMENT[0] + name), conf.apply(CONF_ENVIRONMENT[1] + name));
  }

  private static String firstSet(String... candidates) {
    for (String candidate : candidates) {
      if (candidate != null && !Units.trim(candidate).isEmpty()) {
        return candidate;
      }
    }
    return null;
  }

  private static String value(Setting setting, String text, Consumer<String> warn) {
    if (text != null) {
      try {
        return setting.read(text);
      } catch (IllegalArgumentException e) {
        warn.accept(CONF_PREFIX + setting.key + ": \"" + setting.shown(text) + "\" " + e.getMessage() + "; using "
            + (setting.standard.isEmpty() ? "none" : setting.standard));
      }
    }
    return setting.standard.isEmpty() ? "" : setting.read(setting.standard);
  }

  private boolean flag(String key) {
    return values.get(key).equals("true");
  }

  private long number(String key) {
    return Long.parseLong(values.get(key));
  }
}

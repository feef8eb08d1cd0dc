// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What the user set, resolved. The first of these that has a key counts: Spark's configuration
 * ({@code spark.sparkprof.KEY}), the environment ({@code SPARKPROF_KEY}), what the driver sent, the CodeGuru plugin's
 * PROFILING_CONTEXT, the default. A value that cannot be read is said once and its default is taken. docs/settings.md
 * lists all keys.
 */
final class Settings {
  static final String CPU = "cpu";
  static final String WALL = "wall";
  static final String ALLOC = "alloc";
  static final String LOCK = "lock";

  private static final String CONF_PREFIX = "spark.sparkprof.";
  private static final String ENVIRONMENT_PREFIX = "SPARKPROF_";
  private static final String[] CONF_ENVIRONMENT = {"spark.yarn.appMasterEnv.", "spark.executorEnv."};
  /** What an executor takes over when the driver knows it from its environment or context only. */
  private static final String[] PASSED_ON = {"enabled", "events", "cpu.interval", "wall.interval", "alloc.interval",
      "lock.threshold", "bucket", "dumpInterval", "uploadInterval", "executor.enabled", "executor.fraction", "transport",
      "maxSpool", "nodeDir", "label", "agentPath", "python.enabled", "python.interval", "share"};

  enum Transport { AUTO, DIRECT, HADOOP, DRIVER }

  final boolean enabled;
  final boolean driverEnabled;
  final boolean executorEnabled;
  /** Share of the executors to profile, 0 to 1. */
  final double executorFraction;
  /** Where recordings go: a URI or a local path; null = not set. */
  final String dir;
  final List<String> events;
  final long cpuIntervalNs;
  final long wallIntervalNs;
  final long allocIntervalBytes;
  final long lockThresholdNs;
  final long bucketNs;
  final long dumpIntervalNs;
  final long uploadIntervalNs;
  final Transport transport;
  final long maxSpoolBytes;
  final String nodeDir;
  final String label;
  final String agentPath;
  final boolean pythonEnabled;
  final long pythonIntervalNs;
  /** Who may read recordings besides their owner. */
  final PrivateFiles.Sharing sharing;

  private final Map<String, String> passedOn = new HashMap<>();
  private final Function<String, String> values;
  private final Consumer<String> warn;

  /**
   * @param conf value of a Spark configuration key, null when not set
   * @param environment the process's environment
   * @param fromDriver what {@link #forExecutors} gave on the driver; empty on the driver
   * @param warn takes one line for each value that cannot be used
   */
  Settings(Function<String, String> conf, Map<String, String> environment, Map<String, String> fromDriver,
      Consumer<String> warn) {
    this.warn = warn;
    Function<String, String> variables = name -> variable(name, environment, conf);
    Map<String, String> context = ProfilingContext.read(variables, warn);
    values = key -> firstSet(conf.apply(CONF_PREFIX + key), variables.apply(environmentName(key)), fromDriver.get(key),
        context.get(key));

    enabled = flag("enabled", true);
    driverEnabled = flag("driver.enabled", true);
    executorEnabled = flag("executor.enabled", true);
    executorFraction = fraction("executor.fraction", 1.0);
    dir = values.apply("dir");
    events = events();
    cpuIntervalNs = duration("cpu.interval", "10ms");
    wallIntervalNs = duration("wall.interval", "100ms");
    allocIntervalBytes = bytes("alloc.interval", "2m");
    lockThresholdNs = duration("lock.threshold", "5ms");
    bucketNs = duration("bucket", "1s");
    dumpIntervalNs = duration("dumpInterval", "5s");
    uploadIntervalNs = duration("uploadInterval", "10s");
    transport = word("transport", Transport.AUTO, "auto, direct, hadoop or driver");
    maxSpoolBytes = bytes("maxSpool", "1g");
    nodeDir = text("nodeDir");
    label = text("label");
    agentPath = values.apply("agentPath");
    pythonEnabled = flag("python.enabled", true);
    pythonIntervalNs = duration("python.interval", "10ms");
    sharing = word("share", PrivateFiles.Sharing.PRIVATE, "private, group or all");
    for (String key : PASSED_ON) {
      String value = values.apply(key);
      if (value != null) {
        passedOn.put(key, value);
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

  boolean hasEvent(String event) {
    return events.contains(event);
  }

  /** What is set on this driver, for executors that do not share its environment. Holds no null values. */
  Map<String, String> forExecutors() {
    return new HashMap<>(passedOn);
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
    String value = environment.get(name);
    for (int i = 0; value == null && i < CONF_ENVIRONMENT.length; i++) {
      value = conf.apply(CONF_ENVIRONMENT[i] + name);
    }
    return value;
  }

  private static String firstSet(String... candidates) {
    for (String candidate : candidates) {
      if (candidate != null && !candidate.trim().isEmpty()) {
        return candidate.trim();
      }
    }
    return null;
  }

  private String text(String key) {
    String value = values.apply(key);
    return value == null ? "" : value;
  }

  private boolean flag(String key, boolean standard) {
    String value = values.apply(key);
    if (value == null || value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false")) {
      return value == null ? standard : value.equalsIgnoreCase("true");
    }
    refused(key, value, "expected true or false", String.valueOf(standard));
    return standard;
  }

  private double fraction(String key, double standard) {
    String value = values.apply(key);
    if (value == null) {
      return standard;
    }
    try {
      double number = Double.parseDouble(value);
      if (number >= 0 && number <= 1) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    refused(key, value, "expected a number from 0 to 1", String.valueOf(standard));
    return standard;
  }

  private long duration(String key, String standard) {
    return quantity(key, standard, Units::durationNs);
  }

  private long bytes(String key, String standard) {
    return quantity(key, standard, Units::bytes);
  }

  private long quantity(String key, String standard, Function<String, Long> reader) {
    String value = values.apply(key);
    if (value != null) {
      try {
        return reader.apply(value);
      } catch (IllegalArgumentException e) {
        refused(key, value, Log.reason(e), standard);
      }
    }
    return reader.apply(standard);
  }

  private List<String> events() {
    List<String> known = new ArrayList<>();
    Collections.addAll(known, CPU, WALL, ALLOC, LOCK);
    String value = values.apply("events");
    if (value == null) {
      return known;
    }
    List<String> wanted = new ArrayList<>();
    for (String name : value.toLowerCase(Locale.ROOT).split(",")) {
      String event = name.trim();
      if (known.contains(event) && !wanted.contains(event)) {
        wanted.add(event);
      } else if (!event.isEmpty() && !known.contains(event)) {
        refused("events", event, "expected some of cpu,wall,alloc,lock", "the others");
      }
    }
    return wanted;
  }

  private <T extends Enum<T>> T word(String key, T standard, String expected) {
    String value = values.apply(key);
    if (value != null) {
      try {
        return Enum.valueOf(standard.getDeclaringClass(), value.toUpperCase(Locale.ROOT));
      } catch (IllegalArgumentException e) {
        refused(key, value, "expected " + expected, standard.name().toLowerCase(Locale.ROOT));
      }
    }
    return standard;
  }

  private void refused(String key, String value, String expected, String standard) {
    warn.accept(CONF_PREFIX + key + "=" + value + ": " + expected + "; using " + standard);
  }
}

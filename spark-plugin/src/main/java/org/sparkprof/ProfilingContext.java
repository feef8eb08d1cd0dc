// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The settings of a job that was set up for the CodeGuru Profiler plugin: ENABLE_AMAZON_PROFILER and, in JSON,
 * PROFILING_CONTEXT. Translated into sparkprof's own keys, so that such a job needs only another class and jar.
 */
final class ProfilingContext {
  static final String SWITCH = "ENABLE_AMAZON_PROFILER";
  static final String CONTEXT = "PROFILING_CONTEXT";

  private ProfilingContext() {}

  /**
   * sparkprof's keys (without prefix) that the context sets. Empty when the switch is not there; only "enabled=false"
   * when it is there and not true. Keys it does not know are ignored; JSON that cannot be read is said once, and counts
   * as an empty context.
   *
   * @param variables value of an environment variable by its name, null when not set
   */
  static Map<String, String> read(Function<String, String> variables, Consumer<String> warn) {
    Map<String, String> settings = new HashMap<>();
    String enable = variables.apply(SWITCH);
    if (enable == null) {
      return settings;
    }
    if (!"true".equalsIgnoreCase(enable.trim())) {
      settings.put("enabled", "false");
      return settings;
    }
    String json = variables.apply(CONTEXT);
    if (json == null || json.trim().isEmpty()) {
      return settings;
    }
    JsonNode context;
    try {
      context = new ObjectMapper().readTree(json);
    } catch (JsonProcessingException e) {
      warn.accept(CONTEXT + " is not JSON (" + e.getOriginalMessage() + "); ignored. Use "
          + "{\"profilingGroupName\":\"name\",\"driverEnabled\":\"true\"}; check the escaping of quotes");
      return settings;
    }
    if (!context.isObject()) {
      warn.accept(CONTEXT + " is not a JSON object; ignored. Use {\"profilingGroupName\":\"name\"}");
      return settings;
    }
    copy(context, "profilingGroupName", settings, "label");
    // Off by default, as in that plugin.
    settings.put("driver.enabled", "false");
    copy(context, "driverEnabled", settings, "driver.enabled");
    copy(context, "executorEnabled", settings, "executor.enabled");
    copy(context, "probability", settings, "executor.fraction");
    copy(context, "heapSummaryEnabled", settings, "heapSummary.enabled");
    return settings;
  }

  /** Whether it is a number that can be written in digits alone, as settings are. */
  private static boolean isFinite(JsonNode value) {
    return value.isNumber() && !Double.isInfinite(value.asDouble());
  }

  /** Values may be JSON strings ("true") or plain (true): both are in use. */
  private static void copy(JsonNode context, String field, Map<String, String> settings, String key) {
    JsonNode value = context.get(field);
    if (value != null && value.isValueNode() && !value.isNull()) {
      settings.put(key, isFinite(value) ? value.decimalValue().toPlainString() : value.asText());
    }
  }
}

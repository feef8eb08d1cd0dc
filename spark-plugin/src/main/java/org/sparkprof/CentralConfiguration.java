// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A group's configuration on the server: texts of settings by key, and their version. Empty = as configured locally.
 */
final class CentralConfiguration {
  static final CentralConfiguration NONE = new CentralConfiguration("", 0, Collections.emptyMap());

  private static final String GROUP = "group";
  private static final String VERSION = "version";
  private static final String SETTING = "set.";
  private static final int MAX_SETTINGS = 100;
  private static final int MAX_TEXT = 1_000;

  private final String group;
  private final long version;
  private final Map<String, String> texts;

  private CentralConfiguration(String group, long version, Map<String, String> texts) {
    this.group = group;
    this.version = version;
    this.texts = texts;
  }

  /** Null if the answer is not a configuration. */
  static CentralConfiguration read(String group, JsonNode answer) {
    JsonNode configuration = answer == null ? null : answer.get("configuration");
    if (configuration == null || !configuration.isObject() || configuration.size() > MAX_SETTINGS) {
      return null;
    }
    Map<String, String> texts = new TreeMap<>();
    for (Iterator<Map.Entry<String, JsonNode>> fields = configuration.fields(); fields.hasNext();) {
      Map.Entry<String, JsonNode> field = fields.next();
      String text = field.getValue().isValueNode() ? field.getValue().asText() : field.getValue().toString();
      if (field.getKey().length() > MAX_TEXT || text.length() > MAX_TEXT) {
        return null;
      }
      texts.put(field.getKey(), text);
    }
    return new CentralConfiguration(group, answer.path(VERSION).asLong(), texts);
  }

  /** The configuration in entries of the driver's answer to its executors. */
  Map<String, String> encode() {
    Map<String, String> state = new HashMap<>();
    state.put(GROUP, group);
    state.put(VERSION, String.valueOf(version));
    texts.forEach((key, text) -> state.put(SETTING + key, text));
    return state;
  }

  /** The inverse of {@link #encode}; ignores other entries. */
  static CentralConfiguration decode(Map<String, String> state) {
    Map<String, String> texts = new TreeMap<>();
    state.forEach((key, text) -> {
      if (key.startsWith(SETTING)) {
        texts.put(key.substring(SETTING.length()), text);
      }
    });
    String version = state.getOrDefault(VERSION, "");
    return new CentralConfiguration(
        state.getOrDefault(GROUP, ""), version.matches("[0-9]{1,18}") ? Long.parseLong(version) : 0, texts);
  }

  /** Whether the other one has the same effect. */
  boolean sets(CentralConfiguration other) {
    return texts.equals(other.texts);
  }

  /**
   * The settings, by key, as {@link Setting#read} returns them.
   *
   * @param warn takes one line for all that cannot be used
   */
  Map<String, String> values(Consumer<String> warn) {
    Map<String, String> values = new HashMap<>();
    List<String> wrong = new ArrayList<>();
    texts.forEach((key, text) -> {
      Setting setting = SettingsTable.SETTINGS.get(key);
      if (setting == null || !setting.central) {
        wrong.add(key + " is not a setting that a server may set");
        return;
      }
      try {
        values.put(key, setting.read(text));
      } catch (IllegalArgumentException e) {
        wrong.add(key + ": \"" + setting.shown(text) + "\" " + e.getMessage());
      }
    });
    if (!wrong.isEmpty()) {
      warn.accept(name() + ", ignored: " + String.join("; ", wrong));
    }
    return values;
  }

  /** For people: "Configuration of group etl, version 3, in effect: cpu.interval=20ms". */
  String text() {
    List<String> set = new ArrayList<>();
    texts.forEach((key, text) -> set.add(key + "=" + text));
    return name() + ", in effect: " + (set.isEmpty() ? "as configured locally" : String.join(", ", set));
  }

  private String name() {
    return "Configuration of group " + group + ", version " + version;
  }
}

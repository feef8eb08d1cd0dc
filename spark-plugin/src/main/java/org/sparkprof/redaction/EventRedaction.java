// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.scheduler.SparkListenerEvent;

/**
 * Takes secrets out of Spark's events before they leave the JVM: {@link TextRedaction} on every string, its name being
 * the member's key, and beyond that what the application itself calls a secret, as Spark's event log does.
 */
public final class EventRedaction {
  private static final String[] NAMES = {"name", "key", "Name", "Key"};
  private static final String[] VALUES = {"value", "Value", "Update"};
  private static final int MAX_PLAIN_KEYS = 10_000;

  private final ObjectMapper mapper = new ObjectMapper();
  private final PlainTasks plainTasks;
  private final Pattern ownSecrets;
  private final Pattern ownStrings;
  /** Keys that are no secrets' names and hold none: most events have the same ones. */
  private final Set<String> plainKeys = new HashSet<>();

  /**
   * @param regex spark.redaction.regex, null when not set: settings whose key or value it finds are redacted
   * @param stringRegex spark.redaction.string.regex, null when not set: what it finds in any text is redacted
   */
  public EventRedaction(String regex, String stringRegex) throws ReflectiveOperationException {
    plainTasks = new PlainTasks();
    ownSecrets = regex == null ? null : Pattern.compile(regex);
    ownStrings = stringRegex == null ? null : Pattern.compile(stringRegex);
  }

  /** The event, of which `json` is the text, without secrets. */
  public String redact(SparkListenerEvent event, String json) throws IOException, ReflectiveOperationException {
    return ownStrings == null && plainTasks.has(event) ? json : redact(json);
  }

  /** The same. Most texts have no secret: they are scanned, not parsed. */
  String redact(String json) throws IOException {
    if (!SecretSearch.mayFind(json) && !finds(ownSecrets, json) && !finds(ownStrings, json)) {
      return json;
    }
    JsonNode root = mapper.readTree(json);
    return walk(root, false) ? mapper.writeValueAsString(root) : json;
  }

  private static boolean finds(Pattern pattern, String text) {
    return pattern != null && pattern.matcher(text).find();
  }

  /** Redacts in place. Returns whether anything changed. */
  private boolean walk(JsonNode node, boolean properties) {
    if (node instanceof ArrayNode) {
      return walkArray((ArrayNode) node, properties);
    }
    return node instanceof ObjectNode && walkObject((ObjectNode) node, properties);
  }

  private boolean walkArray(ArrayNode array, boolean properties) {
    boolean changed = false;
    PrivateKeyLines keys = null;
    boolean isPair = array.size() == 2 && array.get(0).isTextual() && array.get(1).isTextual();
    for (int i = 0; i < array.size(); i++) {
      JsonNode child = array.get(i);
      if (child.isTextual()) {
        String name = isPair && i == 1 ? array.get(0).textValue() : "";
        String text = child.textValue();
        if (keys != null || PrivateKeyLines.mayBegin(text)) {
          keys = keys == null ? new PrivateKeyLines() : keys;
          text = TextRedaction.without(text, keys.addText(text));
        }
        text = value(name, text, properties);
        if (!text.equals(child.textValue())) {
          array.set(i, TextNode.valueOf(text));
          changed = true;
        }
      } else {
        changed |= walk(child, properties);
      }
    }
    return changed;
  }

  private boolean walkObject(ObjectNode object, boolean properties) {
    boolean changed = false;
    List<String> secretKeys = new ArrayList<>(0);
    Iterator<Map.Entry<String, JsonNode>> fields = object.fields();
    while (fields.hasNext()) {
      Map.Entry<String, JsonNode> field = fields.next();
      String key = field.getKey();
      if (field.getValue().isTextual()) {
        String old = field.getValue().textValue();
        String text = value(key, old, properties);
        if (!text.equals(old)) {
          field.setValue(TextNode.valueOf(text));
          changed = true;
        }
      } else {
        changed |= walk(field.getValue(), properties || key.endsWith("Properties") || key.equals("modifiedConfigs"));
      }
      if (!isPlain(key) && !TextRedaction.redact(key).equals(key)) {
        secretKeys.add(key);
      }
    }
    for (String key : secretKeys) {
      object.set(TextRedaction.redact(key), object.remove(key));
    }
    return redactNamedValues(object) || changed || !secretKeys.isEmpty();
  }

  /** {"name": "password", "value": "X"}. */
  private static boolean redactNamedValues(ObjectNode object) {
    boolean changed = false;
    for (String nameKey : NAMES) {
      JsonNode name = object.get(nameKey);
      if (name == null || !name.isTextual()) {
        continue;
      }
      for (String valueKey : VALUES) {
        JsonNode value = object.get(valueKey);
        if (value != null && value.isTextual()) {
          String text = TextRedaction.redactSetting(name.textValue(), value.textValue());
          changed |= !text.equals(value.textValue());
          object.set(valueKey, TextNode.valueOf(text));
        }
      }
    }
    return changed;
  }

  private String value(String key, String value, boolean properties) {
    if (key.equals("Event")) {
      return value;
    }
    // An expression is not a secret, and the reader needs it.
    if (properties && key.endsWith(".regex") && key.contains("redaction")) {
      return value;
    }
    if (properties && !value.isEmpty() && (finds(ownSecrets, key) || finds(ownSecrets, value))) {
      return TextRedaction.REPLACEMENT;
    }
    String redacted = isPlain(key) ? TextRedaction.redact(value) : TextRedaction.redactSetting(key, value);
    return ownStrings == null
        ? redacted
        : ownStrings.matcher(redacted).replaceAll(Matcher.quoteReplacement(TextRedaction.REPLACEMENT));
  }

  private boolean isPlain(String key) {
    if (plainKeys.contains(key)) {
      return true;
    }
    if (SecretName.isSecret(key) || !TextRedaction.redact(key).equals(key)) {
      return false;
    }
    if (plainKeys.size() < MAX_PLAIN_KEYS) {
      plainKeys.add(key);
    }
    return true;
  }
}

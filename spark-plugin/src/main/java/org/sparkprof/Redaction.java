// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.util.Iterator;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Takes secrets out of events that carry properties before they leave the JVM, as Spark's event log does: a value goes
 * when its key looks like a secret's, or when Spark's own pattern finds its key or value suspicious.
 */
final class Redaction {
  static final String REPLACEMENT = "*********(redacted)";

  private static final Pattern SECRET_KEY = Pattern.compile(
      "(?i)secret|password|passwd|token|credential|access[.]?key|api[.]?key|auth");
  private static final Pattern USER_INFO = Pattern.compile("(://[^/@\\s:]+:)[^/@\\s]+@");
  /** Spark's default for spark.redaction.regex. */
  private static final String SPARK_DEFAULT = "(?i)secret|password|token|access[.]?key";

  private final ObjectMapper mapper = new ObjectMapper();
  private final Pattern sparkPattern;

  /** @param sparkRegex spark.redaction.regex, null when not set */
  Redaction(String sparkRegex) {
    sparkPattern = Pattern.compile(sparkRegex == null ? SPARK_DEFAULT : sparkRegex);
  }

  /** The event without secrets. Only objects whose name ends in "Properties" are looked at. */
  String redact(String json) throws IOException {
    JsonNode root = mapper.readTree(json);
    walk(root, false);
    return mapper.writeValueAsString(root);
  }

  private void walk(JsonNode node, boolean properties) {
    if (node instanceof ArrayNode) {
      for (JsonNode child : node) {
        walk(child, properties);
      }
    } else if (node instanceof ObjectNode) {
      Iterator<Map.Entry<String, JsonNode>> fields = node.fields();
      while (fields.hasNext()) {
        Map.Entry<String, JsonNode> field = fields.next();
        if (properties && field.getValue().isTextual()) {
          field.setValue(TextNode.valueOf(value(field.getKey(), field.getValue().textValue())));
        } else {
          walk(field.getValue(), properties || field.getKey().endsWith("Properties"));
        }
      }
    }
  }

  private String value(String key, String value) {
    if (SECRET_KEY.matcher(key).find() || sparkPattern.matcher(key).find() || sparkPattern.matcher(value).find()) {
      return REPLACEMENT;
    }
    return USER_INFO.matcher(value).replaceAll("$1" + REPLACEMENT + "@");
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

/** Text as JSON and as Python code. */
public final class JsonText {
  private JsonText() {}

  /** A literal of both. */
  public static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < 0x20 || c > 0x7e) {
        quoted.append(String.format("\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}

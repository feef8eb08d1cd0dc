// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.isOneOf;
import static org.sparkprof.redaction.Characters.isSpace;

/** A text without its encoding in URLs, HTML and CSV (%22, &quot;, ""), and where its characters were. */
final class DecodedText {
  final String text;
  /** One more than the text has characters. */
  final int[] origin;

  private DecodedText(String text, int[] origin) {
    this.text = text;
    this.origin = origin;
  }

  /** Null when the text has no encoded character. */
  static DecodedText of(String text) {
    if (!mayDecode(text)) {
      return null;
    }
    boolean changed = false;
    StringBuilder decoded = new StringBuilder(text.length());
    int[] origin = new int[text.length() + 1];
    for (int at = 0; at < text.length();) {
      int quotes = text.charAt(at) == '"' ? doubledQuotes(text, at) : 1;
      if (quotes > 1) {
        changed = true;
        for (int i = 0; i < quotes; i += 2) {
          origin[decoded.length()] = at + i;
          decoded.append('"');
        }
        at += quotes;
        continue;
      }
      Unit unit = Unit.decode(text, at);
      changed = changed || unit.isChanged;
      boolean isShown = !unit.isChanged || unit.character != '\0' || text.charAt(at) == '%';
      if (isShown) {
        origin[decoded.length()] = at;
        decoded.append(unit.character);
      }
      at += unit.size;
    }
    origin[decoded.length()] = text.length();
    return !changed ? null : new DecodedText(decoded.toString(), origin);
  }

  /** False for most texts. */
  static boolean mayDecode(String text) {
    if (text.indexOf('%') >= 0 || text.indexOf('&') >= 0 || text.contains("\"\"") || text.contains("\\u")) {
      return true;
    }
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 0x80) {
        return true;
      }
    }
    return false;
  }

  /** One more level of encoding removed; null when there is none. */
  DecodedText further() {
    DecodedText further = of(text);
    for (int i = 0; further != null && i <= further.text.length(); i++) {
      further.origin[i] = origin[further.origin[i]];
    }
    return further;
  }

  /** The doubled quotes that begin at `at`, unless they are an empty string; 1 for what is no run of quotes. */
  private static int doubledQuotes(String text, int at) {
    int end = at;
    while (end < text.length() && text.charAt(end) == '"') {
      end++;
    }
    if (end < at + 2) {
      return 1;
    }
    boolean opens = at == 0 || isSpace(text.charAt(at - 1)) || isOneOf(text.charAt(at - 1), ",;:=([{");
    boolean closes = end == text.length() || isSpace(text.charAt(end)) || isOneOf(text.charAt(end), ",;)]}");
    return opens && closes ? 1 : end - at;
  }
}

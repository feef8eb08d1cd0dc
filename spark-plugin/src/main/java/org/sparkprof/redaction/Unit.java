// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.hasAt;
import static org.sparkprof.redaction.Characters.hex;

/** One character, as itself or as JSON, HTML or a URL write it; size 0 behind the end of the text. */
final class Unit {
  private static final String[] ENTITIES = {
    "&quot;", "&#34;", "&#x22;", "&apos;", "&#39;", "&#x27;", "&lt;", "&gt;", "&amp;", "&#61;"};
  private static final String ENTITY_CHARACTERS = "\"\"\"'''<>&=";

  final char character;
  final int size;

  private Unit(char character, int size) {
    this.character = character;
    this.size = size;
  }

  boolean isQuote() {
    return size > 0 && Characters.isQuote(character);
  }

  static Unit at(String text, int at) {
    if (at >= text.length()) {
      return new Unit('\0', 0);
    }
    switch (text.charAt(at)) {
      case '%':
        return percent(text, at);
      case '\\':
        return backslash(text, at);
      case '&':
        for (int i = 0; i < ENTITIES.length; i++) {
          if (hasAt(text, at, ENTITIES[i])) {
            return new Unit(ENTITY_CHARACTERS.charAt(i), ENTITIES[i].length());
          }
        }
        return new Unit('&', 1);
      default:
        return new Unit(text.charAt(at), 1);
    }
  }

  /** The same for one level of a URL's or HTML's encoding, control characters too. */
  static Unit decode(String text, int at) {
    char c = text.charAt(at);
    if (c == '&') {
      return at(text, at);
    }
    int high = c == '%' ? hex(Characters.at(text, at + 1)) : -1;
    int low = hex(Characters.at(text, at + 2));
    return high >= 0 && high < 8 && low >= 0 ? new Unit((char) (high * 16 + low), 3) : new Unit(c, 1);
  }

  /** Whether HTML's writing of a character begins here. */
  static boolean isEntity(String text, int at) {
    for (String entity : ENTITIES) {
      if (text.startsWith(entity, at)) {
        return true;
      }
    }
    return false;
  }

  static int skipBackslashes(String text, int at) {
    while (at < text.length() && text.charAt(at) == '\\') {
      at++;
    }
    return at;
  }

  private static boolean isPrintable(int c) {
    return c > ' ' && c < 0x7f;
  }

  private static Unit percent(String text, int at) {
    int digits = at + 1;
    while (Characters.at(text, digits) == '2' && Characters.at(text, digits + 1) == '5'
        && hex(Characters.at(text, digits + 2)) >= 0 && hex(Characters.at(text, digits + 3)) >= 0) {
      digits += 2;
    }
    int high = hex(Characters.at(text, digits));
    int low = hex(Characters.at(text, digits + 1));
    if (high < 0 || low < 0 || !isPrintable(high * 16 + low)) {
      return new Unit('%', 1);
    }
    return new Unit((char) (high * 16 + low), digits + 2 - at);
  }

  private static Unit backslash(String text, int at) {
    int end = skipBackslashes(text, at);
    if (Characters.isQuote(Characters.at(text, end))) {
      return new Unit(text.charAt(end), end + 1 - at);
    }
    if (text.startsWith("u00", end)) {
      int high = hex(Characters.at(text, end + 3));
      int low = hex(Characters.at(text, end + 4));
      if (high >= 0 && low >= 0 && isPrintable(high * 16 + low)) {
        return new Unit((char) (high * 16 + low), end + 5 - at);
      }
    }
    return new Unit('\\', 1);
  }
}

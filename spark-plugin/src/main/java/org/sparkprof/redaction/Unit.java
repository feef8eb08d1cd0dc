// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.hasAt;
import static org.sparkprof.redaction.Characters.hex;

/** One character, as itself or as JSON, HTML or a URL write it; size 0 behind the end of the text. */
final class Unit {
  private static final String[] ENTITIES = {
      "&quot;", "&#34;", "&#x22;", "&apos;", "&#39;", "&#x27;", "&lt;", "&gt;", "&amp;", "&#61;"};
  private static final String ENTITY_CHARACTERS = "\"\"\"'''<>&=";

  /** Other writings of a blank, for decode(). */
  private static final String[] BLANKS = {"&nbsp;", "&#160;", "&#xa0;", "%c2%a0"};

  final char character;
  final int size;
  /** By decode(). */
  final boolean isChanged;

  private Unit(char character, int size) {
    this(character, size, false);
  }

  private Unit(char character, int size, boolean isChanged) {
    this.character = character;
    this.size = size;
    this.isChanged = isChanged;
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

  /**
   * The same for one level of a URL's or HTML's encoding, control characters too. Blanks, quotes and full-width forms
   * of Unicode become ASCII's (U+00A0, U+201C, U+FF1D); NUL stands for a character that is not shown (U+200B).
   */
  static Unit decode(String text, int at) {
    char c = text.charAt(at);
    if (c == '&' || c == '%') {
      for (String blank : BLANKS) {
        if (hasAt(text, at, blank)) {
          return new Unit(' ', blank.length(), true);
        }
      }
    }
    if (c == '&') {
      Unit unit = at(text, at);
      return new Unit(unit.character, unit.size, unit.size > 1);
    }
    if (c == '%') {
      int high = hex(Characters.at(text, at + 1));
      int low = hex(Characters.at(text, at + 2));
      return high >= 0 && high < 8 && low >= 0 ? new Unit((char) (high * 16 + low), 3, true) : new Unit(c, 1);
    }
    if (c == '\\') {
      return escape(text, at);
    }
    int folded = c < 0x80 ? -1 : folded(c);
    return folded < 0 ? new Unit(c, 1) : new Unit((char) folded, 1, true);
  }

  /** JSON's writing by number (003d), but not its quotes and backslashes, which are syntax. */
  private static Unit escape(String text, int at) {
    if (Characters.at(text, at + 1) != 'u') {
      return new Unit('\\', 1);
    }
    int code = 0;
    for (int i = 2; i < 6; i++) {
      int digit = hex(Characters.at(text, at + i));
      if (digit < 0) {
        return new Unit('\\', 1);
      }
      code = code << 4 | digit;
    }
    int character = code >= ' ' && code < 0x7f ? code : folded(code);
    if (character < 0 || Characters.isQuote((char) character) || character == '\\') {
      return new Unit('\\', 1);
    }
    return new Unit((char) character, 6, true);
  }

  /** ASCII for the character: a blank, a quote, a full-width form; NUL for what is not shown; -1 for others. */
  private static int folded(int code) {
    switch (code) {
      case 0xa0:
      case 0x1680:
      case 0x202f:
      case 0x205f:
      case 0x3000:
        return ' ';
      case 0x85:
      case 0x2028:
      case 0x2029:
        return '\n';
      case 0xad:
      case 0x180e:
      case 0xfeff:
        return '\0';
      case 0x2018:
      case 0x2019:
      case 0x201b:
        return '\'';
      case 0x201c:
      case 0x201d:
      case 0x201f:
        return '"';
      default:
        break;
    }
    if (code >= 0x2000 && code <= 0x200a) {
      return ' ';
    }
    if (code >= 0x200b && code <= 0x200f || code >= 0x202a && code <= 0x202e || code >= 0x2060 && code <= 0x206f) {
      return '\0';
    }
    return code >= 0xff01 && code <= 0xff5e ? code - 0xff01 + '!' : -1;
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

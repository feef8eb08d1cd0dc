// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

/** ASCII only: other characters belong to no class. */
final class Characters {
  private Characters() {}

  static boolean isLower(char c) {
    return c >= 'a' && c <= 'z';
  }

  static boolean isUpper(char c) {
    return c >= 'A' && c <= 'Z';
  }

  static boolean isLetter(char c) {
    return isLower(c) || isUpper(c);
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  static boolean isAlnum(char c) {
    return isLetter(c) || isDigit(c);
  }

  static char lower(char c) {
    return isUpper(c) ? (char) (c - 'A' + 'a') : c;
  }

  static boolean isSpace(char c) {
    return c >= '\t' && c <= '\r' || c == ' ' || c == '\0';
  }

  static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  static boolean isQuote(char c) {
    return c == '"' || c == '\'' || c == '`';
  }

  static boolean isOneOf(char c, String set) {
    return set.indexOf(c) >= 0;
  }

  /** The value of a hexadecimal digit, or -1. */
  static int hex(char c) {
    if (isDigit(c)) {
      return c - '0';
    }
    char lower = lower(c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  }

  /** The character, or NUL after the end. */
  static char at(String text, int at) {
    return at < text.length() ? text.charAt(at) : '\0';
  }

  /** Whether `text` has `lower`, which is in lower case, at `at`. */
  static boolean hasAt(String text, int at, String lower) {
    if (at > text.length() || text.length() - at < lower.length()) {
      return false;
    }
    for (int i = 0; i < lower.length(); i++) {
      if (lower(text.charAt(at + i)) != lower.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Where `text` has `lower`, ignoring case, or -1. */
  static int find(String text, String lower, int from) {
    for (int at = from; at + lower.length() <= text.length(); at++) {
      if (hasAt(text, at, lower)) {
        return at;
      }
    }
    return -1;
  }
}

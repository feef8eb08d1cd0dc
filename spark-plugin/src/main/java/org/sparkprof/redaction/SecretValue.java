// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.isAlnum;
import static org.sparkprof.redaction.Characters.isDigit;
import static org.sparkprof.redaction.Characters.isLetter;
import static org.sparkprof.redaction.Characters.isLower;
import static org.sparkprof.redaction.Characters.isOneOf;
import static org.sparkprof.redaction.Characters.isUpper;

import org.sparkprof.redaction.Rules.Secrecy;

/** Properties of values: whether they look like secrets. */
final class SecretValue {
  private SecretValue() {}

  /** Whether a value is harmless for a name with this secrecy. */
  static boolean isHarmless(String value, Secrecy secrecy) {
    if (value.isEmpty() || secrecy == Secrecy.NONE || isSwitch(value) || isPlaceholder(value)) {
      return true;
    }
    if (secrecy == Secrecy.MAYBE) {
      return !looksLikeKey(value) || isClassName(value);
    }
    return secrecy == Secrecy.WEAK && (isQuantity(value) || isClassName(value) || isPath(value));
  }

  /** At least 16 letters, digits and + / = _ - . % with a letter and a digit among them. */
  static boolean looksLikeKey(String value) {
    boolean hasLetter = false;
    boolean hasDigit = false;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (!isAlnum(c) && !isOneOf(c, "+/=_-.%")) {
        return false;
      }
      hasLetter = hasLetter || isLetter(c);
      hasDigit = hasDigit || isDigit(c);
    }
    return value.length() >= 16 && hasLetter && hasDigit && !isPath(value);
  }

  /** Base64 of printable text with a colon in it. */
  static boolean isEncodedUserAndPassword(String value) {
    int end = value.length();
    while (end > 0 && value.charAt(end - 1) == '=') {
      end--;
    }
    boolean hasColon = false;
    int bits = 0;
    int count = 0;
    for (int i = 0; i < end; i++) {
      char c = value.charAt(i);
      int digit = isUpper(c) ? c - 'A' : isLower(c) ? c - 'a' + 26 : isDigit(c) ? c - '0' + 52 : -1;
      if (c == '+' || c == '-') {
        digit = 62;
      } else if (c == '/' || c == '_') {
        digit = 63;
      }
      if (digit < 0) {
        return false;
      }
      bits = bits << 6 | digit;
      count += 6;
      if (count >= 8) {
        count -= 8;
        int value8 = bits >>> count & 0xff;
        if (value8 < 0x20 || value8 == 0x7f) {
          return false;
        }
        hasColon = hasColon || value8 == ':';
      }
    }
    return end >= 4 && hasColon;
  }

  private static boolean isSwitch(String value) {
    return value.length() <= 16 && Rules.get().harmlessValues.contains(lowerAscii(value));
  }

  private static String lowerAscii(String value) {
    StringBuilder lower = new StringBuilder(value.length());
    for (int i = 0; i < value.length(); i++) {
      lower.append(Characters.lower(value.charAt(i)));
    }
    return lower.toString();
  }

  /** ${NAME}, {{secrets/scope/name}}, ***. */
  private static boolean isPlaceholder(String value) {
    if (value.chars().allMatch(c -> c == '*')) {
      return true;
    }
    boolean isEnclosed = value.startsWith("${") && value.indexOf('}') == value.length() - 1
        || value.startsWith("{{") && value.indexOf("}}") == value.length() - 2;
    return isEnclosed && value.indexOf(':') < 0;
  }

  /** 12, 1.5, 10s, 250ms, 64k, 512MB. */
  private static boolean isQuantity(String value) {
    int digits = 0;
    int i = value.startsWith("-") ? 1 : 0;
    for (; i < value.length() && (isDigit(value.charAt(i)) || value.charAt(i) == '.'); i++) {
      digits += isDigit(value.charAt(i)) ? 1 : 0;
    }
    if (digits == 0 || digits > 5 || digits > 3 && digits == value.length() || value.length() - i > 2) {
      return false;
    }
    for (; i < value.length(); i++) {
      if (!isLetter(value.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  /** org.apache.Name: at least two dots, packages in lower case, a class. */
  private static boolean isClassName(String value) {
    int dot = value.lastIndexOf('.');
    if (dot < 1 || dot + 1 == value.length() || !isUpper(value.charAt(dot + 1)) || !isLower(value.charAt(0))
        || value.indexOf('.') == dot) {
      return false;
    }
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      boolean belongs =
          i <= dot ? isLower(c) || isDigit(c) || c == '.' || c == '_' : isAlnum(c) || c == '$' || c == '_';
      if (!belongs) {
        return false;
      }
    }
    return true;
  }

  /** /etc/key.pem, but not base64 that starts with a slash. */
  private static boolean isPath(String value) {
    if (value.length() < 2 || value.charAt(0) != '/') {
      return false;
    }
    int run = 0;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (!isAlnum(c) && !isOneOf(c, "/._-")) {
        return false;
      }
      run = c == '/' ? 0 : run + 1;
      if (run >= 20) {
        return false;
      }
    }
    return true;
  }
}

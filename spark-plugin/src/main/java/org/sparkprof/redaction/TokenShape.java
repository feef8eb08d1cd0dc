// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.hasAt;
import static org.sparkprof.redaction.Characters.hex;
import static org.sparkprof.redaction.Characters.isAlnum;
import static org.sparkprof.redaction.Characters.isBlank;
import static org.sparkprof.redaction.Characters.isDigit;
import static org.sparkprof.redaction.Characters.isLower;
import static org.sparkprof.redaction.Characters.isOneOf;
import static org.sparkprof.redaction.Characters.isSpace;
import static org.sparkprof.redaction.Characters.isUpper;

import org.sparkprof.redaction.TriggerIndex.Trigger;

/** Secrets by their shape: tokens, credentials of an HTTP scheme, private keys. */
final class TokenShape {
  private static final int MOST_BETWEEN = 8;
  private static final int SECRET_KEY = 40;
  private static final int LEAST_SESSION_TOKEN = 100;

  private TokenShape() {}

  private static boolean isOfAlphabet(char c, char alphabet) {
    if (alphabet == 'h') {
      return hex(c) >= 0 || c == '-';
    }
    if (isAlnum(c) || alphabet == 'a') {
      return isAlnum(c);
    }
    return c == '_' || c == '-' || alphabet == 'd' && isOneOf(c, ".~+/=");
  }

  private static int skipAlphabet(ScannedText scan, int at, char alphabet) {
    String text = scan.text;
    int end = at;
    while (end < text.length() && isOfAlphabet(text.charAt(end), alphabet)) {
      end++;
    }
    while (end > at && text.charAt(end - 1) == '.') {
      end--;
    }
    return end;
  }

  static int redactPrefixed(ScannedText scan, int at, Trigger rule) {
    int begin = at + rule.literal.length();
    if (!scan.beginsWord(at)) {
      return at + 1;
    }
    int end = skipAlphabet(scan, begin, rule.alphabet);
    if (end - begin < rule.least) {
      return at + 1;
    }
    scan.redact(at, end);
    return rule.literal.equals("AKIA") || rule.literal.equals("ASIA") ? redactBeside(scan, end) : end;
  }

  /** The secret key, and the session token, beside the ID of an AWS access key: AKIA…:SECRET, "AKIA…","SECRET". */
  private static int redactBeside(ScannedText scan, int behind) {
    String text = scan.text;
    while (true) {
      int begin = behind;
      while (begin < text.length() && begin - behind < MOST_BETWEEN
          && (isSpace(text.charAt(begin)) || isOneOf(text.charAt(begin), ":,;|/\\\"'"))) {
        begin++;
      }
      int end = begin;
      while (end < text.length() && (isAlnum(text.charAt(end)) || isOneOf(text.charAt(end), "+/="))) {
        end++;
      }
      if (begin == behind || end - begin != SECRET_KEY && end - begin < LEAST_SESSION_TOKEN) {
        return behind;
      }
      behind = scan.redact(begin, end);
    }
  }

  /** eyJ….eyJ….… */
  static int redactWebToken(ScannedText scan, int at) {
    String text = scan.text;
    if (!text.startsWith("eyJ", at) || !scan.beginsWord(at)) {
      return at + 1;
    }
    int end = at;
    int dots = 0;
    for (; end < text.length(); end++) {
      if (text.charAt(end) == '.') {
        dots++;
      } else if (!isOfAlphabet(text.charAt(end), 'w')) {
        break;
      }
    }
    while (end > at && text.charAt(end - 1) == '.') {
      end--;
    }
    return end - at < 20 || dots == 0 ? Math.max(at + 1, end) : scan.redact(at, end);
  }

  /** Bearer X, Basic X: what looks like a token, and base64 of USER:PASSWORD. */
  static int redactCredentials(ScannedText scan, int at, int behind, boolean isBearer) {
    String text = scan.text;
    if (!scan.beginsWord(at) || behind >= text.length()) {
      return at + 1;
    }
    int begin = behind;
    if (isBlank(text.charAt(begin))) {
      begin = scan.skipBlanks(begin);
    } else if (text.charAt(begin) == '+' || hasAt(text, begin, "%20")) {
      begin += text.charAt(begin) == '+' ? 1 : 3;
    } else {
      return at + 1;
    }
    int end = skipAlphabet(scan, begin, 'd');
    String value = text.substring(begin, end);
    boolean isSecret =
        value.length() >= 6 && (isBearer ? looksLikeBearer(value) : SecretValue.isEncodedUserAndPassword(value));
    return isSecret ? scan.redact(begin, end) : at + 1;
  }

  private static boolean looksLikeBearer(String value) {
    boolean hasDigit = false;
    boolean hasMark = false;
    boolean hasLower = false;
    boolean hasInnerUpper = false;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      hasDigit = hasDigit || isDigit(c);
      hasMark = hasMark || !isAlnum(c);
      hasLower = hasLower || isLower(c);
      hasInnerUpper = hasInnerUpper || i > 0 && isUpper(c);
    }
    return value.indexOf('=') != 5 && (hasDigit || hasLower && hasInnerUpper || hasMark && value.length() >= 16);
  }
}

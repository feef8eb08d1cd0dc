// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.hex;
import static org.sparkprof.redaction.Characters.isAlnum;
import static org.sparkprof.redaction.Characters.isLetter;
import static org.sparkprof.redaction.Characters.isOneOf;
import static org.sparkprof.redaction.Characters.isQuote;

import org.sparkprof.redaction.Rules.Secrecy;

/** A secret's name in a text, and what is assigned to it. */
final class Assignment {
  private static final int MAX_NAME = 200;

  private Assignment() {}

  private static boolean isNameCharacter(char c) {
    return isAlnum(c) || isOneOf(c, "_.-$");
  }

  /** The name around `at`, and what is assigned to it. */
  static int redact(ScannedText scan, int at) {
    String text = scan.text;
    int begin = at;
    while (begin > scan.from && at - begin < MAX_NAME && isNameCharacter(text.charAt(begin - 1))) {
      begin--;
    }
    int end = at;
    while (end < text.length() && isNameCharacter(text.charAt(end))) {
      end++;
    }
    final int next = end;
    // \npassword and %0Apassword: the escape is no part of the name.
    final int escape = begin;
    if (begin > scan.from && text.charAt(begin - 1) == '\\' && isOneOf(text.charAt(begin), "nrt") && begin < at) {
      begin++;
    }
    if (begin > scan.from && text.charAt(begin - 1) == '%' && begin + 2 <= at && hex(text.charAt(begin)) >= 0
        && hex(text.charAt(begin + 1)) >= 0) {
      begin += 2;
    }
    boolean isOption = text.charAt(begin) == '-' && (begin > escape || !isAlnum(scan.before(begin)));
    while (begin < end && isOneOf(text.charAt(begin), "-.$")) {
      begin++;
    }
    if (isOption && scan.at(begin) == 'D' && begin < at && text.charAt(begin - 1) == '-'
        && (begin < 2 || text.charAt(begin - 2) != '-')) {
      begin++;
      isOption = false;
    }
    while (end > begin && isOneOf(text.charAt(end - 1), ".-$")) {
      end--;
    }
    if (end <= begin) {
      return next;
    }
    String name = text.substring(begin, end);
    Secrecy secrecy = SecretName.secrecyOf(name, wordBefore(scan, begin));
    if (secrecy == Secrecy.NONE || begin >= 5 && text.startsWith("/etc/", begin - 5)) {
      return next;
    }
    boolean isParameter = scan.before(begin) == '?' || scan.before(begin) == '&';
    if (isParameter && secrecy == Secrecy.MAYBE) {
      secrecy = Secrecy.STRONG;
    }
    AssignedValue found = AssignedValue.find(scan, begin, end, isOption, isParameter, secrecy);
    if (found == null) {
      return next;
    }
    if (found.toTag) {
      return Markup.redactToTag(scan, found.value, secrecy, next);
    }
    return SecretDecision.redactAssigned(scan, found, quoteBefore(scan, begin), name, begin, secrecy, next);
  }

  private static String wordBefore(ScannedText scan, int at) {
    String text = scan.text;
    if (at == 0 || at == scan.from || text.charAt(at - 1) != ' ') {
      return "";
    }
    int end = at - 1;
    int begin = end;
    while (begin > scan.from && end - begin < 32 && isLetter(text.charAt(begin - 1))) {
      begin--;
    }
    return text.substring(begin, end);
  }

  /** "spark.x.password=…" or "--password=…": the quote right before the name, or -1. */
  private static int quoteBefore(ScannedText scan, int begin) {
    String text = scan.text;
    while (begin > scan.from && text.charAt(begin - 1) == '-') {
      begin--;
    }
    if (begin == scan.from || !isQuote(text.charAt(begin - 1))) {
      return -1;
    }
    int quote = begin - 1;
    while (quote > scan.from && text.charAt(quote - 1) == '\\') {
      quote--;
    }
    return quote;
  }
}

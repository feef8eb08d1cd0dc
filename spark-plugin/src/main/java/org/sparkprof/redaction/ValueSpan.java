// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.at;
import static org.sparkprof.redaction.Characters.hasAt;
import static org.sparkprof.redaction.Characters.isAlnum;
import static org.sparkprof.redaction.Characters.isBlank;
import static org.sparkprof.redaction.Characters.isLetter;
import static org.sparkprof.redaction.Characters.isOneOf;
import static org.sparkprof.redaction.Characters.isQuote;
import static org.sparkprof.redaction.Characters.isSpace;

/** A value inside of a text, without its quotes. */
final class ValueSpan {
  /** Delimiters of a value without quotes, in addition to the common ones. */
  enum Kind {
    PLAIN,
    /** At & and #. */
    URL,
    /** At an encoded delimiter (%26). */
    ENCODED,
    /** At the end of the line, a quote or a closing bracket only. */
    HEADER
  }

  private static final int MAX_BRACKETS = 1024;

  final int begin;
  final int end;
  /** Behind the closing quote too. */
  final int behind;

  ValueSpan(int begin, int end, int behind) {
    this.begin = begin;
    this.end = end;
    this.behind = behind;
  }

  /** Where the quote that opens at `quote` closes, from `from` on and on the same line; -1 when it does not. */
  static int quotesEnd(String text, int quote, int from) {
    ValueSpan closed = closeQuotes(text, quote, Unit.at(text, quote), 1, from);
    return closed.behind < 0 ? -1 : closed.end;
  }

  /** The value that starts at `at`: in quotes (nested), in brackets, or up to the next delimiter. */
  static ValueSpan at(String text, int at, Kind kind) {
    int begin = at;
    while (begin < at + 2 && isLetter(Characters.at(text, begin))) {
      begin++;
    }
    if (begin > at && !isQuote(Characters.at(text, begin))) {
      begin = at;
    }
    Unit quote = Unit.at(text, begin);
    if (!quote.isQuote()) {
      if (hasAt(text, at, "<![cdata[")) {
        int closed = text.indexOf("]]>", at + 9);
        int end = closed < 0 ? text.length() : closed;
        return new ValueSpan(at + 9, end, Math.min(end + 3, text.length()));
      }
      int end = kind == Kind.HEADER && !isOneOf(Characters.at(text, at), "[{(") ? headerEnd(text, at)
                                                                                : bareEnd(text, at, kind);
      return new ValueSpan(at, end, end);
    }
    int count = 1;
    while (text.regionMatches(begin + count * quote.size, text, begin, quote.size)) {
      count++;
    }
    int content = begin + count * quote.size;
    boolean isEmpty =
        content >= text.length() || isSpace(text.charAt(content)) || isOneOf(text.charAt(content), ",;)]}>&|\\");
    if (count % 2 == 0 && isEmpty) {
      return new ValueSpan(content, content, content);
    }
    count = Math.min(count, 3);
    content = begin + count * quote.size;
    ValueSpan closed = closeQuotes(text, begin, quote, count, content);
    if (closed.behind < 0) {
      return new ValueSpan(content, closed.end, closed.end);
    }
    if (count > 1 || quote.size > 1) {
      return new ValueSpan(content, closed.end, closed.behind);
    }
    return goOn(text, content, closed.end, closed.behind, quote, kind);
  }

  /** Text directly after a closing quote: 'it'\''s', 'it''s', "ab"cd. */
  private static ValueSpan goOn(String text, int content, int end, int behind, Unit quote, Kind kind) {
    while (goesOn(text, behind, quote.character)) {
      if (text.charAt(behind) == quote.character) {
        ValueSpan next = closeQuotes(text, behind, quote, 1, behind + quote.size);
        end = next.end;
        behind = next.behind < 0 ? next.end : next.behind;
        if (next.behind < 0) {
          break;
        }
      } else {
        int escaped = text.charAt(behind) == '\\' ? 2 : isQuote(text.charAt(behind)) ? 3 : 0;
        end = escaped > 0 ? behind + escaped : bareEnd(text, behind, kind);
        if (end == behind) {
          break;
        }
        behind = end;
      }
    }
    return new ValueSpan(content, end, behind);
  }

  private static boolean goesOn(String text, int at, char quote) {
    if (at >= text.length()) {
      return false;
    }
    char c = text.charAt(at);
    if (c == quote) {
      return true;
    }
    if (c == '\\') {
      return Characters.at(text, at + 1) == quote && Characters.at(text, at + 2) == quote;
    }
    if (isQuote(c)) {
      return Characters.at(text, at + 1) == quote && Characters.at(text, at + 2) == c;
    }
    return !isBehindValue(text, at) && !isOneOf(c, "/@");
  }

  /** Whether a quote before this place may close a value. */
  static boolean isBehindValue(String text, int at) {
    if (at >= text.length()) {
      return true;
    }
    char c = text.charAt(at);
    return isSpace(c) || isOneOf(c, ",;)]}>:&|\\<=%#")
        || c == '.' && (at + 1 >= text.length() || !isAlnum(text.charAt(at + 1)));
  }

  /** Whether NAME= or NAME: begins at `at`: the previous value has ended. */
  static boolean isAssignment(String text, int at) {
    int end = at;
    while (end < text.length() && end - at < 200 && (isAlnum(text.charAt(end)) || isOneOf(text.charAt(end), "._-"))) {
      end++;
    }
    if (end == at) {
      return false;
    }
    char next = Unit.at(text, end).character;
    return next == '=' || next == ':' || text.startsWith(" =", end) || text.startsWith(" ->", end);
  }

  /** .end is the end of the content; .behind is after the closing quotes, -1 if they do not close. */
  private static ValueSpan closeQuotes(String text, int at, Unit quote, int count, int from) {
    boolean isEscaped = text.charAt(at) == '\\' && text.charAt(at + quote.size - 1) == quote.character;
    boolean isPlain = isEscaped || quote.size == 1;
    int backslashes = isEscaped ? quote.size - 1 : 0;
    int i = from;
    while (i < text.length()) {
      if (text.charAt(i) == '\n' && count != 3) {
        return new ValueSpan(from, i, -1);
      }
      if (!isPlain) {
        if (text.regionMatches(i, text, at, quote.size)) {
          return new ValueSpan(from, i, i + quote.size);
        }
        i++;
        continue;
      }
      int end = Unit.skipBackslashes(text, i);
      int run = end - i;
      if (end >= text.length()) {
        return new ValueSpan(from, end, -1);
      }
      char c = text.charAt(end);
      if (isQuote(c) && run < backslashes) {
        return new ValueSpan(from, i, -1); // the quote around this one closes
      }
      if (c == quote.character && (run - backslashes) % (2 * (backslashes + 1)) == 0) {
        int begin = end - backslashes;
        int closed = begin;
        int found = 0;
        while (found < count && text.regionMatches(closed, text, at, quote.size)) {
          closed += quote.size;
          found++;
        }
        if (found == count) {
          return new ValueSpan(from, begin, closed);
        }
        i = closed;
        continue;
      }
      i = run > 0 && c != quote.character ? end : end + 1;
    }
    return new ValueSpan(from, text.length(), -1);
  }

  /**
   * Behind the bracket that closes the one at `at`, on the same line; -1 without one. The end of the line if the
   * bracket is not closed within MAX_BRACKETS.
   */
  private static int closeBracket(String text, int at) {
    int depth = 0;
    int limit = Math.min(text.length(), at + MAX_BRACKETS);
    int i = at;
    for (; i < limit && text.charAt(i) != '\n'; i++) {
      if (isOneOf(text.charAt(i), "([{")) {
        depth++;
      }
      if (isOneOf(text.charAt(i), ")]}") && --depth == 0) {
        return i + 1;
      }
    }
    if (i != limit || i >= text.length()) {
      return -1;
    }
    int newline = text.indexOf('\n', i);
    return newline < 0 ? text.length() : newline;
  }

  private static int headerEnd(String text, int at) {
    int i = at;
    for (; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\n' || c == '\r' || isOneOf(c, "]}")) {
        break;
      }
      if (isQuote(c) || c == '\\') {
        Unit unit = Unit.at(text, i);
        if (unit.isQuote() && isBehindValue(text, i + unit.size)) {
          break;
        }
        if (c == '\\' && isOneOf(Characters.at(text, Unit.skipBackslashes(text, i)), "nr")) {
          break;
        }
      }
    }
    while (i > at && isBlank(text.charAt(i - 1))) {
      i--;
    }
    return i;
  }

  /** The end of a value without quotes. */
  private static int bareEnd(String text, int at, Kind kind) {
    int i = at;
    while (i < text.length()) {
      char c = text.charAt(i);
      if (isSpace(c)) {
        break;
      }
      if (isOneOf(c, "([{")) {
        int closed = closeBracket(text, i);
        i = closed < 0 ? i + 1 : closed;
        continue;
      }
      if (isQuote(c) || c == '\\') {
        int next = skipQuoted(text, i);
        if (next < 0) {
          break;
        }
        i = next;
        continue;
      }
      if (endsBare(text, at, i, kind)) {
        break;
      }
      i++;
    }
    return i;
  }

  /** Whether a value without quotes ends at a character other than a quote, backslash, space or opening bracket. */
  private static boolean endsBare(String text, int begin, int i, Kind kind) {
    char next = Characters.at(text, i + 1);
    boolean isLast = i + 1 >= text.length();
    switch (text.charAt(i)) {
      case ')':
      case ']':
      case '}':
        return isBehindValue(text, i + 1) || isQuote(next);
      case ',':
      case ';':
        return isLast || isSpace(next) || isQuote(next) || next == '\\' || isOneOf(next, "([{)]}<%&")
            || isAssignment(text, i + 1);
      case '&':
        return kind == Kind.URL || Unit.isEntity(text, i) || isLast || next == '&' || isSpace(next)
            || isAssignment(text, i + 1);
      case '#':
        return kind == Kind.URL;
      case '<':
        return next == '/' || next == '!' || isLetter(next);
      case '>':
      case '|':
        return isLast || isSpace(next);
      case '%':
        Unit unit = Unit.at(text, i);
        if (kind == Kind.ENCODED
            && (isOneOf(unit.character, "&\"',;)]}") || hasAt(text, i, "%20") || hasAt(text, i, "%0"))) {
          return true;
        }
        return isOneOf(unit.character, "\"'") && i > begin && isBehindValue(text, i + unit.size);
      default:
        return false;
    }
  }

  /** Behind a quoted part or an escaped character of a value without quotes; -1 where the value ends. */
  private static int skipQuoted(String text, int i) {
    Unit unit = Unit.at(text, i);
    if (unit.isQuote()) {
      if (text.charAt(i) == '\\' || isBehindValue(text, i + 1) || isQuote(Characters.at(text, i + 1))) {
        return -1;
      }
      ValueSpan closed = closeQuotes(text, i, unit, 1, i + unit.size);
      return closed.behind < 0 ? closed.end : closed.behind;
    }
    if (unit.size > 1) {
      return isOneOf(unit.character, "&<>=") ? -1 : i + 1;
    }
    int end = Unit.skipBackslashes(text, i);
    if (isOneOf(Characters.at(text, end), "nrt")) {
      return -1;
    }
    return Math.min(end + 1, text.length());
  }
}

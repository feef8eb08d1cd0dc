// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.hasAt;
import static org.sparkprof.redaction.Characters.isOneOf;
import static org.sparkprof.redaction.Characters.isSpace;

import org.sparkprof.redaction.Rules.Secrecy;

/** Values in XML, HTML and in fields beside their name's field. */
final class Markup {
  private static final int MAX_TAG = 1024;

  private Markup() {}

  /** "name":"password","value":"X" and name="password" value="X"; -1 without. */
  static int findSibling(ScannedText scan, int at) {
    String text = scan.text;
    if (scan.at(at) == ',') {
      at = scan.skipBlanks(at + 1);
    }
    while (at < text.length() && isSpace(text.charAt(at))) {
      at++;
    }
    Unit quote = Unit.at(text, at);
    if (quote.isQuote()) {
      at += quote.size;
    }
    if (!hasAt(text, at, "value")) {
      return -1;
    }
    at += 5;
    quote = Unit.at(text, at);
    if (quote.isQuote()) {
      at += quote.size;
    }
    at = scan.skipBlanks(at);
    Unit equals = Unit.at(text, at);
    return equals.character == '=' || equals.character == ':' ? scan.skipBlanks(at + equals.size) : -1;
  }

  /** Behind the tag that begins at `at`; -1 when there is none. */
  private static int skipTag(ScannedText scan, int at) {
    String text = scan.text;
    if (Unit.at(text, at).character != '<') {
      return -1;
    }
    int limit = Math.min(text.length(), at + MAX_TAG);
    for (int i = at; i < limit; i++) {
      Unit unit = Unit.at(text, i);
      if (unit.character == '>') {
        return i + unit.size;
      }
    }
    return -1;
  }

  /** The value in <name>X</name>, and in <td>name</td> <td>X</td>; -1 without. */
  static int findInTags(ScannedText scan, int begin, int end) {
    String text = scan.text;
    Unit unit = Unit.at(text, end);
    if (unit.character == '>') {
      char before = scan.before(begin);
      return before == '<' || before == ':' || before == ';' ? end + unit.size : -1;
    }
    if (isSpace(scan.at(end)) && scan.before(begin) == '<') {
      return findBehindAttributes(scan, end);
    }
    if (unit.character != '<' || scan.at(end + unit.size) != '/') {
      return -1;
    }
    int at = skipTag(scan, end);
    if (at < 0) {
      return -1;
    }
    while (at < text.length()
        && (isSpace(text.charAt(at)) || text.charAt(at) == '\\' && isOneOf(scan.at(at + 1), "nrt"))) {
      at += text.charAt(at) == '\\' ? 2 : 1;
    }
    at = skipTag(scan, at);
    return at < 0 || scan.at(at) == '<' ? -1 : at;
  }

  private static int findBehindAttributes(ScannedText scan, int end) {
    String text = scan.text;
    int at = end;
    while (at < text.length() && at - end < MAX_TAG && !isOneOf(text.charAt(at), "<>\n")) {
      at++;
    }
    boolean isTag = scan.at(at) == '>' && scan.at(at - 1) != '/';
    String attributes = text.substring(end, at);
    return isTag && attributes.indexOf('=') >= 0 && Characters.find(attributes, "value", 0) < 0 ? at + 1 : -1;
  }

  static int redactToTag(ScannedText scan, int value, Secrecy secrecy, int next) {
    String text = scan.text;
    int begin = value;
    int end = value;
    if (hasAt(text, value, "<![cdata[")) {
      begin = value + 9;
      int closed = text.indexOf("]]>", begin);
      end = closed < 0 ? text.length() : closed;
    } else {
      while (
          end < text.length() && text.charAt(end) != '<' && !hasAt(text, end, "&lt;") && !hasAt(text, end, "\\u003c")) {
        end++;
      }
      while (begin < end && isSpace(text.charAt(begin))) {
        begin++;
      }
      while (end > begin && isSpace(text.charAt(end - 1))) {
        end--;
      }
    }
    if (scan.isRedactedAt(begin)) {
      return scan.skipRedacted(begin);
    }
    return SecretValue.isHarmless(text.substring(begin, end), secrecy) ? next : scan.redact(begin, end);
  }
}

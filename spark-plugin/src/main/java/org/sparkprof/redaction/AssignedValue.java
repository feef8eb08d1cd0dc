// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.hasAt;
import static org.sparkprof.redaction.Characters.isBlank;
import static org.sparkprof.redaction.Characters.isDigit;
import static org.sparkprof.redaction.Characters.isOneOf;
import static org.sparkprof.redaction.Characters.isQuote;
import static org.sparkprof.redaction.Characters.isSpace;

import org.sparkprof.redaction.Rules.Secrecy;
import org.sparkprof.redaction.TriggerIndex.Kind;

/** Where the value lies that a text assigns to a name, and how it is written. Immutable. */
final class AssignedValue {
  /** How a value is connected to its name. */
  enum Link {
    /** NAME=VALUE and the like. */
    ASSIGNED,
    /** NAME: VALUE. */
    PROSE,
    /** NAME VALUE, NAME is VALUE: quoted, or when it looks like a key or a password. */
    APART
  }

  private static final int MAX_USER = 128;
  private static final int MAX_CODE = 200;
  private static final String[] KEYWORDS = {"if ", "elif ", "for ", "while ", "with ", "except ", "case ", "def ",
      "when ", "class ", "return ", "} else if "};
  private static final String[] VERBS = {"is ", "was ", "are ", "to "};

  final int value;
  final Link link;
  final ValueSpan.Kind kind;
  /** The value ends with the next tag. */
  final boolean toTag;

  private AssignedValue(int value, Link link, ValueSpan.Kind kind, boolean toTag) {
    this.value = value;
    this.link = link;
    this.kind = kind;
    this.toTag = toTag;
  }

  /** The value assigned to the name at [begin, end); null without one. */
  static AssignedValue find(
      ScannedText scan, int begin, int end, boolean isOption, boolean isParameter, Secrecy secrecy) {
    String text = scan.text;
    int at = end;
    if (scan.at(at) == '#' && isDigit(scan.at(at + 1))) { // an attribute of a plan: password#12
      at++;
      while (isDigit(scan.at(at))) {
        at++;
      }
      if (scan.at(at) == 'L') {
        at++;
      }
    }
    ValueSpan.Kind kind = secrecy == Secrecy.HEADER ? ValueSpan.Kind.HEADER
        : isParameter                               ? ValueSpan.Kind.URL
                                                    : ValueSpan.Kind.PLAIN;
    int inTag = Markup.findInTags(scan, begin, at);
    if (inTag >= 0) {
      return new AssignedValue(inTag, Link.ASSIGNED, kind, true);
    }
    Unit quote = Unit.at(text, at);
    int closed = skipClosing(scan, at, quote);
    int blank = scan.skipBlanks(closed);
    int sibling = Markup.findSibling(scan, blank);
    if (sibling >= 0) {
      return new AssignedValue(sibling, Link.ASSIGNED, kind, false);
    }
    AssignedValue assigned = findAssigned(scan, blank, kind, secrecy);
    if (assigned != null) {
      return assigned;
    }
    int inTable = findInTable(scan, begin, end, blank);
    if (inTable >= 0) {
      return new AssignedValue(inTable, Link.ASSIGNED, kind, false);
    }
    if (scan.at(blank) == ',') {
      int value = scan.skipBlanks(blank + 1);
      boolean isPair = !quote.isQuote() && scan.before(begin) == '(' && value == blank + 1 && scan.at(end) == ',';
      if (isOption || quote.isQuote() && isArgument(scan, begin, value) || isPair) {
        return new AssignedValue(value, Link.ASSIGNED, kind, false);
      }
      return null;
    }
    // password('X')
    if (scan.at(blank) == '(' && !quote.isQuote() && secrecy == Secrecy.STRONG && isWord(text, begin, end)
        && Unit.at(text, blank + 1).isQuote()) {
      return new AssignedValue(blank + 1, Link.ASSIGNED, kind, false);
    }
    if (blank == closed || blank >= text.length()) {
      return null;
    }
    if (isOption) {
      return new AssignedValue(blank, Link.ASSIGNED, kind, false);
    }
    boolean isPassword = end - begin == 8 && hasAt(text, begin, "password");
    int behindUser = isPassword ? findBehindUser(scan, blank) : -1;
    if (behindUser >= 0) {
      return new AssignedValue(behindUser, Link.ASSIGNED, kind, false);
    }
    for (String verb : VERBS) {
      if (hasAt(text, blank, verb)) {
        return new AssignedValue(blank + verb.length(), Link.APART, kind, false);
      }
    }
    return new AssignedValue(blank, Link.APART, kind, false);
  }

  /** Behind the name's closing quote, and bracket: "name", \"name\", ['name']. */
  private static int skipClosing(ScannedText scan, int at, Unit quote) {
    String text = scan.text;
    int quoteAt = at;
    for (int count = 0; quote.isQuote() && count < 3 && text.regionMatches(at, text, quoteAt, quote.size); count++) {
      at += quote.size;
    }
    return scan.at(at) == ']' ? at + 1 : at;
  }

  /** = : => := -> == <=> and their encodings, with blanks around; null without. */
  private static AssignedValue findAssigned(ScannedText scan, int at, ValueSpan.Kind kind, Secrecy secrecy) {
    String text = scan.text;
    Unit unit = Unit.at(text, at);
    int behind;
    boolean isColon = false;
    if (unit.size > 0 && (unit.character == '-' || unit.character == '<')) {
      Unit second = Unit.at(text, at + 1);
      if (unit.character == '<' && (unit.size > 1 || second.character != '=')
          || unit.character == '-' && second.character != '>') {
        return null;
      }
      behind = at + 1 + second.size;
      if (scan.at(behind) == '>') {
        behind++;
      }
    } else if (unit.character == '=' || unit.character == ':') {
      isColon = unit.character == ':';
      if (isColon && scan.at(at + unit.size) == ':') { // password::string, Token::parse
        return null;
      }
      if (unit.size > 1 && kind == ValueSpan.Kind.PLAIN && text.charAt(at) == '%') {
        kind = ValueSpan.Kind.ENCODED;
      }
      behind = at + unit.size;
      if (scan.at(behind) == '=') {
        behind++;
      }
      Unit arrow = Unit.at(text, behind);
      if (arrow.character == '>' && unit.character == '=') {
        behind += arrow.size;
      }
    } else {
      return null;
    }
    if (isColon && scan.at(behind) == '/' && scan.at(behind + 1) == '/') {
      return null;
    }
    int value = scan.skipBlanks(behind);
    boolean isProse = isColon && value > behind;
    int line = skipNewlines(scan, value);
    if (line > value) {
      // On the next line only what is quoted or alone.
      value = line;
      if (!isQuote(scan.at(value)) && (isCode(scan, at) || !isLine(scan, value, secrecy))) {
        return null;
      }
    }
    return value >= text.length() ? null : new AssignedValue(value, isProse ? Link.PROSE : Link.ASSIGNED, kind, false);
  }

  /** Behind newlines at `at`, also escaped ones, and the blanks around them; `at` if there is none. */
  private static int skipNewlines(ScannedText scan, int at) {
    String text = scan.text;
    boolean hasNewline = false;
    int end = at;
    while (end < text.length()) {
      int letter = Unit.skipBackslashes(text, end);
      if (letter > end && isOneOf(Characters.at(text, letter), "nr")) {
        hasNewline = true;
        end = letter + 1;
      } else if (isSpace(text.charAt(end))) {
        hasNewline = hasNewline || text.charAt(end) == '\n' || text.charAt(end) == '\r';
        end++;
      } else {
        break;
      }
    }
    return hasNewline ? end : at;
  }

  /** Whether the line of a name is source code: "if token:". */
  private static boolean isCode(ScannedText scan, int name) {
    int begin = name;
    while (begin > 0 && name - begin < MAX_CODE && scan.text.charAt(begin - 1) != '\n') {
      begin--;
    }
    begin = scan.skipBlanks(begin);
    for (String keyword : KEYWORDS) {
      if (hasAt(scan.text, begin, keyword)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the value is all of its line, and neither a name nor a bracket. That of a name that is not strong has a
   * letter and a digit.
   */
  private static boolean isLine(ScannedText scan, int value, Secrecy secrecy) {
    String text = scan.text;
    if (value >= text.length() || isOneOf(text.charAt(value), "{}[]()<>|#=:,;-\"'`\\")) {
      return false;
    }
    ValueSpan span = ValueSpan.at(text, value, ValueSpan.Kind.PLAIN);
    if (span.end == value || isOneOf(text.charAt(span.end - 1), ":{[(,=") || ValueSpan.isAssignment(text, value)) {
      return false;
    }
    String word = text.substring(span.begin, span.end);
    if (secrecy != Secrecy.STRONG
        && (word.chars().noneMatch(c -> Characters.isLetter((char) c))
            || word.chars().noneMatch(c -> isDigit((char) c)))) {
      return false;
    }
    int blank = scan.skipBlanks(span.end);
    return blank >= text.length() || Unit.at(text, blank).isQuote() || skipNewlines(scan, blank) > blank;
  }

  private static boolean isWord(String text, int begin, int end) {
    for (int i = begin; i < end; i++) {
      if (!Characters.isLetter(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  /**
   * |spark.x.password|X|, as Spark shows tables; only for settings, because a column may have the name of a secret. -1
   * without.
   */
  private static int findInTable(ScannedText scan, int begin, int end, int blank) {
    String text = scan.text;
    if (scan.at(blank) != '|' || text.substring(begin, end).indexOf('.') < 0) {
      return -1;
    }
    int before = begin;
    while (before > scan.from && isBlank(text.charAt(before - 1))) {
      before--;
    }
    if (scan.before(before) != '|') {
      return -1;
    }
    int value = scan.skipBlanks(blank + 1);
    return value < text.length() && text.charAt(value) != '|' ? value : -1;
  }

  /** SET PASSWORD FOR user = X; -1 without. */
  private static int findBehindUser(ScannedText scan, int at) {
    String text = scan.text;
    int limit = Math.min(text.length(), at + MAX_USER);
    if (!hasAt(text, at, "for ")) {
      return -1;
    }
    for (int end = at; end < limit; end++) {
      if (text.charAt(end) == '=') {
        return scan.skipBlanks(end + 1);
      }
      if (isOneOf(text.charAt(end), ";\n")) {
        return -1;
      }
    }
    return -1;
  }

  /** ("name", "X"), ["name", "X"], ["--name", "X"]: `begin` is the name's, behind its quote. */
  private static boolean isArgument(ScannedText scan, int begin, int value) {
    String text = scan.text;
    int at = begin;
    while (at > scan.from && (isQuote(text.charAt(at - 1)) || text.charAt(at - 1) == '\\')) {
      at--;
    }
    while (at > scan.from && isBlank(text.charAt(at - 1))) {
      at--;
    }
    if (scan.before(at) != '(' && scan.before(at) != '[') {
      return false;
    }
    if (!Unit.at(text, value).isQuote()) {
      return !isOneOf(scan.at(value), ")]") && scan.before(at) == '(';
    }
    int behind = scan.skipBlanks(ValueSpan.at(text, value, ValueSpan.Kind.PLAIN).behind);
    return behind >= text.length() || isOneOf(scan.at(behind), ")]\n\\");
  }
}

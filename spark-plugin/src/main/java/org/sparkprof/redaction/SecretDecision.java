// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.hasAt;
import static org.sparkprof.redaction.Characters.isAlnum;
import static org.sparkprof.redaction.Characters.isBlank;
import static org.sparkprof.redaction.Characters.isDigit;
import static org.sparkprof.redaction.Characters.isLetter;
import static org.sparkprof.redaction.Characters.isLower;
import static org.sparkprof.redaction.Characters.isOneOf;
import static org.sparkprof.redaction.Characters.isQuote;
import static org.sparkprof.redaction.Characters.isSpace;

import org.sparkprof.redaction.AssignedValue.Link;
import org.sparkprof.redaction.Rules.Secrecy;

/** Whether what a name is assigned is a secret, and how far it goes. */
final class SecretDecision {
  private static final int MAX_VALUE = 4096;
  private static final int MAX_PLUGIN = 64;

  private SecretDecision() {}

  /** Redacts what is assigned to `name` when it is a secret. Returns where to go on: `next` when it is none. */
  static int redactAssigned(
      ScannedText scan, AssignedValue found, int quoteBefore, String name, int nameBegin, Secrecy secrecy, int next) {
    String text = scan.text;
    int at = found.value + stringPrefix(text, found.value);
    if (secrecy == Secrecy.MAYBE) {
      return redactKey(scan, at, next);
    }
    Unit quote = Unit.at(text, at);
    boolean isQuoted = quote.isQuote();
    ValueSpan dollars = dollarQuoted(text, at);
    if (dollars != null) {
      return scan.isRedactedAt(dollars.begin) ? scan.skipRedacted(dollars.begin)
                                              : scan.redact(dollars.begin, dollars.end);
    }
    boolean isPath = scan.before(nameBegin) == '/';
    if (found.link == Link.APART && !isQuoted && !isPath && name.indexOf('.') >= 0) {
      return redactProperty(scan, nameBegin, at, secrecy, next);
    }
    if (found.link == Link.APART && secrecy == Secrecy.STRONG && !isQuoted && isPasswordName(name)) {
      return redactPassword(scan, at, next);
    }
    if (found.link == Link.APART && (secrecy == Secrecy.WEAK || !isQuoted)) {
      return redactKey(scan, at, next);
    }
    if (scan.isRedactedAt(at)) {
      return scan.skipRedacted(at);
    }
    if (isQuoted && scan.isRedactedAt(at + quote.size)) {
      return scan.skipRedacted(at + quote.size);
    }
    ValueSpan span = ValueSpan.at(text, at, found.kind);
    if (scan.isRedactedAt(span.begin)) {
      return scan.skipRedacted(span.begin);
    }
    span = extendScheme(scan, span);
    if (!isQuoted && found.link == Link.ASSIGNED) {
      span = extendToQuote(scan, quoteBefore, span);
    }
    String value = text.substring(span.begin, span.end);
    if (SecretValue.isHarmless(value, secrecy) || isDirectoryVariable(name) && value.startsWith("/")
        || found.link == Link.PROSE && secrecy == Secrecy.WEAK && isSentence(scan, span) || value.startsWith("--")) {
      return next;
    }
    return scan.redact(span.begin, span.end);
  }

  /** "Token: expired at 12:00" is a sentence: a word without digits, and another word behind it. */
  private static boolean isSentence(ScannedText scan, ValueSpan span) {
    String text = scan.text;
    if (span.end - span.begin > 20 || span.behind != span.end || scan.at(span.end) != ' '
        || !isLetter(scan.at(span.end + 1)) || !isLetter(text.charAt(span.begin))) {
      return false;
    }
    for (int i = span.begin + 1; i < span.end; i++) {
      if (!isLower(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isDirectoryVariable(String name) {
    return name.equals("PWD") || name.equals("OLDPWD");
  }

  /** "Bearer X" without quotes: the scheme is not the value. */
  private static ValueSpan extendScheme(ScannedText scan, ValueSpan span) {
    String text = scan.text;
    if (span.behind != span.end || scan.at(span.end) != ' ' || span.end - span.begin > 16) {
      return span;
    }
    String value = Rules.lower(text.substring(span.begin, span.end));
    boolean isScheme = Rules.get().schemes.contains(value);
    return isScheme ? ValueSpan.at(text, scan.skipBlanks(span.end), ValueSpan.Kind.PLAIN) : span;
  }

  /** In "NAME=VALUE" the value goes to the closing quote, unless another assignment is between them. */
  private static ValueSpan extendToQuote(ScannedText scan, int quote, ValueSpan span) {
    String text = scan.text;
    if (quote < 0 || span.behind != span.end || !isBlank(scan.at(span.end))) {
      return span;
    }
    int limit = Math.min(text.length(), span.end + MAX_VALUE);
    int inQuotes = ValueSpan.quotesEnd(text.substring(quote, limit), 0, span.end - quote);
    if (inQuotes < 0) {
      return span;
    }
    int end = quote + inQuotes;
    String rest = text.substring(span.end, end);
    boolean isAssignment = rest.indexOf('=') >= 0 || rest.indexOf(':') >= 0 || rest.contains(" -");
    return isAssignment ? span : new ValueSpan(span.begin, end, end);
  }

  private static boolean isPasswordName(String name) {
    return Characters.find(name, "pass", 0) >= 0 || Characters.find(name, "pwd", 0) >= 0;
  }

  /** "the password hunter2", "password is hunter2": at least six characters with a letter and a digit. */
  private static int redactPassword(ScannedText scan, int value, int next) {
    String text = scan.text;
    int end = value;
    boolean hasLetter = false;
    boolean hasDigit = false;
    while (end < text.length() && !isSpace(text.charAt(end)) && !isQuote(text.charAt(end))
        && !isOneOf(text.charAt(end), ",;()<>=\\")) {
      hasLetter = hasLetter || isLetter(text.charAt(end));
      hasDigit = hasDigit || isDigit(text.charAt(end));
      end++;
    }
    if (end < value + 6 || !hasLetter || !hasDigit || scan.at(end) == '=' || scan.at(end) == '(') {
      return next;
    }
    return scan.redact(value, end);
  }

  /** Letters before a quote: E'X', N'X', U&'X', r"X". */
  private static int stringPrefix(String text, int at) {
    int size = 0;
    while (size < 2 && isLetter(Characters.at(text, at + size))) {
      size++;
    }
    if (size == 1 && Characters.at(text, at + 1) == '&') {
      size = 2;
    }
    return size > 0 && Unit.at(text, at + size).isQuote() ? size : 0;
  }

  /** PostgreSQL's $$X$$ and $tag$X$tag$; null without. */
  private static ValueSpan dollarQuoted(String text, int at) {
    int end = at + 1;
    while (isAlnum(Characters.at(text, end)) || Characters.at(text, end) == '_') {
      end++;
    }
    if (Characters.at(text, at) != '$' || Characters.at(text, end) != '$') {
      return null;
    }
    String tag = text.substring(at, end + 1);
    int close = text.indexOf(tag, end + 1);
    boolean isNear = close >= 0 && close + tag.length() <= Math.min(text.length(), at + MAX_VALUE);
    return !isNear || close == end + 1 ? null : new ValueSpan(end + 1, close, close + tag.length());
  }

  /**
   * A setting and its value with blanks between them, as in spark-defaults.conf: alone on its line, or at least six
   * characters with a letter and a digit.
   */
  private static int redactProperty(ScannedText scan, int nameBegin, int value, Secrecy secrecy, int next) {
    String text = scan.text;
    ValueSpan span = ValueSpan.at(text, value, ValueSpan.Kind.PLAIN);
    String content = text.substring(span.begin, span.end);
    if (content.isEmpty() || isOneOf(content.charAt(0), "=:<>|-(){}[],;")) {
      return next;
    }
    if (SecretValue.isHarmless(content, secrecy) || SecretValue.isHarmless(content, Secrecy.WEAK)) {
      return next;
    }
    if (scan.isRedactedAt(span.begin)) {
      return scan.skipRedacted(span.begin);
    }
    int before = nameBegin;
    while (before > scan.from && isBlank(text.charAt(before - 1))) {
      before--;
    }
    int behind = scan.skipBlanks(span.behind);
    boolean isLine = (before == 0 || scan.before(before) == '\n')
        && (behind >= text.length() || text.charAt(behind) == '\n' || text.charAt(behind) == '\r');
    boolean looksSecret = content.length() >= 6 && content.chars().anyMatch(c -> isLetter((char) c))
        && content.chars().anyMatch(c -> isDigit((char) c));
    return isLine || looksSecret ? scan.redact(span.begin, span.end) : next;
  }

  /** A value that only its looks make a secret. */
  private static int redactKey(ScannedText scan, int value, int next) {
    String text = scan.text;
    Unit quote = Unit.at(text, value);
    int begin = quote.isQuote() ? value + quote.size : value;
    int end = begin;
    while (end < text.length() && (isAlnum(text.charAt(end)) || isOneOf(text.charAt(end), "+/=_-.%"))) {
      end++;
    }
    while (end > begin && text.charAt(end - 1) == '.') {
      end--;
    }
    boolean isClosed = Unit.at(text, end).isQuote();
    if (begin > value && !isClosed) {
      return next;
    }
    if (end < text.length() && !isClosed && !isSpace(text.charAt(end)) && !isOneOf(text.charAt(end), ",;)]}.&<\\\"'")) {
      return next;
    }
    return SecretValue.isHarmless(text.substring(begin, end), Secrecy.MAYBE) ? next : scan.redact(begin, end);
  }

  /** IDENTIFIED BY 'X', IDENTIFIED BY X, IDENTIFIED WITH plugin BY 'X', AS 'X'. */
  static int redactIdentifiedBy(ScannedText scan, int at, int behind) {
    String text = scan.text;
    if (hasAt(text, at, "identified with")) {
      String plugin = text.substring(behind, Math.min(text.length(), behind + MAX_PLUGIN));
      int by = Characters.find(plugin, " by ", 0);
      int as = Characters.find(plugin, " as ", 0);
      if (by < 0 && as < 0) {
        return behind;
      }
      int begin = behind + (by < 0 || as >= 0 && as < by ? as : by) + 3;
      int quote = scan.skipBlanks(begin);
      if (!Unit.at(text, quote + stringPrefix(text, quote)).isQuote()) {
        return behind;
      }
      behind = begin;
    }
    int value = scan.skipBlanks(behind);
    if (hasAt(text, value, "values ")) {
      value = scan.skipBlanks(value + 7);
    }
    if (value == behind || value >= text.length() || hasAt(text, value, "password ")) {
      return behind;
    }
    ValueSpan span = ValueSpan.at(text, value, ValueSpan.Kind.PLAIN);
    if (scan.isRedactedAt(span.begin)) {
      return scan.skipRedacted(span.begin);
    }
    boolean isHarmless = SecretValue.isHarmless(text.substring(span.begin, span.end), Secrecy.STRONG);
    return isHarmless ? behind : scan.redact(span.begin, span.end);
  }
}

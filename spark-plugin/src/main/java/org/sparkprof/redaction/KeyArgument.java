// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.hasAt;
import static org.sparkprof.redaction.Characters.isAlnum;
import static org.sparkprof.redaction.Characters.isDigit;
import static org.sparkprof.redaction.Characters.isOneOf;
import static org.sparkprof.redaction.Characters.isQuote;
import static org.sparkprof.redaction.Characters.isSpace;

import org.sparkprof.redaction.Rules.Secrecy;
import org.sparkprof.redaction.TriggerIndex.Trigger;

/**
 * The key among the arguments of aes_encrypt(text, 'KEY', 'GCM') and the other functions of [function], in SQL and in
 * Spark's plans, where a literal has no quotes: cast(KEY as binary), 0x4b4559. Columns stay. The key is redacted when
 * the search reaches it, because calls are nested.
 */
final class KeyArgument {
  private static final int MAX_ARGUMENTS = 4096;

  private KeyArgument() {}

  static int redact(ScannedText scan, int at, Trigger function) {
    String text = scan.text;
    int limit = Math.min(text.length(), at + MAX_ARGUMENTS);
    int behind = at + function.literal.length();
    if (at > scan.from && (isAlnum(text.charAt(at - 1)) || text.charAt(at - 1) == '_')
        && !hasAt(text, at - Math.min(at, 4), "try_")) {
      return at + 1;
    }
    int open = scan.skipBlanks(behind);
    // Behind a comma, too: staticinvoke(class …, BinaryType, aesDecrypt, x#1, KEY, GCM, …).
    if (open >= limit || text.charAt(open) != '(' && text.charAt(open) != ',') {
      return behind;
    }
    int begin = open + 1;
    for (int number = 1; begin < limit; number++) {
      int end = argumentEnd(text, begin, limit);
      int first = skipSpace(text, begin, end);
      int last = trimSpace(text, first, end);
      int arrow = text.substring(first, last).indexOf("=>");
      String name = arrow < 0 ? "" : text.substring(first, first + arrow);
      boolean isNamed = arrow >= 0 && name.indexOf('\'') < 0;
      if (isNamed ? hasAt(name, 0, "key") || hasAt(name, 0, "passphrase") : number == function.least) {
        redactKeyIn(scan, isNamed ? first + arrow + 2 : first, last, limit);
      }
      if (end >= limit || text.charAt(end) != ',') {
        break;
      }
      begin = end + 1;
    }
    return behind;
  }

  /** The end of the argument at `at`: the comma or bracket behind it, or the limit. */
  private static int argumentEnd(String text, int at, int limit) {
    int depth = 0;
    while (at < limit) {
      Unit unit = Unit.at(text, at);
      if (isQuote(unit.character)) {
        int end = quotesEnd(text, at, at + unit.size, limit);
        at = end < 0 ? at + unit.size : end + unit.size;
        continue;
      }
      char c = text.charAt(at);
      if (isOneOf(c, "([{")) {
        depth++;
      }
      if (isOneOf(c, ")]}") && depth-- == 0 || c == ',' && depth == 0) {
        return at;
      }
      at += unit.size;
    }
    return Math.min(at, limit);
  }

  private static int quotesEnd(String text, int quote, int from, int limit) {
    int end = from > limit ? -1 : ValueSpan.quotesEnd(text.substring(quote, limit), 0, from - quote);
    return end < 0 ? -1 : quote + end;
  }

  private static int skipSpace(String text, int begin, int end) {
    while (begin < end && isSpace(text.charAt(begin))) {
      begin++;
    }
    return begin;
  }

  private static int trimSpace(String text, int begin, int end) {
    while (end > begin && isSpace(text.charAt(end - 1))) {
      end--;
    }
    return end;
  }

  private static boolean isCall(String text, int begin, int end) {
    return end > begin && text.charAt(end - 1) == ')' && text.substring(begin, end).indexOf('(') >= 0;
  }

  private static void redactKeyIn(ScannedText scan, int begin, int end, int limit) {
    String text = scan.text;
    if (redactQuoted(scan, begin, end, limit)) {
      return;
    }
    begin = skipSpace(text, begin, end);
    end = trimSpace(text, begin, end);
    boolean isCast = false;
    if (isCall(text, begin, end)) { // cast(KEY as binary), lit(KEY)
      int open = text.indexOf('(', begin);
      isCast = hasAt(text, begin, "cast") || hasAt(text, begin, "try_cast");
      begin = skipSpace(text, open + 1, end - 1);
      end = trimSpace(text, begin, end - 1);
      int type = isCast ? text.substring(begin, end).lastIndexOf(" as ") : -1;
      if (type >= 0) {
        end = trimSpace(text, begin, begin + type);
      }
      if (isCall(text, begin, end)) {
        redactKeyIn(scan, begin, end, limit);
        return;
      }
    }
    String word = text.substring(begin, end);
    boolean isPhrase = !isCast && word.chars().anyMatch(c -> isSpace((char) c)); // "const char* key"
    if (!word.isEmpty() && !isColumn(word) && (!isPhrase || hasLengthOfKey(word))
        && !SecretValue.isHarmless(word, Secrecy.STRONG)) {
      scan.redactLater(begin, end);
    }
  }

  /** Redacts the literals in quotes; whether there are any. */
  private static boolean redactQuoted(ScannedText scan, int begin, int end, int limit) {
    String text = scan.text;
    boolean hasQuotes = false;
    for (int at = begin; at < end;) {
      Unit unit = Unit.at(text, at);
      if (!isQuote(unit.character) || unit.character == '`') {
        at += Math.max(1, unit.size);
        continue;
      }
      int first = Math.min(at + unit.size, limit);
      int closed = quotesEnd(text, at, first, limit);
      int last = closed < 0 ? end : Math.min(closed, end);
      if (first <= last && !SecretValue.isHarmless(text.substring(first, last), Secrecy.STRONG)) {
        scan.redactLater(first, last);
      }
      hasQuotes = true;
      at = Math.min(last + unit.size, end);
    }
    return hasQuotes;
  }

  /** Plans show literals of this length without quotes. */
  private static boolean hasLengthOfKey(String word) {
    return word.length() == 16 || word.length() == 24 || word.length() == 32;
  }

  /** x, t.x, `x`, x#12, x#12L, but not a word with the length of an AES key. */
  private static boolean isColumn(String word) {
    if (word.isEmpty() || isDigit(word.charAt(0))) {
      return false;
    }
    int number = word.indexOf('#');
    for (int i = 0; i < (number < 0 ? word.length() : number); i++) {
      if (!isAlnum(word.charAt(i)) && !isOneOf(word.charAt(i), "_.`$")) {
        return false;
      }
    }
    if (number >= 0) {
      return number + 1 < word.length() && isDigit(word.charAt(number + 1));
    }
    return !hasLengthOfKey(word);
  }
}

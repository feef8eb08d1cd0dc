// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.hasAt;
import static org.sparkprof.redaction.Characters.isAlnum;
import static org.sparkprof.redaction.Characters.isDigit;
import static org.sparkprof.redaction.Characters.isLetter;
import static org.sparkprof.redaction.Characters.isLower;
import static org.sparkprof.redaction.Characters.isOneOf;
import static org.sparkprof.redaction.Characters.isSpace;
import static org.sparkprof.redaction.Characters.isUpper;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds the lines of private keys in the lines of a text, or in the texts of an array: PEM (RFC 7468), OpenPGP, SSH2
 * (RFC 4716), PuTTY. Other lines may be between them, and each may have a prefix. A key without an end ends with
 * MAX_OTHER_LINES that cannot be part of it.
 */
final class PrivateKeyLines {
  private static final int MAX_OTHER_LINES = 200;
  private static final int MAX_OPEN = 100;
  private static final int MAX_KEY = 64 << 10;
  private static final int MAX_LABEL = 64;
  /** PEM has 64 characters, OpenSSH 70; the last line may be shorter. */
  private static final int LINE_OF_KEY = 40;

  private static final String[] LABELED_BEGINS = {"-----begin", "---- begin"};
  private static final String[] BEGINS = {"putty-user-key-file"};
  private static final String[] LABELED_ENDS = {"-----end", "---- end"};
  private static final String[] ENDS = {"private-mac", "private-hash"};
  /** Lines between the first one and the key. */
  private static final String[] HEADERS = {"proc-type:", "dek-info:", "version:", "comment:", "hash:", "charset:",
      "encryption:", "public-lines:", "private-lines:", "subject:", "key-derivation:", "argon2-"};

  /** Keys that began and did not end. */
  private int open;
  /** Since the last line of a key. */
  private int otherLines;

  /** The first or last line of a key; `begin` is -1 without one. */
  private static final class Marker {
    final int begin;
    final int end;
    final boolean isBegin;

    Marker(int begin, int end, boolean isBegin) {
      this.begin = begin;
      this.end = end;
      this.isBegin = isBegin;
    }
  }

  /** Whether lines of a key may follow. */
  boolean isOpen() {
    return open > 0;
  }

  static boolean mayBegin(String text) {
    return text.contains("BEGIN ") || text.contains("PuTTY-User");
  }

  /** A private key that begins at `at`, from its first line to its last one. */
  static int redact(ScannedText scan, int at) {
    String text = scan.text;
    int limit = Math.min(text.length(), at + MAX_KEY);
    Marker begin = find(text, at, Math.min(text.length(), at + 2 * MAX_LABEL));
    if (begin.begin != at || !begin.isBegin) {
      return at + 1;
    }
    Marker end = find(text, begin.end, limit);
    if (end.begin >= 0 && !end.isBegin) {
      return scan.redact(at, end.end);
    }
    // The key is truncated, or another one is between its lines.
    PrivateKeyLines lines = new PrivateKeyLines();
    List<int[]> secrets = new ArrayList<>();
    for (int line = at; line < limit;) {
      int lineEnd = lineEnd(text, line, limit);
      lines.add(text.substring(line, lineEnd), line, secrets);
      if (!lines.isOpen() || lineEnd >= limit) {
        break;
      }
      line = nextLine(text, lineEnd, limit);
    }
    for (int[] secret : secrets) {
      scan.redact(secret[0], secret[1]);
    }
    return scan.from;
  }

  /** Behind the newline, or the one that is escaped, at the end of a line. */
  private static int nextLine(String text, int lineEnd, int limit) {
    return text.charAt(lineEnd) == '\n' ? lineEnd + 1 : Math.min(limit, Unit.skipBackslashes(text, lineEnd) + 1);
  }

  /** The parts of the next text that belong to a key of an earlier one. Its own keys are left to redact(). */
  List<int[]> addText(String text) {
    List<int[]> secrets = new ArrayList<>();
    boolean continues = isOpen();
    for (int line = 0; line < text.length();) {
      int end = lineEnd(text, line, text.length());
      add(text.substring(line, end), line, continues ? secrets : new ArrayList<>());
      continues = continues && isOpen();
      line = end < text.length() ? nextLine(text, end, text.length()) : end;
    }
    return secrets;
  }

  /** Where a newline, or one that is escaped, follows. */
  private static int lineEnd(String text, int at, int limit) {
    for (; at < limit; at++) {
      if (text.charAt(at) == '\n') {
        return at;
      }
      if (text.charAt(at) != '\\') {
        continue;
      }
      int letter = Unit.skipBackslashes(text, at);
      if (letter < limit && isOneOf(text.charAt(letter), "nr")) {
        return at;
      }
      at = Math.max(at, letter - 1);
    }
    return Math.min(at, limit);
  }

  /** Adds the parts of the next line that belong to a key, with `offset` added. */
  void add(String line, int offset, List<int[]> secrets) {
    int at = 0;
    while (at < line.length()) {
      Marker marker = find(line, at, line.length());
      String before = line.substring(at, marker.begin < 0 ? line.length() : marker.begin);
      if (isOpen()) {
        int[] part = partOfKey(before, otherLines == 0);
        if (part[1] > part[0]) {
          secrets.add(new int[] {offset + at + part[0], offset + at + part[1]});
          otherLines = 0;
        } else if (marker.begin < 0 && at == 0 && !isHeader(line) && ++otherLines > MAX_OTHER_LINES) {
          open = 0;
        }
      }
      if (marker.begin < 0) {
        return;
      }
      int end = marker.isBegin ? keyEnd(line, marker.end) : marker.end;
      if (marker.isBegin || isOpen()) {
        secrets.add(new int[] {offset + marker.begin, offset + end});
      }
      open = Math.max(0, Math.min(MAX_OPEN, open + (marker.isBegin ? 1 : -1)));
      otherLines = 0;
      at = end;
    }
  }

  /** The first marker of a private key in [from, limit). */
  private static Marker find(String text, int from, int limit) {
    String part = text.substring(0, limit);
    for (int at = from; at < limit; at++) {
      char c = Characters.lower(part.charAt(at));
      if (c != '-' && c != 'p' || c == '-' && !part.startsWith("----", at)) {
        continue;
      }
      for (boolean isBegin : new boolean[] {true, false}) {
        int end = markersEnd(part, at, isBegin ? LABELED_BEGINS : LABELED_ENDS, true);
        end = end < 0 ? markersEnd(part, at, isBegin ? BEGINS : ENDS, false) : end;
        if (end >= 0) {
          return new Marker(at, end, isBegin);
        }
      }
    }
    return new Marker(-1, 0, false);
  }

  /** Where the line of a marker at `at` ends; -1 without one, and for that of another object. */
  private static int markersEnd(String text, int at, String[] literals, boolean hasLabel) {
    for (String literal : literals) {
      if (!hasAt(text, at, literal)) {
        continue;
      }
      int end = at + literal.length();
      if (!hasLabel) {
        while (end < text.length() && !isOneOf(text.charAt(end), "\n\r\\\"")) {
          end++;
        }
        return end;
      }
      int key = labelEnd(text.substring(end, Math.min(text.length(), end + MAX_LABEL)));
      if (key < 0) {
        continue;
      }
      String rest = text.substring(end, Math.min(text.length(), end + key + MAX_LABEL));
      int dashes = rest.indexOf("----", key);
      end += dashes < 0 ? key : dashes;
      for (int left = 5; left > 0 && Characters.at(text, end) == '-'; left--) {
        end++;
      }
      return end;
    }
    return -1;
  }

  /** Behind "PRIVATE KEY" in a label; -1 without. */
  private static int labelEnd(String label) {
    int key = Characters.find(label, "private", 0);
    if (key >= 0) {
      int word = key + 7;
      while (word < label.length() && word < key + 10 && isOneOf(label.charAt(word), " +_-%20")) {
        word++;
      }
      return hasAt(label, word, "key") ? word + 3 : -1;
    }
    key = Characters.find(label, "static key", 0);
    return key < 0 ? -1 : key + 10;
  }

  private static int keyEnd(String line, int at) {
    while (at < line.length()
        && (isAlnum(line.charAt(at)) || isOneOf(line.charAt(at), "+/=")
            || line.charAt(at) == '\\' && Characters.at(line, at + 1) == '/')) {
      at++;
    }
    return at;
  }

  /** Base64 of a few bytes, and no word. */
  private static boolean isMixed(String word) {
    boolean hasLetter = false;
    boolean hasDigit = false;
    boolean hasLower = false;
    boolean hasInnerUpper = false;
    for (int i = 0; i < word.length(); i++) {
      char c = word.charAt(i);
      if (c == '+') {
        return true;
      }
      hasLetter = hasLetter || isLetter(c);
      hasDigit = hasDigit || isDigit(c);
      hasLower = hasLower || isLower(c);
      hasInnerUpper = hasInnerUpper || i > 0 && isUpper(c);
    }
    return word.endsWith("=") || hasLetter && (hasDigit || hasLower && hasInnerUpper);
  }

  /** The part of a line that is between quotes, brackets and escaped line ends: 'MII…\n' + */
  private static int[] coreOf(String line) {
    int begin = 0;
    int end = line.length();
    while (begin < end && (isSpace(line.charAt(begin)) || isOneOf(line.charAt(begin), "\"'`>|,[({"))) {
      begin++;
    }
    while (true) {
      char last = end > begin ? line.charAt(end - 1) : 'x';
      if (end > begin && (isSpace(last) || isOneOf(last, "\"'`\\,;)]}"))) {
        end--;
      } else if (end > begin + 1 && isOneOf(last, "nr") && line.charAt(end - 2) == '\\') {
        end -= 2;
      } else if (end > begin + 1 && last == '+' && isSpace(line.charAt(end - 2))) {
        end--; // of source code
      } else {
        return new int[] {begin, end};
      }
    }
  }

  /** The part of a line that belongs to a key; empty for other lines. `follows` is whether the line before did. */
  private static int[] partOfKey(String line, boolean follows) {
    int[] none = {0, 0};
    int[] core = coreOf(line);
    if (core[0] == core[1]) {
      return none;
    }
    if (keyEnd(line, core[0]) >= core[1]) {
      String word = line.substring(core[0], core[1]);
      return follows || word.length() >= 20 && isMixed(word) || word.endsWith("=") ? core : none;
    }
    int[] part = {0, 0};
    int word = core[0];
    for (int at = core[0]; at < core[1]; at++) {
      if (!isAlnum(line.charAt(at)) && !isOneOf(line.charAt(at), "+/=")) {
        continue;
      }
      word = at;
      at = Math.min(keyEnd(line, at), core[1]);
      if (at - word < LINE_OF_KEY || !isMixed(line.substring(word, at))) {
        continue;
      }
      if (part[1] == 0) {
        part[0] = word;
      }
      part[1] = at;
    }
    boolean isLast = Math.min(keyEnd(line, word), core[1]) == core[1];
    if (part[1] > 0) {
      if (isLast && part[1] < word && line.substring(part[1], word).equals(" ")) {
        part[1] = core[1];
      }
      return part;
    }
    // The last, short line: in quotes with something behind them, or behind the header of a log.
    int firstEnd = keyEnd(line, core[0]);
    boolean isFirst = line.substring(0, core[0]).indexOf(',') < 0;
    if (follows && isFirst && firstEnd > core[0] && Unit.at(line, firstEnd).isQuote()) {
      return new int[] {core[0], firstEnd};
    }
    if (word < core[0] + 2 || !isLast) {
      return none;
    }
    String last = line.substring(word, core[1]);
    boolean isBehindHeader = Characters.isQuote(line.charAt(word - 1))
        || line.charAt(word - 1) == ' ' && isOneOf(line.charAt(word - 2), ":-]|>)");
    boolean isLong = last.length() >= (follows ? 4 : 20) || last.endsWith("=");
    return isBehindHeader && isLong && isMixed(last) ? new int[] {word, core[1]} : none;
  }

  private static boolean isHeader(String line) {
    int begin = coreOf(line)[0];
    for (String header : HEADERS) {
      if (hasAt(line, begin, header)) {
        return true;
      }
    }
    return false;
  }
}

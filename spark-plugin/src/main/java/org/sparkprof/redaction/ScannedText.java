// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.hex;
import static org.sparkprof.redaction.Characters.isAlnum;
import static org.sparkprof.redaction.Characters.isBlank;
import static org.sparkprof.redaction.Characters.isOneOf;

import java.util.ArrayList;
import java.util.List;

/** A text and the secrets found in it so far. */
final class ScannedText {
  final String text;
  /** Begin and end of each secret, ascending. */
  final List<int[]> secrets = new ArrayList<>(0);
  /** Everything before it is decided. */
  int from;
  /** Secrets behind the current position, ascending. */
  private final List<int[]> later = new ArrayList<>(0);

  ScannedText(String text) {
    this.text = text;
  }

  char at(int at) {
    return Characters.at(text, at);
  }

  /** The character before `at`; what has been redacted looks like its replacement. */
  char before(int at) {
    if (at == 0) {
      return '\0';
    }
    return at == from && !secrets.isEmpty() ? ')' : text.charAt(at - 1);
  }

  int redact(int begin, int end) {
    secrets.add(new int[] {begin, end});
    from = end;
    return end;
  }

  /** Redacts a part once the search reaches it: other forms come first. */
  void redactLater(int begin, int end) {
    if (end == begin || isRedactedAt(begin)) {
      return;
    }
    int place = later.size();
    while (place > 0 && later.get(place - 1)[0] > begin) {
      place--;
    }
    if (place == 0 || later.get(place - 1)[0] != begin) {
      later.add(place, new int[] {begin, end});
    }
  }

  void redactBefore(int at) {
    while (!later.isEmpty() && later.get(0)[0] < at) {
      int[] secret = later.remove(0);
      if (secret[0] >= from) {
        redact(secret[0], secret[1]);
      }
    }
  }

  boolean isRedactedAt(int at) {
    return text.startsWith(TextRedaction.REPLACEMENT, at);
  }

  /** Nothing before its end is part of another secret. */
  int skipRedacted(int at) {
    from = Math.max(from, at + TextRedaction.REPLACEMENT.length());
    return from;
  }

  int skipBlanks(int at) {
    while (at < text.length() && (isBlank(text.charAt(at)) || text.charAt(at) == '\0')) {
      at++;
    }
    return at;
  }

  /** Whether `at` may begin a word: \nghp_… and %20ghp_… do, the letter before is part of an escape. */
  boolean beginsWord(int at) {
    if (at <= from || !isAlnum(text.charAt(at - 1))) {
      return true;
    }
    if (at >= from + 2 && text.charAt(at - 2) == '\\' && isOneOf(text.charAt(at - 1), "nrt")) {
      return true;
    }
    return at >= from + 3 && text.charAt(at - 3) == '%' && hex(text.charAt(at - 2)) >= 0
        && hex(text.charAt(at - 1)) >= 0;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.isOneOf;
import static org.sparkprof.redaction.Characters.isSpace;

import java.util.ArrayList;
import java.util.List;

/**
 * Options of commands that take a secret (curl -u). Their values wait until a search passes them: other forms come
 * first.
 */
final class CommandLine {
  private static final int MAX_COMMAND = 512;

  private final ScannedText scan;
  /** Ascending. */
  private final List<ValueSpan> values = new ArrayList<>(0);

  CommandLine(ScannedText scan) {
    this.scan = scan;
  }

  /** Remembers the values of the command's options that are secrets. Returns where to go on. */
  int remember(int at, String command) {
    String text = scan.text;
    int behind = at + command.length();
    boolean isPart = at > scan.from && isOneOf(text.charAt(at - 1), "_.-") || !scan.beginsWord(at);
    if (isPart || behind >= text.length() || !isSpace(text.charAt(behind))) {
      return at + 1;
    }
    int limit = Math.min(text.length(), behind + MAX_COMMAND);
    for (int i = behind; i < limit && text.charAt(i) != '\n'; i++) {
      if (text.charAt(i) != '-' || !isSpace(text.charAt(i - 1))) {
        continue;
      }
      for (Rules.CommandRule rule : Rules.get().commands) {
        if (rule.command.equals(command) && text.startsWith(rule.option, i)) {
          rememberValue(rule, i + rule.option.length());
        }
      }
    }
    return behind;
  }

  private void rememberValue(Rules.CommandRule rule, int glued) {
    String text = scan.text;
    boolean isApart = glued < text.length() && isSpace(text.charAt(glued));
    boolean isAssigned = scan.at(glued) == '=' && rule.option.startsWith("--");
    if (rule.form == '+' && isApart || (rule.form == '-' || rule.form == ':') && !isApart && !isAssigned) {
      return;
    }
    int value = isApart ? scan.skipBlanks(glued) : isAssigned ? glued + 1 : glued;
    if (value >= text.length() || text.charAt(value) == '-' || text.charAt(value) == '\n') {
      return;
    }
    ValueSpan span = ValueSpan.at(text, value, ValueSpan.Kind.PLAIN);
    if (rule.form == ':') {
      int colon = text.indexOf(':', span.begin);
      if (colon < 0 || colon >= span.end) {
        return;
      }
      span = new ValueSpan(colon + 1, span.end, span.behind);
    }
    if (span.end == span.begin || scan.isRedactedAt(span.begin)) {
      return;
    }
    int place = values.size();
    while (place > 0 && values.get(place - 1).begin > span.begin) {
      place--;
    }
    values.add(place, span);
  }

  /** Redacts the remembered values that begin before `at`. */
  void redactBefore(int at) {
    while (!values.isEmpty() && values.get(0).begin < at) {
      ValueSpan span = values.remove(0);
      if (span.begin >= scan.from) {
        scan.redact(span.begin, span.end);
      }
    }
  }
}

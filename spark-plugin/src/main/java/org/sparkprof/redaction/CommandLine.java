// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.hasAt;
import static org.sparkprof.redaction.Characters.isOneOf;
import static org.sparkprof.redaction.Characters.isSpace;

/** Options of commands that take a secret (curl -u). */
final class CommandLine {
  private static final int MAX_COMMAND = 8192;

  private CommandLine() {}

  /** The values of the command's options that are secrets, to be redacted when the search reaches them. */
  static int redactOptions(ScannedText scan, int at, String command) {
    String text = scan.text;
    int behind = at + command.length();
    boolean isPart = at > scan.from && isOneOf(text.charAt(at - 1), "_.-") || !scan.beginsWord(at);
    if (isPart || behind >= text.length() || !isSpace(text.charAt(behind))) {
      return at + 1;
    }
    int limit = Math.min(text.length(), behind + MAX_COMMAND);
    for (int i = behind; i < limit && text.charAt(i) != '\n'; i++) {
      if (!isSpace(text.charAt(i - 1))) {
        continue;
      }
      if (hasAt(text, i, command)) { // the next one has its own options
        break;
      }
      if (text.charAt(i) != '-') {
        continue;
      }
      for (Rules.CommandRule rule : Rules.get().commands) {
        if (rule.command.equals(command) && text.startsWith(rule.option, i)) {
          redactOption(scan, rule, i + rule.option.length());
        }
      }
    }
    return behind;
  }

  private static void redactOption(ScannedText scan, Rules.CommandRule rule, int glued) {
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
    int begin = span.begin;
    if (rule.form == ':') {
      int colon = text.indexOf(':', begin);
      if (colon < 0 || colon >= span.end) {
        return;
      }
      begin = colon + 1;
    }
    scan.redactLater(begin, span.end);
  }
}

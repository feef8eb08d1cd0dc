// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.sparkprof.redaction.TriggerIndex.Kind;
import org.sparkprof.redaction.TriggerIndex.Trigger;

/** Goes through a text once, and hands each literal of the rules to the form that it may begin. */
final class SecretSearch {
  private static final int MAX_ENCODINGS = 16;

  private final TriggerIndex triggers = Rules.get().triggers;
  private final ScannedText scan;

  private SecretSearch(String text) {
    scan = new ScannedText(text);
  }

  /** Begin and end of the secrets of the text as it is and of what it decodes to, ascending. */
  static List<int[]> find(String text) {
    List<int[]> secrets = new SecretSearch(text).run();
    DecodedText decoded = DecodedText.of(text);
    for (int depth = 0; decoded != null; depth++) {
      if (depth == MAX_ENCODINGS) { // what else is in there is unknown
        return new ArrayList<>(Collections.singletonList(new int[] {0, text.length()}));
      }
      for (int[] secret : new SecretSearch(decoded.text).run()) {
        secrets.add(new int[] {decoded.origin[secret[0]], decoded.origin[secret[1]]});
      }
      decoded = decoded.further();
    }
    secrets.sort(Comparator.comparingInt(secret -> secret[0]));
    return secrets;
  }

  /** False for most texts. */
  static boolean mayFind(String text) {
    return firstTrigger(text) >= 0 || DecodedText.mayDecode(text);
  }

  /** Where the first literal of the rules may begin, or an at sign; -1 in most texts. */
  private static int firstTrigger(String text) {
    TriggerIndex triggers = Rules.get().triggers;
    int length = text.length();
    if (length < 3) {
      return -1;
    }
    int hash = TriggerIndex.hash(TriggerIndex.hash(0, text.charAt(0)), text.charAt(1));
    for (int i = 2; i < length; i++) {
      char c = text.charAt(i);
      hash = TriggerIndex.hash(hash, c);
      if (c == '@') {
        return Math.max(0, i - 2);
      }
      if (triggers.mayBegin(hash) && TriggerIndex.isAt(text, i - 2, triggers.triggers(hash))) {
        return i - 2;
      }
    }
    return -1;
  }

  private List<int[]> run() {
    String text = scan.text;
    int at = firstTrigger(text);
    if (at < 0) {
      return scan.secrets;
    }
    int hash = 0;
    int hashed = -1; // the end of what `hash` is of
    while (at + 2 < text.length()) {
      hash = hashed == at + 2 ? TriggerIndex.hash(hash, text.charAt(at + 2)) : TriggerIndex.hash(text, at);
      hashed = at + 3;
      boolean isUserInfo = text.charAt(at) == '@';
      if (!isUserInfo && !triggers.mayBegin(hash)) {
        at++;
        continue;
      }
      scan.redactBefore(at);
      if (scan.from <= at) {
        at = isUserInfo ? UrlShape.redactUserInfo(scan, at) : stop(at, triggers.triggers(hash));
      }
      at = Math.max(at, scan.from);
    }
    scan.redactBefore(text.length());
    return scan.secrets;
  }

  /** Tries every literal that may begin at `at`. Returns where to go on. */
  private int stop(int at, List<Trigger> here) {
    int next = at + 1;
    boolean isName = false;
    for (Trigger trigger : here) {
      if (!trigger.isAt(scan.text, at)) {
        continue;
      }
      if (trigger.kind == Kind.NAME) {
        isName = true;
        continue;
      }
      next = Math.max(next, stopAt(at, trigger));
      if (scan.from > at) {
        return next;
      }
    }
    return isName ? Math.max(next, Assignment.redact(scan, at)) : next;
  }

  private int stopAt(int at, Trigger trigger) {
    int behind = at + trigger.literal.length();
    switch (trigger.kind) {
      case TOKEN:
        return TokenShape.redactPrefixed(scan, at, trigger);
      case URL:
        return UrlShape.redactUrl(scan, at, behind);
      case ORACLE:
        return UrlShape.redactOracle(scan, behind);
      case WEBHOOK:
        return UrlShape.redactWebhook(scan, behind);
      case PRIVATE_KEY:
        return PrivateKeyLines.redact(scan, at);
      case SCHEME:
        return trigger.literal.equals("eyj")
            ? TokenShape.redactWebToken(scan, at)
            : TokenShape.redactCredentials(scan, at, behind, trigger.literal.equals("bearer"));
      case COMMAND:
        return CommandLine.redactOptions(scan, at, trigger.literal);
      case FUNCTION:
        return KeyArgument.redact(scan, at, trigger);
      case IDENTIFIED_BY:
        return SecretDecision.redactIdentifiedBy(scan, at, behind);
      default:
        return at + 1;
    }
  }
}

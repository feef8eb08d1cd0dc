// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.hasAt;
import static org.sparkprof.redaction.Characters.isAlnum;
import static org.sparkprof.redaction.Characters.isDigit;
import static org.sparkprof.redaction.Characters.isLower;
import static org.sparkprof.redaction.Characters.isOneOf;
import static org.sparkprof.redaction.Characters.isQuote;
import static org.sparkprof.redaction.Characters.isSpace;

import org.sparkprof.redaction.TriggerIndex.Kind;

/** Secrets by their place in a URL or an address. */
final class UrlShape {
  private static final int MAX_USER_INFO = 1024;
  private static final int MAX_AUTHORITY = 4096;

  private UrlShape() {}

  /** The end of a URL in the text, at most at `limit`. */
  private static int urlEnd(ScannedText scan, int at, int limit) {
    String text = scan.text;
    while (at < text.length() && at < limit && !isSpace(text.charAt(at)) && !isQuote(text.charAt(at))
        && !isOneOf(text.charAt(at), "<>\\")) {
      at++;
    }
    return at;
  }

  /** The last @ of [begin, end), or -1. */
  private static int lastAt(ScannedText scan, int begin, int end) {
    String text = scan.text;
    for (int at = end - 1; at >= begin; at--) {
      if (text.charAt(at) == '@') {
        return at;
      }
    }
    return -1;
  }

  /**
   * scheme://user:PASSWORD@host: up to the last @ of the URL, as passwords may have one. A number behind the first
   * colon is a port.
   */
  static int redactUrl(ScannedText scan, int at, int begin) {
    String text = scan.text;
    if (at <= scan.from || !isAlnum(text.charAt(at - 1))) {
      return at + 1;
    }
    int colon = begin;
    while (colon < text.length() && colon - begin < MAX_USER_INFO && !isOneOf(text.charAt(colon), ":/?#@[,")
        && !isSpace(text.charAt(colon)) && !isQuote(text.charAt(colon)) && !isOneOf(text.charAt(colon), "<>\\")) {
      colon++;
    }
    if (scan.at(colon) == '@') {
      // https://joe@example.com:PASSWORD@host
      int hostEnd = hostEnd(text, colon);
      if (scan.at(hostEnd) != ':') {
        return redactLoneUser(scan, at, begin, colon);
      }
      colon = hostEnd;
    }
    if (scan.at(colon) != ':') {
      return begin;
    }
    int port = colon + 1;
    while (isDigit(scan.at(port))) {
      port++;
    }
    if (port > colon + 1
        && (port >= text.length() || !(isAlnum(text.charAt(port)) || isOneOf(text.charAt(port), "@:!$%&*+=~_-.^")))) {
      return begin;
    }
    int last = lastAt(scan, colon + 1, urlEnd(scan, colon + 1, colon + MAX_AUTHORITY));
    if (last <= colon + 1) {
      return begin;
    }
    if (scan.isRedactedAt(colon + 1) && last == colon + 1 + TextRedaction.REPLACEMENT.length()) {
      return scan.skipRedacted(colon + 1);
    }
    scan.redact(colon + 1, last);
    return last;
  }

  /** The end of a host behind `at`; the end of the text when it is too long. */
  private static int hostEnd(String text, int at) {
    int limit = Math.min(text.length(), at + MAX_USER_INFO);
    for (int end = at; end < limit; end++) {
      if (isOneOf(text.charAt(end), ":/?#[, \t\r\n\"'<>\\")) {
        return end;
      }
    }
    return text.length();
  }

  /** https://TOKEN@host. */
  private static int redactLoneUser(ScannedText scan, int at, int begin, int end) {
    String text = scan.text;
    boolean isWeb = at >= 4 && hasAt(text, at - 4, "http") || at >= 5 && hasAt(text, at - 5, "https");
    return isWeb && SecretValue.looksLikeKey(text.substring(begin, end)) ? scan.redact(begin, end) : begin;
  }

  /** jdbc:oracle:thin:user/PASSWORD@host. */
  static int redactOracle(ScannedText scan, int begin) {
    String text = scan.text;
    int slash = begin;
    while (slash < text.length() && slash - begin < MAX_USER_INFO && !isOneOf(text.charAt(slash), "/@:")
        && !isSpace(text.charAt(slash)) && !isQuote(text.charAt(slash))) {
      slash++;
    }
    if (scan.at(slash) != '/' || slash == begin) {
      return begin;
    }
    int first = slash + 1;
    if (scan.at(first) == '"' || scan.at(first) == '\\') {
      ValueSpan span = ValueSpan.at(text, first, ValueSpan.Kind.PLAIN);
      if (scan.isRedactedAt(span.begin)) {
        return scan.skipRedacted(span.begin);
      }
      if (scan.at(span.behind) == '@' && span.end > span.begin) {
        return scan.redact(span.begin, span.end);
      }
    }
    int last = lastAt(scan, first, urlEnd(scan, first, first + MAX_AUTHORITY));
    if (last <= first) {
      return begin;
    }
    return scan.isRedactedAt(first) ? scan.skipRedacted(first) : scan.redact(first, last);
  }

  /** user:PASSWORD@host, without a scheme before it. */
  static int redactUserInfo(ScannedText scan, int at) {
    String text = scan.text;
    int begin = at;
    while (begin > scan.from && at - begin < MAX_USER_INFO && !isSpace(text.charAt(begin - 1))
        && !isQuote(text.charAt(begin - 1)) && !isOneOf(text.charAt(begin - 1), "=,;()<>{}[]/\\|&?")) {
      begin--;
    }
    int colon = begin;
    while (colon < at && text.charAt(colon) != ':') {
      colon++;
    }
    if (colon == begin || at - colon < 4) {
      return at + 1;
    }
    for (int i = begin; i < colon; i++) {
      if (!isAlnum(text.charAt(i)) && !isOneOf(text.charAt(i), "._-+@")) {
        return at + 1;
      }
    }
    if (Rules.get().labels.contains(Rules.lower(text.substring(begin, colon)))) {
      return at + 1;
    }
    int end = at + 1;
    boolean hasDot = false;
    while (end < text.length() && (isAlnum(text.charAt(end)) || isOneOf(text.charAt(end), ".-_"))) {
      hasDot = hasDot || text.charAt(end) == '.' && isAlnum(scan.at(end + 1));
      end++;
    }
    if (end == at + 1) {
      return at + 1;
    }
    boolean hasPort = scan.at(end) == ':' && isDigit(scan.at(end + 1));
    boolean isHost = hasDot || hasPort || hasAt(text, at + 1, "localhost") || scan.at(end) == '/';
    boolean isName = text.substring(colon + 1, at).chars().allMatch(c -> isLower((char) c) || c == '.');
    if (!isHost || isName && !hasPort) {
      return at + 1;
    }
    scan.redact(colon + 1, at);
    return at + 1;
  }

  static int redactWebhook(ScannedText scan, int begin) {
    String text = scan.text;
    int end = urlEnd(scan, begin, text.length());
    if (end == begin) {
      return begin;
    }
    return scan.isRedactedAt(begin) ? scan.skipRedacted(begin) : scan.redact(begin, end);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Spark's own log, every line marked so that users can search for it. Nothing is ever printed to standard output. */
public final class Log {
  private static final Logger LOGGER = LoggerFactory.getLogger("org.sparkprof.SparkProf");
  private static final String PREFIX = "sparkprof: ";
  /** Characters of a line, with room for the header that the log's layout adds. */
  static final int MAX_LINE = 250;
  private static final int MAX_REDACTED = 8192;

  private static final String REPLACEMENT = Matcher.quoteReplacement("*********(redacted)");
  /**
   * Possible secrets, for text that does not pass through the agent, which has the exact rules (redaction/README.md).
   * These few lose too much rather than too little: a URL's user and query, tokens by their prefix, and everything
   * behind the name of a secret.
   */
  private static final Pattern SECRET = Pattern.compile("(?is)(?<=://)\\S*@|(?<=\\?)\\S*=\\S*"
      + "|\\b(?:eyJ|gh[opsu]_|github_pat_|glpat-|xox[a-z]-|sk[-_]|hf_|dapi)[\\w.+/=-]{8,}"
      + "|(?<=\\b(?:bearer|basic)\\s{1,9})\\S.*"
      + "|(?<=--?[\\w.-]{0,60}(?:pass|secret|token|key)[\\w.-]{0,60}\\s{1,9})\\S.*"
      + "|(?:pass|pwd|secret|token|credential|key|auth|cookie|signature|\\bsig)[\\w.-]*"
      + "(?:[\"'\\])}]*\\s*[=:>]|[\"']\\s*,).*");

  private Log() {}

  static void info(String message) {
    LOGGER.info(line(message));
  }

  static void warn(String message) {
    LOGGER.warn(line(message));
  }

  public static void debug(String message, Throwable cause) {
    if (LOGGER.isDebugEnabled()) {
      LOGGER.debug(line(message + ": " + cause + " at " + firstFrame(cause)));
    }
  }

  /** One line without secrets: a message of another program may have many, or be of any length. */
  static String line(String message) {
    // Text that is cut off is not printed; redacting all of a huge message takes time.
    String start = message.length() > MAX_REDACTED ? message.substring(0, MAX_REDACTED) : message;
    StringBuilder line = new StringBuilder(PREFIX);
    for (char c : withoutSecrets(start).toCharArray()) {
      line.append(c < ' ' || c == 0x7f || Character.isISOControl(c) ? ' ' : c);
    }
    if (line.length() > MAX_LINE) {
      int end = MAX_LINE - 1;
      line.setLength(Character.isHighSurrogate(line.charAt(end - 1)) ? end - 1 : end);
      line.append('…');
    }
    return line.toString();
  }

  /** Without what may be a secret. */
  static String withoutSecrets(String text) {
    return SECRET.matcher(text).replaceAll(REPLACEMENT);
  }

  private static String firstFrame(Throwable cause) {
    StackTraceElement[] frames = cause.getStackTrace();
    return frames.length == 0 ? "an unknown place" : frames[0].toString();
  }

  /** An error as one line: its message, or its class if it has none. */
  public static String reason(Throwable error) {
    String message = error.getMessage();
    return message == null || message.isEmpty() ? error.getClass().getName() : message;
  }
}

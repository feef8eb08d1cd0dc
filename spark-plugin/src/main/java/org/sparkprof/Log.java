// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sparkprof.redaction.TextRedaction;

/** Spark's own log, every line marked so that users can search for it. Nothing is ever printed to standard output. */
final class Log {
  private static final Logger LOGGER = LoggerFactory.getLogger("org.sparkprof.SparkProf");
  private static final String PREFIX = "sparkprof: ";

  private Log() {}

  static void info(String message) {
    LOGGER.info(PREFIX + TextRedaction.redact(message));
  }

  static void warn(String message) {
    LOGGER.warn(PREFIX + TextRedaction.redact(message));
  }

  static void debug(String message, Throwable cause) {
    LOGGER.debug(PREFIX + message, cause);
  }

  /** An error as one line: its message, or its class if it has none. */
  static String reason(Throwable error) {
    String message = error.getMessage();
    return message == null || message.isEmpty() ? error.getClass().getName() : message;
  }
}

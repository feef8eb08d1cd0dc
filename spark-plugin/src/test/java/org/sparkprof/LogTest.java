// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class LogTest {
  @Test
  void aLineOfAnyMessageIsShort() {
    StringBuilder message = new StringBuilder("cannot write: ");
    for (int i = 0; i < 200_000; i++) {
      message.append("spark.x.").append(i).append("=y, ");
    }
    String line = Log.line(message.toString());
    assertEquals(Log.MAX_LINE, line.length());
    assertTrue(line.startsWith("sparkprof: cannot write: spark.x.0=y"), line);
    assertTrue(line.endsWith("…"), line);
  }

  @Test
  void aMessageOfSeveralLinesIsOneLine() {
    assertEquals("sparkprof: a b  c", Log.line("a\nb\r\nc"));
    assertFalse(Log.line("\u001b[31mred").contains("\u001b"));
  }

  @Test
  void secretsAreRedactedBeforeTheLineIsCut() {
    StringBuilder secret = new StringBuilder("password=");
    for (int i = 0; i < 300; i++) {
      secret.append("hunter2");
    }
    assertFalse(Log.line(secret.toString()).contains("hunter"));
  }
}

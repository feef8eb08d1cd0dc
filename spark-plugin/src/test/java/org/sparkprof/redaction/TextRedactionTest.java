// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TextRedactionTest {
  private static final class Case {
    String setting;
    String input;
    String expected;
    int line;
  }

  /** redaction/cases.txt describes its syntax. */
  private static List<Case> cases() throws IOException {
    List<Case> cases = new ArrayList<>();
    int number = 0;
    for (String raw : Files.readAllLines(Paths.get("..", "redaction", "cases.txt"), StandardCharsets.UTF_8)) {
      String line = raw.replace('␤', '\n');
      number++;
      if (line.startsWith("text: ") || line.startsWith("setting: ")) {
        Case added = new Case();
        added.line = number;
        int middle = line.startsWith("setting: ") ? line.indexOf(" := ") : -1;
        added.setting = middle < 0 ? null : line.substring(9, middle);
        added.input = line.substring(middle < 0 ? 6 : middle + 4);
        cases.add(added);
      } else if (line.startsWith("gives: ")) {
        cases.get(cases.size() - 1).expected = line.substring(7).replace("§", TextRedaction.REPLACEMENT);
      } else if (line.equals("stays")) {
        cases.get(cases.size() - 1).expected = cases.get(cases.size() - 1).input;
      }
    }
    return cases;
  }

  @Test
  void everyCaseOfTheSharedFileIsRedactedAsItSays() throws IOException {
    List<Case> cases = cases();
    assertTrue(cases.size() > 100);
    for (Case c : cases) {
      String redacted =
          c.setting == null ? TextRedaction.redact(c.input) : TextRedaction.redactSetting(c.setting, c.input);
      assertEquals(c.expected, redacted, "redaction/cases.txt:" + c.line);
    }
  }

  @Test
  void redactingTwiceIsTheSameAsOnce() throws IOException {
    for (Case c : cases()) {
      String once = TextRedaction.redact(c.input);
      assertEquals(once, TextRedaction.redact(once), "redaction/cases.txt:" + c.line);
    }
  }

  @Test
  void textWithoutSecretsIsTheSameObject() {
    String text = "Running task 0.0 in stage 3.0 (TID 17)";
    assertSame(text, TextRedaction.redact(text));
  }
}

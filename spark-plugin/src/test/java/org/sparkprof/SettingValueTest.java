// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import org.junit.jupiter.api.Test;

/** settings/values.txt, the cases that src/settings/settings_test.cc runs in C++. */
final class SettingValueTest {
  @Test
  void textsMeanWhatTheFileOfCasesSays() throws IOException {
    int count = 0;
    for (String line : Files.readAllLines(Paths.get("../settings/values.txt"), StandardCharsets.UTF_8)) {
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String[] cells = line.split("\t", -1);
      assertEquals(3, cells.length, line);
      String meaning = SettingsAgreement.meaning(SettingsTable.SETTINGS.get(cells[0]), unfold(cells[1]));
      if (cells[2].equals("refused")) {
        assertTrue(meaning.startsWith("refused: "), line + " → " + meaning);
      } else {
        assertEquals(cells[2], meaning, line);
      }
      count++;
    }
    assertTrue(count > 100, "cases: " + count);
  }

  @Test
  void everyDefaultIsAValue() {
    assertTrue(SettingsTable.SETTINGS.size() > 10);
    for (Setting setting : SettingsTable.SETTINGS.values()) {
      assertTrue(setting.standard.isEmpty() || !setting.read(setting.standard).isEmpty(), setting.key);
    }
  }

  /** "\t" is a tab, "\n" a line end, "\0" NUL and "\\" a backslash. */
  private static String unfold(String text) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        c = text.charAt(++i);
        c = c == 't' ? '\t' : c == 'n' ? '\n' : c == '0' ? '\0' : c;
      }
      out.append(c);
    }
    return out.toString();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** All settings: settings/settings.tsv, a part of the jar. */
final class SettingsTable {
  /** By key, in the order of the table. */
  static final Map<String, Setting> SETTINGS = Collections.unmodifiableMap(read());

  private static final int COLUMNS = 7;
  private static final int MOST_TYPING_ERRORS = 3;

  private SettingsTable() {}

  /** The known key that is written most like the given one; null when none is near. */
  static String nearestKey(String key) {
    String nearest = null;
    int fewest = Math.min(MOST_TYPING_ERRORS, key.length() / 2) + 1;
    for (String known : SETTINGS.keySet()) {
      int errors = typingErrors(key, known);
      if (errors < fewest) {
        fewest = errors;
        nearest = known;
      }
    }
    return nearest;
  }

  /** Insertions, deletions and replacements that make one text of the other. */
  private static int typingErrors(String left, String right) {
    int[] row = new int[right.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 0; i < left.length(); i++) {
      int diagonal = row[0];
      row[0] = i + 1;
      for (int j = 0; j < right.length(); j++) {
        int replaced = diagonal + (left.charAt(i) == right.charAt(j) ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = Math.min(replaced, Math.min(row[j], diagonal) + 1);
      }
    }
    return row[right.length()];
  }

  private static Map<String, Setting> read() {
    Map<String, Setting> settings = new LinkedHashMap<>();
    try (InputStream in = SettingsTable.class.getResourceAsStream("settings.tsv")) {
      if (in == null) {
        throw new IllegalStateException("the plugin's jar lacks settings.tsv");
      }
      BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isEmpty() && !line.startsWith("#")) {
          String[] cells = line.split("\t", COLUMNS);
          settings.put(cells[0], new Setting(cells[0], cells[1], cells[2], cells[3], cells[5].equals("yes")));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return settings;
  }
}

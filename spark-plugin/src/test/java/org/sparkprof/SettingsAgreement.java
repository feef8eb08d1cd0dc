// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Compares what C++ reads in texts with what Java reads in them: {@code fuzz/settings_texts COUNT SEED | java
 * org.sparkprof.SettingsAgreement}. Each record on standard input has three strings (length in four bytes, UTF-8): key,
 * text, meaning. The last one has the key "end" and as its text the number of records. Exit code 1 = they differ.
 */
final class SettingsAgreement {
  private SettingsAgreement() {}

  public static void main(String[] arguments) throws IOException {
    DataInputStream in = new DataInputStream(new BufferedInputStream(System.in, 1 << 16));
    Map<String, Integer> accepted = new HashMap<>();
    long count = 0;
    for (;;) {
      String key = string(in);
      String text = string(in);
      String theirs = string(in);
      if (key.equals("end")) {
        boolean whole = text.equals(String.valueOf(count));
        System.out.println(whole ? count + " texts, no difference; accepted: " + accepted : "the input is truncated");
        System.exit(whole ? 0 : 1);
      }
      String ours = meaning(SettingsTable.SETTINGS.get(key), text);
      if (!ours.equals(theirs)) {
        System.out.println(key + ": \"" + escaped(text) + "\"\n  C++:  " + theirs + "\n  Java: " + ours);
        System.exit(1);
      }
      if (!ours.startsWith("refused: ")) {
        accepted.merge(key, 1, Integer::sum);
      }
      count++;
    }
  }

  /** The value, or "refused: " and why. A location that is not refused must be one that the plugin can use. */
  static String meaning(Setting setting, String text) {
    try {
      String value = setting.read(text);
      return setting.key.equals("dir") && Place.uri(value) == null ? "no location" : value;
    } catch (IllegalArgumentException e) {
      return "refused: " + e.getMessage();
    }
  }

  private static String string(DataInputStream in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static String escaped(String text) {
    StringBuilder out = new StringBuilder();
    for (char c : text.toCharArray()) {
      out.append(c >= ' ' && c < 0x7f ? String.valueOf(c) : String.format("\\u%04x", (int) c));
    }
    return out.toString();
  }
}

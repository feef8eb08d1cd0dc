// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The Java half of fuzz/settings_compare.cc: reads settings' texts from standard input and answers with what they mean
 * here. A request is the number of the setting in the table (one byte), a length (four bytes, big-endian) and the text in
 * UTF-8; an answer is a length and the meaning. A request of number 255 makes all answers go out.
 */
final class SettingsPeer {
  private static final int FLUSH = 255;

  private SettingsPeer() {}

  public static void main(String[] arguments) throws IOException {
    List<Setting> settings = new ArrayList<>(SettingsTable.SETTINGS.values());
    DataInputStream in = new DataInputStream(new BufferedInputStream(System.in, 1 << 16));
    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out, 1 << 16));
    try {
      for (;;) {
        int number = in.readUnsignedByte();
        if (number == FLUSH) {
          out.flush();
          continue;
        }
        byte[] text = new byte[in.readInt()];
        in.readFully(text);
        byte[] meaning = meaning(settings.get(number), new String(text, StandardCharsets.UTF_8))
            .getBytes(StandardCharsets.UTF_8);
        out.writeInt(meaning.length);
        out.write(meaning);
      }
    } catch (EOFException end) {
      out.flush();
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
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * Reads pairs of text and redaction, in hexadecimal, one pair a line (fuzz/redaction_texts), and redacts each text.
 * Exits with 1 when a redaction differs.
 */
final class CompareRedaction {
  private CompareRedaction() {}

  public static void main(String[] args) throws IOException {
    long[] counts = compare(System.in);
    System.out.println(counts[0] + " texts, " + counts[1] + " differ");
    System.exit(counts[1] == 0 && counts[0] > 0 ? 0 : 1);
  }

  /** The number of texts, and of those that differ. */
  static long[] compare(InputStream in) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII));
    long texts = 0;
    long differ = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      int tab = line.indexOf('\t');
      String text = decode(line.substring(0, tab));
      String expected = decode(line.substring(tab + 1));
      String redacted = TextRedaction.redact(text);
      texts++;
      if (!redacted.equals(expected) && ++differ <= 10) {
        System.err.println("text:   " + text + "\nC++:    " + expected + "\nplugin: " + redacted);
      }
    }
    return new long[] {texts, differ};
  }

  private static String decode(String hexadecimal) {
    byte[] bytes = new byte[hexadecimal.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(hexadecimal.substring(2 * i, 2 * i + 2), 16);
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }
}

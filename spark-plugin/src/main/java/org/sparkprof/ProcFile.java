// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;

/** Short text files of /proc. */
final class ProcFile {
  private ProcFile() {}

  /** The file's text without surrounding white space; empty when it cannot be read. */
  static String line(String path) {
    try {
      return new String(Files.readAllBytes(Paths.get(path)), StandardCharsets.UTF_8).trim();
    } catch (IOException e) {
      return "";
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;

/** Short text files of /proc. */
final class ProcFile {
  private ProcFile() {}

  /** CPU time of the calling thread, ns; 0 = not known. Needs no class of the JVM's management. */
  static long ownCpuNs() {
    String[] numbers = line("/proc/thread-self/schedstat").split(" ");
    return numbers[0].isEmpty() ? 0 : Long.parseLong(numbers[0]);
  }

  /** The file's text without surrounding white space; empty when it cannot be read. */
  static String line(String path) {
    try {
      return new String(Files.readAllBytes(Paths.get(path)), StandardCharsets.UTF_8).trim();
    } catch (IOException e) {
      return "";
    }
  }
}

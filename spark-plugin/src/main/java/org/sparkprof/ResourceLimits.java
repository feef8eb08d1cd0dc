// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The limits of this process, from /proc/self/limits. */
final class ResourceLimits {
  static final String FILE_SIZE = "Max file size";
  static final String OPEN_FILES = "Max open files";

  private ResourceLimits() {}

  /** Long.MAX_VALUE when there is none or it is unknown. */
  static long softLimit(String name) {
    try {
      return softLimit(name, Files.readAllLines(Paths.get("/proc/self/limits"), StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      return softLimit(name, Collections.emptyList());
    }
  }

  static long softLimit(String name, List<String> lines) {
    for (String line : lines) {
      if (line.startsWith(name + " ")) {
        List<String> fields = Arrays.asList(line.substring(name.length()).trim().split(" +"));
        try {
          return Long.parseLong(fields.get(0));
        } catch (NumberFormatException e) {
          return Long.MAX_VALUE;
        }
      }
    }
    return Long.MAX_VALUE;
  }
}

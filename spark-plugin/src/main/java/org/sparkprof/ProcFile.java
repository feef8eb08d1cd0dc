// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** Facts of /proc about this process and the calling thread. */
final class ProcFile {
  private static final Path SELF_THREAD = Paths.get("/proc/thread-self");
  private static final Path SELF = Paths.get("/proc/self");

  private ProcFile() {}

  /** Thread ID of the caller; 0 if unavailable (no /proc/thread-self: before Linux 3.17). */
  static int threadId() {
    return lastNumber(SELF_THREAD);
  }

  /** 0 = unknown. */
  static int processId() {
    return lastNumber(SELF);
  }

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

  private static int lastNumber(Path link) {
    try {
      return Integer.parseInt(Files.readSymbolicLink(link).getFileName().toString());
    } catch (IOException | RuntimeException e) {
      return 0;
    }
  }
}

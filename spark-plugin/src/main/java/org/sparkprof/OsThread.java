// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** Operating-system ids of this process and of the calling thread, from /proc. */
final class OsThread {
  private static final Path SELF_THREAD = Paths.get("/proc/thread-self");
  private static final Path SELF = Paths.get("/proc/self");

  private OsThread() {}

  /** Thread ID of the caller; 0 if unavailable (no /proc/thread-self: before Linux 3.17). */
  static int current() {
    return lastNumber(SELF_THREAD);
  }

  /** Process id; 0 when unknown. */
  static int processId() {
    return lastNumber(SELF);
  }

  private static int lastNumber(Path link) {
    try {
      return Integer.parseInt(Files.readSymbolicLink(link).getFileName().toString());
    } catch (IOException | RuntimeException e) {
      return 0;
    }
  }
}

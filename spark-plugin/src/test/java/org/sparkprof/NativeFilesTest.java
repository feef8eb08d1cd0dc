// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NativeFilesTest {
  @TempDir Path folder;

  @Test
  void aProcessWithMuslsLoaderUsesMusl() throws IOException {
    assertTrue(NativeFiles.usesMusl(mappedFiles("/lib/ld-musl-x86_64.so.1")));
    assertTrue(NativeFiles.usesMusl(mappedFiles("/lib/ld-musl-aarch64.so.1")));
    assertTrue(NativeFiles.usesMusl(mappedFiles("/usr/lib/x86_64-linux-musl/libc.so")));
  }

  @Test
  void aProcessWithGlibcDoesNot() throws IOException {
    assertFalse(NativeFiles.usesMusl(mappedFiles("/lib/x86_64-linux-gnu/libc.so.6")));
    assertFalse(NativeFiles.usesMusl(folder.resolve("missing")));
  }

  private Path mappedFiles(String library) throws IOException {
    String lines = "55d0c8a00000-55d0c8a01000 r--p 00000000 fe:00 1311 /usr/bin/java\n"
        + "7f1f5a600000-7f1f5a628000 r-xp 00000000 fe:00 1312 " + library + "\n";
    return Files.write(folder.resolve("maps"), lines.getBytes("UTF-8"));
  }
}

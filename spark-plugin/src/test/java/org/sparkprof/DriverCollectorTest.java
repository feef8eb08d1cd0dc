// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DriverCollectorTest {
  @TempDir Path folder;

  private DriverCollector collector(long maxBytes) {
    return new DriverCollector(folder, () -> "app-1", maxBytes, PrivateFiles.Sharing.PRIVATE, file -> {});
  }

  private static byte[] piece(String name, long position, String text, boolean last) throws IOException {
    return new BlockMessage(name, position, text.getBytes(StandardCharsets.UTF_8), last).encode();
  }

  @Test
  void piecesBecomeOneFileEvenWhenSentTwice() throws Exception {
    DriverCollector collector = collector(1000);
    assertTrue(collector.receive(piece("1-h-9", 0, "abc", false)));
    assertTrue(collector.receive(piece("1-h-9", 3, "def", false)));
    assertTrue(collector.receive(piece("1-h-9", 3, "def", false)));
    assertTrue(collector.receive(piece("1-h-9", 6, "", true)));
    collector.close();
    assertArrayEquals(
        "abcdef".getBytes(StandardCharsets.UTF_8), Files.readAllBytes(folder.resolve("app-1").resolve("1-h-9.sprof")));
  }

  @Test
  void namesCannotLeaveTheFolder() throws Exception {
    DriverCollector collector = collector(1000);
    assertTrue(collector.receive(piece("../../etc/passwd", 0, "x", true)));
    assertEquals(1, Files.list(folder.resolve("app-1")).count());
  }

  @Test
  void nothingIsWrittenThroughAPlantedLink() throws Exception {
    Path victim = Files.write(folder.resolve("victim"), new byte[] {1});
    Files.createDirectory(folder.resolve("app-1"));
    Files.createSymbolicLink(folder.resolve("app-1").resolve("1-h-9.sprof"), victim);
    assertFalse(collector(1000).receive(piece("1-h-9", 0, "abc", false)));
    assertArrayEquals(new byte[] {1}, Files.readAllBytes(victim));
  }

  @Test
  void aLastPieceThatIsSentTwiceIsTaken() throws Exception {
    DriverCollector collector = collector(1000);
    assertTrue(collector.receive(piece("1-h-9", 0, "abc", true)));
    assertTrue(collector.receive(piece("1-h-9", 0, "abc", true)));
    assertEquals(3, Files.size(folder.resolve("app-1").resolve("1-h-9.sprof")));
  }

  @Test
  void filesOfExecutorsThatSentNothingForLongAreClosedAndContinued() throws Exception {
    DriverCollector collector = collector(1000);
    int executors = DriverCollector.MOST_OPEN + 50;
    long before = openFiles();
    for (int executor = 0; executor < executors; executor++) {
      assertTrue(collector.receive(piece(executor + "-h-9", 0, "abc", false)));
    }
    assertTrue(openFiles() - before < executors, "files are closed");
    for (int executor = 0; executor < executors; executor++) {
      assertTrue(collector.receive(piece(executor + "-h-9", 3, "def", false)));
      assertEquals(6, Files.size(folder.resolve("app-1").resolve(executor + "-h-9.sprof")));
    }
    collector.close();
  }

  private static long openFiles() throws IOException {
    try (Stream<Path> files = Files.list(Paths.get("/proc/self/fd"))) {
      return files.count();
    }
  }

  @Test
  void whatIsTooLargeOrNoMessageIsRefused() throws Exception {
    DriverCollector collector = collector(10);
    assertFalse(collector.receive(piece("1-h-9", 9, "xx", false)));
    assertFalse(collector.receive("text"));
    assertFalse(collector.receive(new byte[] {1, 2, 3}));
    byte[] whole = piece("1-h-9", 0, "x", false);
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThrows(IOException.class, () -> BlockMessage.decode(cut), "cut at " + length);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RecordingTailTest {
  private static final long PLENTY = 1 << 20;

  @TempDir Path folder;
  private final RecordingTail tail = new RecordingTail();
  private Path file;

  @BeforeEach
  void open() {
    file = folder.resolve("a.sprof");
    tail.moved(file, 0);
  }

  @AfterEach
  void close() {
    tail.close();
  }

  private void append(byte[] bytes) throws IOException {
    Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** The content of the next blocks, which are then acknowledged; null = there is none. */
  private String take(long maxBytes, int maxCount) throws IOException {
    RecordingTail.Blocks blocks = tail.next(maxBytes, maxCount);
    if (blocks == null) {
      return null;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    tail.writeTo(blocks, out);
    tail.acknowledge(blocks);
    return TestBlocks.contents(out.toByteArray());
  }

  @Test
  void givesWholeBlocksInOrderAndEachOnce() throws IOException {
    assertNull(take(PLENTY, 10), "there is no file yet");
    append(TestBlocks.block("one"));
    append(TestBlocks.block("two"));
    byte[] three = TestBlocks.block("three");
    append(Arrays.copyOf(three, 20));
    assertEquals("one,two", take(PLENTY, 10));
    assertNull(take(PLENTY, 10), "the third is not complete");
    append(Arrays.copyOfRange(three, 20, three.length));
    assertEquals("three", take(PLENTY, 10));
    assertEquals(0, tail.unsentBytes());
  }

  @Test
  void whatIsNotAcknowledgedComesAgain() throws IOException {
    append(TestBlocks.block("one"));
    RecordingTail.Blocks blocks = tail.next(PLENTY, 10);
    assertEquals(blocks.bytes, tail.unsentBytes());
    assertEquals("one", take(PLENTY, 10));
  }

  @Test
  void takesNoMoreThanItsBoundsButAtLeastOneBlock() throws IOException {
    for (String text : new String[] {"a", "b", "c", "d"}) {
      append(TestBlocks.block(text));
    }
    assertEquals("a", take(1, 10));
    assertEquals("b,c", take(PLENTY, 2));
    assertEquals("d", take(PLENTY, 2));
  }

  @Test
  void followsARenamedFileAndOneThatWasCopiedElsewhere() throws IOException {
    append(TestBlocks.block("one"));
    assertEquals("one", take(PLENTY, 10));
    Path moved = folder.resolve("b.sprof");
    Files.move(file, moved);
    file = moved;
    append(TestBlocks.block("two"));
    assertEquals("two", take(PLENTY, 10), "the open file is still the same");
    tail.moved(moved, 0);
    append(TestBlocks.block("three"));
    assertEquals("three", take(PLENTY, 10));
    Path copy = folder.resolve("c.sprof");
    Files.copy(moved, copy);
    Files.delete(moved);
    file = copy;
    append(TestBlocks.block("four"));
    tail.moved(copy, 0);
    assertEquals("four", take(PLENTY, 10));
  }

  @Test
  void goesOnAtTheStartOfAFileThatFollows() throws IOException {
    append(TestBlocks.block("one"));
    assertEquals("one", take(PLENTY, 10));
    long position = tail.position();
    Files.delete(file);
    append(TestBlocks.block("two"));
    tail.moved(file, position);
    assertEquals("two", take(PLENTY, 10));
    assertEquals(tail.position() - position, tail.positionInFile());
  }

  @Test
  void countsWhatIsInNoBlock() throws IOException {
    append(Arrays.copyOf(TestBlocks.block("torn"), 3));
    append("garbage SPR garbage that is longer than a header".getBytes(StandardCharsets.US_ASCII));
    long garbage = Files.size(file);
    append(TestBlocks.block("one"));
    assertEquals("one", take(PLENTY, 10));
    assertEquals(garbage, tail.takeSkippedBytes());
    assertEquals(0, tail.takeSkippedBytes());
  }
}

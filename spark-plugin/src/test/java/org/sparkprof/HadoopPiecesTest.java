// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HadoopPiecesTest {
  private static final String EXECUTOR = "1-node1-4711";
  private static final String DRIVER = "driver-master-815";
  private static final int MERGED_AT_ONCE = 32;

  private MemoryFileSystem hdfs = new MemoryFileSystem("hdfs");

  private HadoopPieces pieces(String name) {
    return new HadoopPieces(hdfs, new Path("/profiles/application_1"), name, PrivateFiles.Sharing.PRIVATE.file);
  }

  /** Files with a block each: NAME 0, NAME 1, … */
  private static void write(HadoopPieces pieces, String name, int from, int to) throws IOException {
    for (int i = from; i < to; i++) {
      pieces.write(new byte[][] {TestBlocks.block(name + " " + i)});
      try {
        pieces.mergeFull(() -> false);
      } catch (FileNotFoundException e) {
        // The driver has just joined the files.
      }
    }
  }

  private static String texts(String name, int count) {
    return IntStream.range(0, count).mapToObj(i -> name + " " + i).collect(Collectors.joining(","));
  }

  private String contents(String file) {
    return TestBlocks.contents(hdfs.files.get(file));
  }

  /** Texts of all blocks, which may be there twice. */
  private Set<String> distinctBlocks() {
    return hdfs.files.keySet()
        .stream()
        .filter(name -> name.endsWith(".sprof"))
        .flatMap(name -> Arrays.stream(contents(name).split(",")))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, MERGED_AT_ONCE, 3 * MERGED_AT_ONCE + 5, MERGED_AT_ONCE*(MERGED_AT_ONCE + 1) + 3})
  void oneFileWithAllBlocksInOrderIsLeft(int count) throws IOException {
    HadoopPieces pieces = pieces(EXECUTOR);
    write(pieces, "block", 0, count);
    pieces.mergeRest(false);
    assertEquals("[" + EXECUTOR + ".sprof]", hdfs.files.keySet().toString());
    assertEquals(texts("block", count), contents(EXECUTOR + ".sprof"));
  }

  @Test
  void fewFilesAreThereWhileTheJobRuns() throws IOException {
    HadoopPieces pieces = pieces(EXECUTOR);
    write(pieces, "block", 0, 10 * MERGED_AT_ONCE + 7);
    assertEquals(10 + 7, hdfs.files.size());
  }

  @Test
  void theLastBlocksDoNotWaitForAMerge() throws IOException {
    HadoopPieces pieces = pieces(EXECUTOR);
    write(pieces, "block", 0, MERGED_AT_ONCE - 1);
    pieces.write(new byte[][] {TestBlocks.block("block " + (MERGED_AT_ONCE - 1))});
    int[] opened = {0};
    hdfs.watcher = (operation, file) -> opened[0] += "open".equals(operation) ? 1 : 0;
    boolean ended = false;
    try {
      pieces.mergeFull(() -> opened[0] == 3);
    } catch (IOException e) {
      ended = true;
    }
    assertTrue(ended);
    assertEquals(3, opened[0]);
    assertEquals(MERGED_AT_ONCE, hdfs.files.size(), hdfs.files.keySet().toString());
    write(pieces, "block", MERGED_AT_ONCE, MERGED_AT_ONCE + 1);
    pieces.mergeRest(false);
    assertEquals(texts("block", MERGED_AT_ONCE + 1), contents(EXECUTOR + ".sprof"));
  }

  @Test
  void theDriverJoinsTheFilesOfKilledExecutors() throws IOException {
    write(pieces(EXECUTOR), "block", 0, MERGED_AT_ONCE + 9);
    HadoopPieces driver = pieces(DRIVER);
    write(driver, "event", 0, 3);
    driver.mergeRest(true);
    assertEquals("[" + EXECUTOR + ".sprof, " + DRIVER + ".sprof]", hdfs.files.keySet().toString());
    assertEquals(texts("block", MERGED_AT_ONCE + 9), contents(EXECUTOR + ".sprof"));
    assertEquals(texts("event", 3), contents(DRIVER + ".sprof"));
  }

  @Test
  void anExecutorDoesNotTouchTheFilesOfOthers() throws IOException {
    write(pieces(DRIVER), "event", 0, 3);
    HadoopPieces executor = pieces(EXECUTOR);
    write(executor, "block", 0, 2);
    executor.mergeRest(false);
    assertEquals(4, hdfs.files.size(), hdfs.files.keySet().toString());
  }

  @Test
  void anExecutorThatEndsAfterTheDriverAddsItsLastFileToTheJoinedOne() throws IOException {
    HadoopPieces executor = pieces(EXECUTOR);
    write(executor, "block", 0, 5);
    HadoopPieces driver = pieces(DRIVER);
    write(driver, "event", 0, 1);
    driver.mergeRest(true);
    write(executor, "block", 5, 6);
    executor.mergeRest(false);
    assertEquals(texts("block", 6), contents(EXECUTOR + ".sprof"));
    assertEquals(2, hdfs.files.size(), hdfs.files.keySet().toString());
  }

  /** The driver ends before, in the middle of, or after any step of an executor. */
  @ParameterizedTest
  @ValueSource(strings = {"hdfs", "s3a"})
  void noBlockIsLostWhateverTheDriverJoinsMeanwhile(String scheme) throws IOException {
    int count = MERGED_AT_ONCE + 4;
    int steps = Integer.MAX_VALUE;
    for (int step = 0; step < steps; step++) {
      hdfs = new MemoryFileSystem(scheme);
      HadoopPieces driver = pieces(DRIVER);
      write(driver, "event", 0, 1);
      int when = step;
      int[] done = {0};
      hdfs.watcher = (operation, file) -> {
        if (done[0]++ == when) {
          try {
            driver.mergeRest(true);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        }
      };
      HadoopPieces executor = pieces(EXECUTOR);
      write(executor, "block", 0, count);
      executor.mergeRest(false);
      steps = done[0];
      assertTrue(hdfs.files.values().stream().noneMatch(file -> file.length == 0), "step " + step);
      assertEquals(count + 1, distinctBlocks().size(), "step " + step + ": " + hdfs.files.keySet());
    }
    assertTrue(steps > count);
  }

  /** Also where files cannot be joined: in an encryption zone, and on other file systems. */
  @ParameterizedTest
  @ValueSource(strings = {"hdfs", "encrypted", "s3a"})
  void noBlockIsLostWheneverTheProcessIsKilled(String kind) throws IOException {
    int count = MERGED_AT_ONCE + 4;
    boolean killed = true;
    for (int step = 0; killed; step++) {
      hdfs = new MemoryFileSystem("s3a".equals(kind) ? kind : "hdfs");
      hdfs.concatenates = "hdfs".equals(kind);
      int[] left = {step};
      hdfs.watcher = (operation, file) -> {
        if (left[0]-- == 0) {
          throw new MemoryFileSystem.Killed();
        }
      };
      HadoopPieces executor = pieces(EXECUTOR);
      int written = 0;
      killed = false;
      try {
        for (; written < count; written++) {
          executor.write(new byte[][] {TestBlocks.block("block " + written)});
          executor.mergeFull(() -> false);
        }
        executor.mergeRest(false);
      } catch (MemoryFileSystem.Killed e) {
        killed = true;
      }
      Set<String> kept = distinctBlocks();
      assertTrue(kept.size() >= written, "step " + step + ": " + hdfs.files.keySet());
    }
    assertTrue(hdfs.files.size() <= 2, hdfs.files.keySet().toString());
  }
}

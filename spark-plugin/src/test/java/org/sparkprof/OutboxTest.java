// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

final class OutboxTest {
  private static List<Integer> kinds(ByteArrayOutputStream out) {
    ByteBuffer bytes = ByteBuffer.wrap(out.toByteArray());
    List<Integer> kinds = new ArrayList<>();
    while (bytes.hasRemaining()) {
      kinds.add((int) bytes.get());
      bytes.position(bytes.getInt() + bytes.position());
    }
    return kinds;
  }

  @Test
  void whatWaitedForTheAgentIsWrittenAfterTheGreeting() throws IOException {
    Outbox outbox = new Outbox();
    outbox.events.offer(new byte[] {'{', '}'});
    outbox.tasks.offer(TaskRecord.begin(1, 1, 1, 0, 0, 0, 0, -1));
    outbox.add(writer -> writer.identity(new HashMap<>()));
    assertTrue(outbox.drain(1));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    outbox.connect(new FrameWriter(out), new HashMap<>());
    outbox.drain(1);
    assertEquals(
        Arrays.asList(FrameWriter.HELLO, FrameWriter.IDENTITY, FrameWriter.TASK_BEGIN, FrameWriter.SPARK_EVENT),
        kinds(out));
  }

  @Test
  void anAgentThatComesTooLateSeesTheEndOfItsInput() throws IOException {
    Outbox outbox = new Outbox();
    outbox.close(1);
    boolean[] closed = new boolean[1];
    FrameWriter late = new FrameWriter(new ByteArrayOutputStream() {
      @Override
      public void close() {
        closed[0] = true;
      }
    });
    assertThrows(IOException.class, () -> outbox.connect(late, new HashMap<>()));
    assertTrue(closed[0]);
  }

  @Test
  void dropsAreReportedOnce() throws IOException {
    Outbox outbox = new Outbox();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    outbox.connect(new FrameWriter(out), new HashMap<>());
    outbox.events.countDropped();
    outbox.drain(1);
    outbox.drain(1);
    assertEquals(Arrays.asList(FrameWriter.HELLO, FrameWriter.LOSS), kinds(out));
  }

  @Test
  void eventsThatComeMeanwhileWaitForTheNextDrain() throws IOException {
    byte[] longerThanTheBuffer = new byte[100_000];
    Outbox outbox = new Outbox();
    ByteArrayOutputStream out = new ByteArrayOutputStream() {
      private int more = 100;

      @Override
      public void write(byte[] bytes, int offset, int length) {
        super.write(bytes, offset, length);
        if (length >= longerThanTheBuffer.length && more-- > 0) {
          outbox.events.offer(longerThanTheBuffer);
        }
      }
    };
    outbox.connect(new FrameWriter(out), new HashMap<>());
    outbox.events.offer(longerThanTheBuffer);
    outbox.drain(1);
    assertEquals(Arrays.asList(FrameWriter.HELLO, FrameWriter.SPARK_EVENT), kinds(out));
    outbox.drain(1);
    assertEquals(Arrays.asList(FrameWriter.HELLO, FrameWriter.SPARK_EVENT, FrameWriter.SPARK_EVENT), kinds(out));
  }

  @Test
  void anAgentThatTakesNothingBlocksTheWriterOnly() throws Exception {
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Outbox outbox = new Outbox();
    outbox.connect(new FrameWriter(new OutputStream() {
      private int flushes;

      @Override
      public void write(int b) {}

      @Override
      public void flush() {
        if (++flushes > 1) {
          writing.countDown();
          awaitQuietly(release);
        }
      }
    }),
        new HashMap<>());
    outbox.tasks.offer(TaskRecord.begin(1, 1, 1, 0, 0, 0, 0, -1));
    Thread writer = new Thread(() -> {
      try {
        outbox.drain(1000);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    });
    writer.start();
    writing.await();
    assertTrue(outbox.tasks.offer(TaskRecord.end(1, 2, 1, 1)));
    assertFalse(outbox.drain(5));
    assertThrows(IOException.class, () -> outbox.close(5));
    release.countDown();
    writer.join();
    assertEquals(outbox.writtenFrames(), 2);
    assertEquals(0, outbox.recordedFrames());
  }

  @Test
  void theNextAgentGetsTheRunningTasksAndWhatTheOneBeforeHadNotRecorded() throws Exception {
    Outbox outbox = new Outbox();
    outbox.connect(new FrameWriter(new ByteArrayOutputStream()), new HashMap<>());
    outbox.tasks.offer(TaskRecord.begin(1, 5, 77, 0, 0, 0, 0, -1));
    outbox.tasks.offer(TaskRecord.begin(2, 6, 78, 0, 0, 0, 0, -1));
    outbox.tasks.offer(TaskRecord.end(1, 3, 6, 78));
    outbox.events.offer(new byte[] {'a'});
    outbox.dumped(4, new EngineCounters(0, 0, 0));
    outbox.drain(1);
    outbox.recorded(4);
    assertEquals(0, outbox.recordedDumpNs());
    assertTrue(outbox.disconnect(1));
    outbox.events.offer(new byte[] {'b'});
    outbox.drain(1);
    for (int again = 0; again < 2; again++) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      outbox.connect(new FrameWriter(out), new HashMap<>());
      outbox.drain(1);
      // The begin of task 5, which runs, and both events; the dump lay in the first agent's file.
      assertEquals(
          Arrays.asList(FrameWriter.HELLO, FrameWriter.TASK_BEGIN, FrameWriter.SPARK_EVENT, FrameWriter.SPARK_EVENT),
          kinds(out));
      assertTrue(outbox.disconnect(1));
    }
  }

  @Test
  void aDumpCountsWhenTheAgentHasRecordedIt() throws IOException {
    Outbox outbox = new Outbox();
    outbox.connect(new FrameWriter(new ByteArrayOutputStream()), new HashMap<>());
    outbox.dumped(4, new EngineCounters(0, 0, 0));
    outbox.drain(1);
    outbox.recorded(outbox.writtenFrames());
    assertEquals(4, outbox.recordedDumpNs());
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

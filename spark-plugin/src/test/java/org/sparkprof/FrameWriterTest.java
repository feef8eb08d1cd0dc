// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Byte for byte as in docs/agent-protocol.md. */
final class FrameWriterTest {
  private interface Frames {
    void write(FrameWriter writer) throws IOException;
  }

  private static ByteBuffer bytes(Frames frames) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FrameWriter writer = new FrameWriter(out);
    frames.write(writer);
    writer.flush();
    return ByteBuffer.wrap(out.toByteArray());
  }

  @Test
  void helloHoldsLengthPrefixedPairs() throws IOException {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("pid", "7");
    values.put("host", "höst");
    ByteBuffer bytes = bytes(writer -> writer.hello(values));
    assertEquals(1, bytes.get());
    assertEquals(bytes.remaining() - 4, bytes.getInt());
    for (String text : new String[] {"pid", "7", "host", "höst"}) {
      byte[] expected = text.getBytes(StandardCharsets.UTF_8);
      assertEquals(expected.length, bytes.getInt());
      byte[] got = new byte[expected.length];
      bytes.get(got);
      assertArrayEquals(expected, got);
    }
    assertEquals(0, bytes.remaining());
  }

  @Test
  void taskBeginAndEnd() throws IOException {
    ByteBuffer bytes = bytes(writer -> {
      writer.task(TaskRecord.begin(1L << 40, 5, 77, 3, 1, 12, 2, -1));
      writer.task(TaskRecord.end(TaskRecord.FAILED, 9, 5, 77));
    });
    assertEquals(2, bytes.get());
    assertEquals(44, bytes.getInt());
    assertEquals(1L << 40, bytes.getLong());
    assertEquals(5, bytes.getLong());
    for (int expected : new int[] {3, 1, 12, 2, 77}) {
      assertEquals(expected, bytes.getInt());
    }
    assertEquals(-1, bytes.getLong());
    assertEquals(3, bytes.get());
    assertEquals(21, bytes.getInt());
    assertEquals(9, bytes.getLong());
    assertEquals(5, bytes.getLong());
    assertEquals(77, bytes.getInt());
    assertEquals(2, bytes.get());
    assertEquals(0, bytes.remaining());
  }

  @Test
  void theOtherFrames() throws IOException {
    ByteBuffer bytes = bytes(writer -> {
      writer.sparkEvent("{}".getBytes(StandardCharsets.UTF_8));
      writer.dumped(11, new EngineCounters(12, 13, 14));
      writer.loss("w", "r", 15);
      writer.notice(1, "hm");
      writer.stopping();
    });
    assertEquals(4, bytes.get());
    assertEquals(2, bytes.getInt());
    assertEquals('{', bytes.get());
    assertEquals('}', bytes.get());
    assertEquals(5, bytes.get());
    assertEquals(32, bytes.getInt());
    for (long expected = 11; expected <= 14; expected++) {
      assertEquals(expected, bytes.getLong());
    }
    assertEquals(7, bytes.get());
    byte[] loss = new byte[bytes.getInt()];
    bytes.get(loss);
    assertEquals("\0\0\0\4what\0\0\0\1w\0\0\0\6reason\0\0\0\1r\0\0\0\5count\0\0\0\00215",
        new String(loss, StandardCharsets.UTF_8));
    assertEquals(8, bytes.get());
    assertEquals(3, bytes.getInt());
    assertEquals(1, bytes.get());
    assertEquals('h', bytes.get());
    assertEquals('m', bytes.get());
    assertEquals(9, bytes.get());
    assertEquals(0, bytes.getInt());
    assertEquals(0, bytes.remaining());
  }
}

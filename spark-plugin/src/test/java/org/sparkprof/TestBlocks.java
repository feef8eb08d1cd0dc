// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;

/** Blocks with the header of real ones and a text inside. */
final class TestBlocks {
  private static final int HEADER_BYTES = 24;

  private TestBlocks() {}

  static byte[] block(String text) {
    byte[] payload = text.getBytes(StandardCharsets.UTF_8);
    ByteBuffer block = ByteBuffer.allocate(HEADER_BYTES + payload.length).order(ByteOrder.LITTLE_ENDIAN);
    block.put("SPRF".getBytes(StandardCharsets.US_ASCII)).putShort((short) 1).putShort((short) 0);
    block.putInt(payload.length).putInt(payload.length).putLong(text.hashCode()).put(payload);
    return block.array();
  }

  /** The texts of blocks, separated by commas. */
  static String contents(byte[] blocks) {
    ByteBuffer left = ByteBuffer.wrap(blocks).order(ByteOrder.LITTLE_ENDIAN);
    StringJoiner texts = new StringJoiner(",");
    while (left.hasRemaining()) {
      int length = left.getInt(left.position() + 8);
      texts.add(new String(blocks, left.position() + HEADER_BYTES, length, StandardCharsets.UTF_8));
      left.position(left.position() + HEADER_BYTES + length);
    }
    return texts.toString();
  }
}

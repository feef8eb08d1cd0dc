// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * A piece of a recording from an executor to the driver. It travels as a byte array, so that Spark's deserialization
 * needs no class of this plugin. It has its position in the file: sending it twice does no harm.
 */
final class BlockMessage {
  private static final int VERSION = 1;

  final String name;
  final long position;
  final byte[] bytes;
  /** Nothing follows from this executor. */
  final boolean last;

  BlockMessage(String name, long position, byte[] bytes, boolean last) {
    this.name = name;
    this.position = position;
    this.bytes = bytes;
    this.last = last;
  }

  byte[] encode() throws IOException {
    ByteArrayOutputStream buffer = new ByteArrayOutputStream(bytes.length + 128);
    DataOutputStream out = new DataOutputStream(buffer);
    out.writeByte(VERSION);
    out.writeUTF(name);
    out.writeLong(position);
    out.writeBoolean(last);
    out.writeInt(bytes.length);
    out.write(bytes);
    return buffer.toByteArray();
  }

  /** @throws IOException the bytes are not a message of this version */
  static BlockMessage decode(byte[] message) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(message));
    int version = in.readUnsignedByte();
    if (version != VERSION) {
      throw new IOException("block message of version " + version + ", expected " + VERSION);
    }
    String name = in.readUTF();
    long position = in.readLong();
    boolean last = in.readBoolean();
    int length = in.readInt();
    if (position < 0 || length < 0 || length != in.available()) {
      throw new IOException("block message of " + name + " has the wrong length");
    }
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    return new BlockMessage(name, position, bytes, last);
  }
}

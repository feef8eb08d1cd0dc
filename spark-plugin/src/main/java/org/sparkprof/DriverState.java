// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Requests of running executors to the driver, over Spark's RPC. Question and answer travel as byte arrays, so that
 * Spark's deserialization needs no class of this plugin.
 */
final class DriverState {
  static final String TOKEN = "token";
  /** See {@link ServerLink}. */
  static final String UPLOAD_SECRET = "uploadSecret";

  /** The first byte of a message is its kind; that of {@link BlockMessage} is 1. */
  private static final byte QUESTION = 2;

  private DriverState() {}

  static byte[] question() {
    return new byte[] {QUESTION};
  }

  static boolean isQuestion(Object message) {
    return message instanceof byte[] && ((byte[]) message).length == 1 && ((byte[]) message)[0] == QUESTION;
  }

  static byte[] encode(Map<String, String> state) throws IOException {
    ByteArrayOutputStream buffer = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(buffer);
    out.writeInt(state.size());
    for (Map.Entry<String, String> entry : state.entrySet()) {
      out.writeUTF(entry.getKey());
      out.writeUTF(entry.getValue());
    }
    return buffer.toByteArray();
  }

  /** @throws IOException the driver did not answer with a state */
  static Map<String, String> decode(Object answer) throws IOException {
    if (!(answer instanceof byte[])) {
      throw new IOException("the driver did not answer");
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream((byte[]) answer));
    Map<String, String> state = new HashMap<>();
    for (int left = in.readInt(); left > 0; left--) {
      state.put(in.readUTF(), in.readUTF());
    }
    return state;
  }
}

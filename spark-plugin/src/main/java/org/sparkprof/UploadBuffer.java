// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.util.ArrayDeque;

/** Blocks that wait to be carried away: bounded in bytes, adding never waits, what finds no room is counted. */
final class UploadBuffer {
  private final long maxBytes;
  private final ArrayDeque<byte[]> blocks = new ArrayDeque<>();
  private long bytes;
  private long dropped;

  UploadBuffer(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  synchronized void add(byte[] block) {
    if (bytes + block.length > maxBytes) {
      dropped++;
      return;
    }
    blocks.add(block);
    bytes += block.length;
    notifyAll();
  }

  /** The oldest block, which stays until {@link #remove}; null if there is none. */
  synchronized byte[] peek() {
    return blocks.peek();
  }

  synchronized void remove() {
    byte[] block = blocks.remove();
    bytes -= block.length;
  }

  /** Waits until there is a block or the time is over. */
  synchronized void await(long timeoutMs) throws InterruptedException {
    if (blocks.isEmpty()) {
      wait(timeoutMs);
    }
  }

  synchronized byte[][] all() {
    return blocks.toArray(new byte[0][]);
  }

  synchronized boolean isEmpty() {
    return blocks.isEmpty();
  }

  synchronized long dropped() {
    return dropped;
  }
}

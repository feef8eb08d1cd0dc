// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

/** Takes the agent's blocks to where the recording belongs. */
interface BlockSink {
  /** Hands over one block. Never waits: what finds no room is dropped and counted. */
  void block(byte[] block);

  /**
   * Carries away what is left and ends.
   *
   * @return whether every block arrived
   */
  boolean finish(long timeoutMs) throws InterruptedException;
}

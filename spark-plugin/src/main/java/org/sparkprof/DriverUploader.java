// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.util.Arrays;
import org.apache.spark.api.plugin.PluginContext;

/**
 * Sends an executor's blocks to the driver, piece by piece, each when the one before has been answered: the network
 * layer never holds more than one. When the driver does not take them, the spool on this machine keeps them.
 */
final class DriverUploader implements Session.BlockSink {
  private static final long MAX_WAITING_BYTES = 16L << 20;
  private static final int PIECE_BYTES = 1 << 20;
  private static final long POLL_MS = 200;

  private final UploadBuffer waiting = new UploadBuffer(MAX_WAITING_BYTES);
  private final PluginContext context;
  private final String name;
  private final Thread thread = new Thread(this::run, "sparkprof-upload");
  private volatile boolean ending;
  private volatile boolean failed;
  private long position;

  /** @param name the recording's file name without extension */
  DriverUploader(PluginContext context, String name) {
    this.context = context;
    this.name = name;
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void block(byte[] block) {
    if (!failed) {
      waiting.add(block);
    }
  }

  @Override
  public boolean finish(long timeoutMs) throws InterruptedException {
    ending = true;
    thread.join(timeoutMs);
    if (waiting.dropped() > 0) {
      Log.warn(waiting.dropped() + " blocks of the recording dropped: upload queue to the driver full");
    }
    return !thread.isAlive() && !failed && waiting.dropped() == 0;
  }

  private void run() {
    try {
      while (true) {
        // Read before the buffer is checked, so that data added before the end is seen.
        boolean last = ending;
        waiting.await(last ? 1 : POLL_MS);
        for (byte[] block = waiting.peek(); block != null; block = waiting.peek()) {
          send(block);
          waiting.remove();
        }
        if (last) {
          ask(new byte[0], true);
          return;
        }
      }
    } catch (Throwable e) {
      failed = true;
      Log.warn("the driver does not accept the recording (" + Log.reason(e) + "); it stays on this machine");
    }
  }

  private void send(byte[] block) throws Exception {
    for (int from = 0; from < block.length; from += PIECE_BYTES) {
      byte[] piece = Arrays.copyOfRange(block, from, Math.min(block.length, from + PIECE_BYTES));
      ask(piece, false);
      position += piece.length;
    }
  }

  private void ask(byte[] piece, boolean last) throws Exception {
    Object answer = context.ask(new BlockMessage(name, position, piece, last).encode());
    if (!Boolean.TRUE.equals(answer)) {
      throw new IOException("rejected by the driver");
    }
  }
}

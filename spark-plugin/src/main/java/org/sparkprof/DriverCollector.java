// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Map;

/** The driver's end of {@link DriverUploader}: writes executors' pieces to DIR/APPLICATION/PROCESS.sprof. */
final class DriverCollector {
  private static final long LAST_PIECES_MS = 1_000;

  private final Path dir;
  private final Identity identity;
  private final long maxFileBytes;
  private final Map<String, RandomAccessFile> open = new HashMap<>();
  private boolean complained;
  private boolean closed;

  DriverCollector(URI dir, Identity identity, long maxFileBytes) {
    this.dir = Paths.get(dir);
    this.identity = identity;
    this.maxFileBytes = maxFileBytes;
  }

  /** Writes one piece. False = not taken: the executor then keeps its spool. */
  synchronized boolean receive(Object message) {
    if (closed || !(message instanceof byte[])) {
      return false;
    }
    try {
      BlockMessage piece = BlockMessage.decode((byte[]) message);
      if (piece.position + piece.bytes.length > maxFileBytes) {
        throw new IOException(piece.name + " is larger than spark.sparkprof.maxSpool (" + maxFileBytes + " bytes)");
      }
      RandomAccessFile file = file(piece.name);
      file.seek(piece.position);
      file.write(piece.bytes);
      if (piece.last) {
        open.remove(piece.name).close();
        notifyAll();
      }
      return true;
    } catch (IOException | RuntimeException e) {
      if (!complained) {
        complained = true;
        Log.warn("an executor's recording cannot be written: " + Log.reason(e));
      }
      return false;
    }
  }

  private RandomAccessFile file(String name) throws IOException {
    RandomAccessFile file = open.get(name);
    if (file == null) {
      Path folder = dir.resolve(Place.fileName(identity.applicationId()));
      Files.createDirectories(folder);
      file = new RandomAccessFile(folder.resolve(Place.fileName(name) + ".sprof").toFile(), "rw");
      open.put(name, file);
    }
    return file;
  }

  /** Waits a moment for executors that are still sending their end, then takes nothing more. */
  synchronized void close() throws InterruptedException {
    long deadline = System.nanoTime() + LAST_PIECES_MS * 1_000_000;
    for (long left = LAST_PIECES_MS; !open.isEmpty() && left > 0; left = (deadline - System.nanoTime()) / 1_000_000) {
      wait(left);
    }
    closed = true;
    for (RandomAccessFile file : open.values()) {
      try {
        file.close();
      } catch (IOException e) {
        Log.warn("an executor's recording may lack its end: " + Log.reason(e));
      }
    }
    open.clear();
  }
}

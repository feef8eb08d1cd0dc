// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The receiver of {@link DriverUploader}: writes executors' pieces to DIR/APPLICATION/PROCESS.sprof. */
final class DriverCollector {
  private static final long LAST_PIECES_MS = 1_000;
  /** An executor that sent nothing for this long is considered gone. */
  private static final long SILENT_NS = 15_000_000_000L;
  /** Executors that are killed never say that they are done, and there may be thousands in the life of a driver. */
  static final int MOST_OPEN = 500;

  private static final class Stream {
    final FileChannel file;
    long lastPieceNs;

    Stream(FileChannel file) {
      this.file = file;
    }
  }

  private final Path dir;
  private final Consumer<Path> onFile;
  private final Supplier<String> application;
  private final long maxFileBytes;
  private final PrivateFiles.Sharing sharing;
  /** Files of executors; the one that received something last is the last. */
  private final Map<String, Stream> open = new LinkedHashMap<>(16, 0.75f, true);
  /** Files of this application that may be reopened, for pieces that are sent twice. */
  private final Set<Path> created = new HashSet<>();
  private boolean complained;
  private boolean closed;

  /**
   * @param application the application's ID, which the driver learns before executors do; empty when not known
   * @param onFile receives each new file, before anything is in it
   */
  DriverCollector(
      Path dir, Supplier<String> application, long maxFileBytes, PrivateFiles.Sharing sharing, Consumer<Path> onFile) {
    this.dir = dir;
    this.onFile = onFile;
    this.application = application;
    this.maxFileBytes = maxFileBytes;
    this.sharing = sharing;
  }

  /** Writes one piece. False = rejected: the executor then keeps its spool. */
  synchronized boolean receive(Object message) {
    if (closed || !(message instanceof byte[])) {
      return false;
    }
    try {
      BlockMessage piece = BlockMessage.decode((byte[]) message);
      if (piece.position + piece.bytes.length > maxFileBytes) {
        throw new IOException(piece.name + " is larger than spark.sparkprof.maxSpool (" + maxFileBytes + " bytes)");
      }
      Stream stream = stream(piece.name);
      stream.lastPieceNs = System.nanoTime();
      stream.file.position(piece.position);
      ByteBuffer left = ByteBuffer.wrap(piece.bytes);
      while (left.hasRemaining()) {
        stream.file.write(left);
      }
      if (piece.last) {
        open.remove(piece.name).file.close();
        notifyAll();
      }
      return true;
    } catch (IOException | RuntimeException e) {
      if (!complained) {
        complained = true;
        Log.warn("cannot write an executor's recording: " + Log.reason(e));
      }
      return false;
    }
  }

  private Stream stream(String name) throws IOException {
    Stream stream = open.get(name);
    if (stream == null) {
      Path folder = dir.resolve(Place.fileName(application.get()));
      PrivateFiles.createFolders(folder, sharing);
      Path file = folder.resolve(Place.fileName(name) + ".sprof");
      stream = new Stream(created.contains(file)
              ? FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)
              : PrivateFiles.create(file, sharing));
      if (created.add(file)) {
        onFile.accept(file);
      }
      open.put(name, stream);
      if (open.size() > MOST_OPEN) {
        closeFile(open.remove(open.keySet().iterator().next()));
      }
    }
    return stream;
  }

  /** Waits briefly for executors that are still sending their last pieces, then rejects further ones. */
  synchronized void close() throws InterruptedException {
    long deadline = System.nanoTime() + LAST_PIECES_MS * 1_000_000;
    for (long left = LAST_PIECES_MS; left > 0 && someoneSends(); left = (deadline - System.nanoTime()) / 1_000_000) {
      wait(left);
    }
    closed = true;
    open.values().forEach(DriverCollector::closeFile);
    open.clear();
  }

  private static void closeFile(Stream stream) {
    try {
      stream.file.close();
    } catch (IOException e) {
      Log.warn("an executor's recording may be truncated: " + Log.reason(e));
    }
  }

  private boolean someoneSends() {
    long now = System.nanoTime();
    return open.values().stream().anyMatch(stream -> now - stream.lastPieceNs < SILENT_NS);
  }
}

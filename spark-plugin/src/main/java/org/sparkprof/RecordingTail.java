// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The end of a recording that grows: the blocks that the server has not acknowledged. The file is the queue, so nothing
 * waits in memory. Only {@link #moved} may be called on several threads.
 */
final class RecordingTail implements Closeable {
  /** Whole blocks of the recording, from {@link #position} on. */
  static final class Blocks {
    final long bytes;
    final int count;

    Blocks(long bytes, int count) {
      this.bytes = bytes;
      this.count = count;
    }
  }

  private static final class Location {
    final Path path;
    /** Position in the recording of the file's first byte. */
    final long base;

    Location(Path path, long base) {
      this.path = path;
      this.base = base;
    }
  }

  /** The block's header, see src/model/segment/block.h. */
  private static final int HEADER_BYTES = 24;
  private static final int MAGIC = 'S' | 'P' << 8 | 'R' << 16 | 'F' << 24;
  private static final int LENGTH_OFFSET = 8;
  private static final long MAX_PAYLOAD_BYTES = 256L << 20;
  private static final int COPY_BYTES = 64 << 10;

  private final ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private volatile Location location;
  private Location opened;
  private FileChannel file;
  private long position;
  private long skippedBytes;

  /** The recording is, or continues, in this file, whose first byte has the position `base` in the recording. */
  void moved(Path path, long base) {
    location = new Location(path, base);
  }

  /** The file; null until it is known. */
  Path path() {
    Location current = location;
    return current == null ? null : current.path;
  }

  /** Bytes of the recording that are acknowledged or skipped. */
  long position() {
    return position;
  }

  /** Bytes of the current file that are acknowledged or skipped. */
  long positionInFile() {
    return opened == null ? 0 : position - opened.base;
  }

  /** Bytes that are in no readable block, since the last call. */
  long takeSkippedBytes() {
    long bytes = skippedBytes;
    skippedBytes = 0;
    return bytes;
  }

  /**
   * The whole blocks that follow: as many as fit into both bounds, and at least one. Null = none is complete yet.
   *
   * @throws IOException the file cannot be read now
   */
  Blocks next(long maxBytes, int maxCount) throws IOException {
    open();
    if (file == null) {
      return null;
    }
    long size = opened.base + file.size();
    long end = position;
    int count = 0;
    while (count < maxCount) {
      long length = blockLength(end, size);
      if (length < 0 && count == 0) {
        skip(size);
        end = position;
        continue;
      }
      if (length <= 0 || (count > 0 && end + length - position > maxBytes)) {
        break;
      }
      end += length;
      count++;
    }
    return count == 0 ? null : new Blocks(end - position, count);
  }

  void writeTo(Blocks blocks, OutputStream out) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(COPY_BYTES, blocks.bytes));
    long at = position - opened.base;
    for (long left = blocks.bytes; left > 0;) {
      buffer.clear();
      buffer.limit((int) Math.min(buffer.capacity(), left));
      int got = file.read(buffer, at);
      if (got <= 0) {
        throw new EOFException(opened.path + " is shorter than before");
      }
      out.write(buffer.array(), 0, got);
      at += got;
      left -= got;
    }
  }

  /** They need not be sent again. */
  void acknowledge(Blocks blocks) {
    position += blocks.bytes;
  }

  /** Bytes that are not acknowledged, the incomplete end of the file included; an unreadable file has none. */
  long unsentBytes() {
    try {
      open();
      return file == null ? 0 : Math.max(0, opened.base + file.size() - position);
    } catch (IOException e) {
      return 0;
    }
  }

  void delete() throws IOException {
    Path path = path();
    if (path != null) {
      Files.deleteIfExists(path);
    }
  }

  @Override
  public void close() {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException e) {
      Log.debug("closing " + opened.path, e);
    }
    file = null;
    opened = null;
  }

  /** Follows {@link #moved}. An open file stays readable when it was renamed or deleted. */
  private void open() throws IOException {
    Location wanted = location;
    if (wanted == null || wanted == opened) {
      return;
    }
    FileChannel next;
    try {
      next = FileChannel.open(wanted.path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      return;
    }
    close();
    file = next;
    opened = wanted;
    position = Math.max(position, wanted.base);
  }

  /** Length of the block that starts there; 0 = it is not complete yet, -1 = no block starts there. */
  private long blockLength(long start, long size) throws IOException {
    if (size - start < HEADER_BYTES) {
      return 0;
    }
    header.clear();
    while (header.hasRemaining()) {
      if (file.read(header, start - opened.base + header.position()) <= 0) {
        return 0;
      }
    }
    long payload = header.getInt(LENGTH_OFFSET) & 0xffffffffL;
    if (header.getInt(0) != MAGIC || payload > MAX_PAYLOAD_BYTES) {
      return -1;
    }
    long length = HEADER_BYTES + payload;
    return start + length <= size ? length : 0;
  }

  /** Passes over bytes up to the next start of a block, or to the end. */
  private void skip(long size) throws IOException {
    long from = position++;
    ByteBuffer buffer = ByteBuffer.allocate(COPY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    while (size - position >= Integer.BYTES) {
      buffer.clear();
      int got = file.read(buffer, position - opened.base);
      for (int at = 0; at + Integer.BYTES <= got; at++) {
        if (buffer.getInt(at) == MAGIC) {
          position += at;
          skippedBytes += position - from;
          return;
        }
      }
      if (got < Integer.BYTES) {
        break;
      }
      position += got - (Integer.BYTES - 1);
    }
    position = size;
    skippedBytes += position - from;
  }
}

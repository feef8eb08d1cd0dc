// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The files of one process in a folder of a Hadoop file system: NAME-000000.sprof, NAME-000001.sprof, … A name node
 * keeps every file in memory, so a number of files becomes one, and a number of those becomes one again, and all become
 * one at the end. A recording may be there twice for a moment: readers count each block once.
 */
final class HadoopPieces {
  /** This many files of a level become one of the next: with a file every 4 s, those of 2 minutes, then of 68. */
  private static final int FILES_OF_LEVEL = 32;

  private static final int BUFFER_BYTES = 1 << 16;

  private final FileSystem fileSystem;
  private final Path folder;
  private final String name;
  private final FsPermission permission;
  private final List<List<Path>> levels = new ArrayList<>();
  private int sequence;

  HadoopPieces(FileSystem fileSystem, Path folder, String name, Set<PosixFilePermission> permissions) {
    this.fileSystem = fileSystem;
    this.folder = folder;
    this.name = name;
    this.permission = permission(permissions);
  }

  static FsPermission permission(Set<PosixFilePermission> permissions) {
    return FsPermission.valueOf("-" + PosixFilePermissions.toString(permissions));
  }

  /** Writes blocks into a file of their own, which appears complete. */
  void write(byte[][] blocks) throws IOException {
    Path written = write(out -> {
      for (byte[] block : blocks) {
        out.write(block);
      }
    });
    level(0).add(written);
  }

  /**
   * Merges the files of each level that is full. What fails is tried again with the next files.
   *
   * @param ending whether to leave the rest to {@link #mergeRest}, because something more urgent waits
   */
  void mergeFull(BooleanSupplier ending) throws IOException {
    for (int level = 0; level < levels.size(); level++) {
      List<Path> files = levels.get(level);
      // The driver, at its end, joins files of executors that have not ended.
      if (files.size() >= FILES_OF_LEVEL && HdfsJoin.keepExisting(fileSystem, files) >= FILES_OF_LEVEL) {
        level(level + 1).add(merge(files, ending));
        files.clear();
      }
    }
  }

  /** Merges the files that are left, of the driver those of all processes: the end. */
  void mergeRest(boolean driver) throws IOException {
    if (!HdfsJoin.isPossible(fileSystem)) {
      copyRest();
      return;
    }
    try {
      HdfsJoin.join(fileSystem, folder, name, rest(levels.size()));
    } catch (IOException | RuntimeException e) {
      // HDFS does not join files in an encryption zone.
      Log.debug("joining the files in " + folder, e);
      copyRest();
    }
    if (driver) {
      HdfsJoin.joinAll(fileSystem, folder);
    }
  }

  /** Copying leaves out the files of higher levels, which are large and few. */
  private void copyRest() throws IOException {
    List<Path> rest = rest(Math.min(2, levels.size()));
    if (HdfsJoin.keepExisting(fileSystem, rest) > 1) {
      merge(rest, () -> false);
    }
  }

  /** The files of the first levels, oldest first. */
  private List<Path> rest(int levelCount) {
    List<Path> rest = new ArrayList<>();
    for (int level = levelCount - 1; level >= 0; level--) {
      rest.addAll(levels.get(level));
    }
    return rest;
  }

  private List<Path> level(int level) {
    if (levels.size() == level) {
      levels.add(new ArrayList<>());
    }
    return levels.get(level);
  }

  /** In order, into a new file; then the others are deleted. */
  private Path merge(List<Path> files, BooleanSupplier ending) throws IOException {
    Path merged = write(out -> {
      for (Path file : files) {
        if (ending.getAsBoolean()) {
          throw new InterruptedIOException("the application ends");
        }
        copy(file, out);
      }
    });
    for (Path file : files) {
      try {
        fileSystem.delete(file, false);
      } catch (IOException e) {
        Log.debug("delete " + file, e);
      }
    }
    return merged;
  }

  private void copy(Path file, OutputStream out) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = fileSystem.open(file)) {
      for (int got = in.read(buffer); got >= 0; got = in.read(buffer)) {
        out.write(buffer, 0, got);
      }
    }
  }

  private interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  private Path write(Content content) throws IOException {
    Path whole = new Path(folder, String.format(Locale.ROOT, "%s-%06d.sprof", name, sequence));
    Path temporary = new Path(folder, whole.getName() + ".tmp");
    // A file system with permissions applies the client's umask to what create() is given, not to this.
    try (OutputStream out = FileSystem.create(fileSystem, temporary, permission)) {
      content.writeTo(out);
    } catch (IOException | RuntimeException e) {
      fileSystem.delete(temporary, false);
      throw e;
    }
    if (!fileSystem.rename(temporary, whole)) {
      throw new IOException("cannot rename " + temporary + " to " + whole.getName());
    }
    sequence++;
    return whole;
  }
}

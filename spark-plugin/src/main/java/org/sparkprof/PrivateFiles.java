// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** Creates files and folders readable only as configured, regardless of the umask, and follows no links. */
final class PrivateFiles {
  /** spark.sparkprof.share. Only the owner may write. */
  enum Sharing {
    PRIVATE("rw-------", "rwx------"),
    GROUP("rw-r-----", "rwxr-x---"),
    ALL("rw-r--r--", "rwxr-xr-x");

    final Set<PosixFilePermission> file;
    final Set<PosixFilePermission> folder;

    Sharing(String file, String folder) {
      this.file = PosixFilePermissions.fromString(file);
      this.folder = PosixFilePermissions.fromString(folder);
    }
  }

  private static final Set<PosixFilePermission> WRITABLE_BY_OTHERS =
      EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

  private PrivateFiles() {}

  /** A new file, open for writing; fails when anything, a link too, has that name. */
  static FileChannel create(Path file, Sharing sharing) throws IOException {
    FileChannel channel = FileChannel.open(
        file, EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly("rw-------"));
    if (sharing != Sharing.PRIVATE) {
      Files.setPosixFilePermissions(file, sharing.file);
    }
    return channel;
  }

  /** Creates a file for its owner with this content, replacing an existing one. */
  static void write(Path file, byte[] content) throws IOException {
    Files.deleteIfExists(file);
    try (FileChannel channel = create(file, Sharing.PRIVATE)) {
      ByteBuffer left = ByteBuffer.wrap(content);
      while (left.hasRemaining()) {
        channel.write(left);
      }
    }
  }

  /** A folder of the owner's; fails when anything, a link too, has that name. */
  static Path createFolder(Path folder) throws IOException {
    return Files.createDirectory(folder, ownerOnly("rwx------"));
  }

  /** Creates a folder for its owner with an unpredictable name. */
  static Path createTemporaryFolder(Path parent, String prefix) throws IOException {
    return Files.createTempDirectory(parent, prefix, ownerOnly("rwx------"));
  }

  /** The folder, created with those above it that are missing. One that exists keeps its mode, but may be no link. */
  static void createFolders(Path folder, Sharing sharing) throws IOException {
    if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (folder.getParent() != null && !Files.isDirectory(folder.getParent())) {
      createFolders(folder.getParent(), sharing);
    }
    try {
      createFolder(folder);
    } catch (FileAlreadyExistsException e) {
      if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
        return;
      }
      throw e;
    }
    if (sharing != Sharing.PRIVATE) {
      Files.setPosixFilePermissions(folder, sharing.folder);
    }
  }

  /** A folder, not a link, that belongs to this user and is writable for no other user. */
  static boolean isOwnFolder(Path folder) throws IOException {
    return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
        && Files.getAttribute(folder, "unix:uid").equals(Files.getAttribute(Paths.get("/proc/self"), "unix:uid"))
        && Files.getPosixFilePermissions(folder).stream().noneMatch(WRITABLE_BY_OTHERS::contains);
  }

  private static FileAttribute<?> ownerOnly(String permissions) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
  }
}

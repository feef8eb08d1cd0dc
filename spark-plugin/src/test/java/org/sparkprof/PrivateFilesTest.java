// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PrivateFilesTest {
  @TempDir Path folder;

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void theSettingDecidesWhoMayRead() throws IOException {
    String[][] expected = {{"rw-------", "rwx------"}, {"rw-r-----", "rwxr-x---"}, {"rw-r--r--", "rwxr-xr-x"}};
    for (PrivateFiles.Sharing sharing : PrivateFiles.Sharing.values()) {
      Path made = folder.resolve(sharing.name()).resolve("deep");
      PrivateFiles.createFolders(made, sharing);
      PrivateFiles.create(made.resolve("file"), sharing).close();
      assertEquals(expected[sharing.ordinal()][0], mode(made.resolve("file")));
      assertEquals(expected[sharing.ordinal()][1], mode(made));
      assertEquals(expected[sharing.ordinal()][1], mode(made.getParent()));
    }
  }

  @Test
  void nothingIsWrittenThroughALink() throws IOException {
    byte[] victim = {1, 2, 3};
    Files.write(folder.resolve("victim"), victim);
    Path planted = Files.createSymbolicLink(folder.resolve("planted"), folder.resolve("victim"));
    assertThrows(FileAlreadyExistsException.class, () -> PrivateFiles.create(planted, PrivateFiles.Sharing.ALL));
    PrivateFiles.write(planted, new byte[] {9});
    assertArrayEquals(victim, Files.readAllBytes(folder.resolve("victim")));
    assertTrue(Files.isRegularFile(planted, LinkOption.NOFOLLOW_LINKS));
  }

  @Test
  void aLinkIsNoFolderToCreateFilesIn(@TempDir Path elsewhere) throws IOException {
    Path planted = Files.createSymbolicLink(folder.resolve("planted"), elsewhere);
    assertThrows(IOException.class, () -> PrivateFiles.createFolders(planted, PrivateFiles.Sharing.PRIVATE));
    assertFalse(PrivateFiles.isOwnFolder(planted));
  }

  @Test
  void aFolderThatOthersMayWriteToIsNotOnesOwn() throws IOException {
    Path made = PrivateFiles.createFolder(folder.resolve("made"));
    assertTrue(PrivateFiles.isOwnFolder(made));
    Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxrwx---"));
    assertFalse(PrivateFiles.isOwnFolder(made));
  }
}

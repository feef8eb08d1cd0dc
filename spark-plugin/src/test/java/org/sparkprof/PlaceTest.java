// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PlaceTest {
  @TempDir Path folder;
  private final Map<String, String> conf = new HashMap<>();
  private final Map<String, String> environment = new HashMap<>();
  private final Identity executor = new Identity(Identity.EXECUTOR, "3", "host:1", "name", "3.5.7", "app/1");

  private Settings settings() {
    return Settings.resolve(conf::get, new HashMap<>(), new HashMap<>(), warning -> {});
  }

  private Place.Machine machine() {
    return new Place.Machine("boot/host", environment, Paths.get("/work-dir"), folder);
  }

  private Place executorPlace(String driverDir, String driverMachine) {
    return Place.ofExecutor(settings(), machine(), driverDir, driverMachine, true);
  }

  @Test
  void aLocalFolderIsWrittenDirectlyOnTheDriversMachineAndThroughTheDriverElsewhere() {
    Place here = executorPlace(folder.toUri().toString(), "boot/host");
    assertEquals(Place.Way.DIRECT, here.way);
    assertEquals(folder.resolve("app_1").resolve("3-host_1-" + executor.sessionName + ".sprof"), here.spool(executor));
    Place elsewhere = executorPlace(folder.toUri().toString(), "boot/other");
    assertEquals(Place.Way.DRIVER, elsewhere.way);
    assertEquals(
        Paths.get("/work-dir/sparkprof-3-host_1-" + executor.sessionName + ".sprof"), elsewhere.spool(executor));
  }

  @Test
  void anotherFileSystemIsWrittenByHadoop() {
    assertEquals(Place.Way.HADOOP, executorPlace("s3a://bucket/profiles", "boot/host").way);
    conf.put("spark.sparkprof.dir", "hdfs:///profiles");
    assertEquals(Place.Way.HADOOP, Place.ofDriver(settings(), machine()).way);
  }

  @Test
  void theSecondPlaceIsTheTemporaryFolderUnlessTheRecordingLiesThere() {
    String user = Place.fileName(System.getProperty("user.name"));
    Path elsewhere = Paths.get("/elsewhere");
    assertEquals(folder.resolve("sparkprof-" + user).resolve("app_1").toString(),
        executorPlace(elsewhere.toUri().toString(), "boot/host").nodeFolder(executor, ""));
    String same = folder.resolve("sparkprof-" + user).toUri().toString();
    assertEquals("/var/tmp/sparkprof-" + user + "/app_1", executorPlace(same, "boot/host").nodeFolder(executor, ""));
    assertEquals("/mine/app_1", executorPlace(same, "boot/host").nodeFolder(executor, "/mine"));
    environment.put("CONTAINER_ID", "c");
    environment.put("LOG_DIRS", "/logs");
    assertEquals("", executorPlace(elsewhere.toUri().toString(), "boot/host").nodeFolder(executor, ""));
  }

  @Test
  void anotherAgentOfTheSameSessionWritesAFileOfItsOwn() {
    Place place = executorPlace(folder.toUri().toString(), "boot/host");
    executor.agents = 1;
    Path first = place.spool(executor);
    executor.agents = 2;
    assertNotEquals(first, place.spool(executor));
  }

  @Test
  void theTransportSettingDecidesForLocalFolders() {
    String dir = folder.toUri().toString();
    conf.put("spark.sparkprof.transport", "driver");
    assertEquals(Place.Way.DRIVER, executorPlace(dir, "boot/host").way);
    conf.put("spark.sparkprof.transport", "direct");
    assertEquals(Place.Way.DIRECT, executorPlace(dir, "boot/other").way);
    conf.put("spark.sparkprof.transport", "hadoop");
    assertEquals(Place.Way.HADOOP, executorPlace(dir, "boot/host").way);
  }

  @Test
  void theDriversRecordingMovesWhenItsApplicationIsKnown() {
    conf.put("spark.sparkprof.dir", folder.toString());
    Place place = Place.ofDriver(settings(), machine());
    Identity driver = new Identity(Identity.DRIVER, "driver", "h", "name", "3.5.7", "");
    assertEquals(folder.resolve("starting-h-" + driver.sessionName + ".sprof"), place.spool(driver));
    driver.applicationStarted("app-2", "");
    assertEquals(folder.resolve("app-2").resolve("driver-h-" + driver.sessionName + ".sprof"), place.spool(driver));
  }

  @Test
  void withoutFolderYarnContainersKeepOneFlatFileInTheirLogFolder() {
    environment.put("CONTAINER_ID", "container_1");
    environment.put("LOG_DIRS", "/logs/a,/logs/b");
    assertNull(Place.ofDriver(settings(), machine()).dir);
    Place place = executorPlace(null, "boot/host");
    assertEquals(Place.Way.DIRECT, place.way);
    assertEquals(Paths.get("/logs/a/sparkprof-3-host_1-" + executor.sessionName + ".sprof"), place.spool(executor));
  }

  @Test
  void withoutFolderTheDriverWritesToATemporaryOneOfItsUser() throws IOException {
    String name = "sparkprof-" + Place.fileName(System.getProperty("user.name"));
    Place place = Place.ofDriver(settings(), machine());
    assertEquals(folder.resolve(name), Paths.get(place.dir));
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(Paths.get(place.dir))));
    assertEquals(folder.resolve(name), Paths.get(Place.ofDriver(settings(), machine()).dir));
  }

  @Test
  void aTemporaryFolderThatIsALinkIsNotUsed(@TempDir Path elsewhere) throws IOException {
    String name = "sparkprof-" + Place.fileName(System.getProperty("user.name"));
    Files.createSymbolicLink(folder.resolve(name), elsewhere);
    Path used = Paths.get(Place.ofDriver(settings(), machine()).dir);
    assertEquals(folder, used.getParent());
    assertNotEquals(folder.resolve(name), used);
  }

  @Test
  void aTemporaryFolderThatOthersMayWriteToIsNotUsed() throws IOException {
    Path open = Files.createDirectory(folder.resolve("sparkprof-" + Place.fileName(System.getProperty("user.name"))));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path used = Paths.get(Place.ofDriver(settings(), machine()).dir);
    assertNotEquals(open, used);
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(used)));
  }

  @Test
  void recordingsArePrivateExceptInYarnsLogFolderWhoseGroupCollectsThem() {
    assertEquals(PrivateFiles.Sharing.PRIVATE, Place.ofDriver(settings(), machine()).sharing);
    conf.put("spark.sparkprof.share", "all");
    assertEquals(PrivateFiles.Sharing.ALL, Place.ofDriver(settings(), machine()).sharing);
    conf.clear();
    environment.put("CONTAINER_ID", "container_1");
    environment.put("LOG_DIRS", "/logs/a");
    assertEquals(PrivateFiles.Sharing.GROUP, executorPlace(null, "boot/host").sharing);
    assertEquals(PrivateFiles.Sharing.PRIVATE, executorPlace(folder.toUri().toString(), "boot/host").sharing);
  }

  @Test
  void everySessionOfOneJvmHasItsOwnFiles() {
    assertEquals("77", Identity.sessionName(77, 1));
    assertEquals("77.2", Identity.sessionName(77, 2));
  }

  @Test
  void pathsAndUrisOfOnePlaceAreTheSame() {
    for (String text :
        new String[] {"/data/x", "file:/data/x", "file:///data/x", "file://localhost/data/x", "/data//y/../x"}) {
      assertEquals("file:///data/x", Place.uri(text).toString(), text);
    }
    assertEquals("s3a://bucket/x", Place.uri("s3a://bucket/x").toString());
    assertEquals("_._.._x", Place.fileName("../../x"));
  }
}

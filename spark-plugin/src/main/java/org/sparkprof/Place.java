// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.net.URI;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Where a JVM's recording goes, and by which way. Decided once, before the agent starts.
 *
 * <p>DIRECT: the agent writes the recording where it belongs. HADOOP and DRIVER: the agent writes a spool on this
 * machine and hands its blocks to the plugin, which carries them to a Hadoop file system or to the driver; the spool is
 * what is left when the JVM is killed. SERVER: {@link ServerUploader} sends the spool. It also sends what has another
 * way.
 */
final class Place {
  enum Way { DIRECT, HADOOP, DRIVER, SERVER }

  private static final String EXTENSION = ".sprof";

  final Way way;
  /** Folder of all applications' recordings; null when each process keeps its own in its container's log folder. */
  final URI dir;
  /** The location of a spool until it is uploaded; null if the agent writes to {@link #dir} itself. */
  private final Path spoolFolder;
  /** Users who may read the agent's files. */
  final PrivateFiles.Sharing sharing;

  /** Second places for a spool, best first. */
  private final List<Path> nodeFolders;
  private final String server;

  private Place(Way way, URI dir, Path spoolFolder, Settings settings, Machine machine) {
    this.way = way;
    this.dir = dir;
    this.spoolFolder = spoolFolder;
    // YARN's log aggregation reads a container's logs as another user, of the group that the log folder gives its
    // files.
    boolean aggregated = spoolFolder != null && spoolFolder.equals(machine.containerLogs);
    this.sharing =
        aggregated && settings.sharing == PrivateFiles.Sharing.PRIVATE ? PrivateFiles.Sharing.GROUP : settings.sharing;
    this.nodeFolders = machine.nodeFolders();
    this.server = settings.server;
  }

  /** The driver's place (also in local mode). */
  static Place ofDriver(Settings settings, Machine machine) {
    if (settings.dir == null && settings.server != null) {
      return new Place(Way.SERVER, null, machine.spoolFolder(false), settings, machine);
    }
    if (settings.dir == null && machine.containerLogs != null) {
      return new Place(Way.DIRECT, null, machine.containerLogs, settings, machine);
    }
    URI dir = settings.dir == null ? machine.temporaryFolder().toUri() : uri(settings.dir);
    Way way = isLocal(dir) && settings.transport != Settings.Transport.HADOOP ? Way.DIRECT : Way.HADOOP;
    return new Place(way, dir, way == Way.DIRECT ? null : machine.spoolFolder(false), settings, machine);
  }

  /**
   * An executor's place.
   *
   * @param driverDir the driver's folder, null when it has none
   * @param driverMachine what {@link Machine#name} was on the driver, null when not known
   * @param standalone whether the working directory is one that Spark's standalone worker made for this executor
   */
  static Place ofExecutor(
      Settings settings, Machine machine, String driverDir, String driverMachine, boolean standalone) {
    String wanted = driverDir != null ? driverDir : settings.dir;
    if (wanted == null) {
      boolean throughDriver = settings.transport == Settings.Transport.DRIVER;
      Way way = settings.server == null ? Way.DIRECT : throughDriver ? Way.DRIVER : Way.SERVER;
      return new Place(way, null, machine.spoolFolder(standalone), settings, machine);
    }
    URI dir = uri(wanted);
    Way way = executorWay(settings.transport, dir, machine, driverMachine);
    return new Place(way, dir, way == Way.DIRECT ? null : machine.spoolFolder(standalone), settings, machine);
  }

  private static Way executorWay(Settings.Transport transport, URI dir, Machine machine, String driverMachine) {
    if (!isLocal(dir) || transport == Settings.Transport.HADOOP) {
      return Way.HADOOP;
    }
    switch (transport) {
      case DIRECT:
        return Way.DIRECT;
      case DRIVER:
        return Way.DRIVER;
      default:
        boolean here = driverMachine == null || driverMachine.equals(machine.name);
        return here && canWrite(Paths.get(dir)) ? Way.DIRECT : Way.DRIVER;
    }
  }

  /** The file that the agent writes. */
  Path spool(Identity identity) {
    if (way != Way.DIRECT || dir == null) {
      return spoolFolder.resolve("sparkprof-" + processName(identity) + EXTENSION);
    }
    Path folder = Paths.get(dir);
    if (identity.applicationId().isEmpty()) {
      return folder.resolve("starting-" + fileName(identity.host) + "-" + identity.fileSuffix() + EXTENSION);
    }
    return folder.resolve(fileName(identity.applicationId())).resolve(processName(identity) + EXTENSION);
  }

  /**
   * Where the agent writes when the spool's folder is deleted while the application runs. The agent makes the folder
   * when it needs it. Empty when there is no second place: the temporary folder of a container goes with the container.
   *
   * @param wanted the setting nodeDir, which may be empty
   */
  String nodeFolder(Identity identity, String wanted) {
    Path spool = spool(identity);
    String application = identity.applicationId().isEmpty() ? "starting" : fileName(identity.applicationId());
    if (!wanted.isEmpty()) {
      return Paths.get(wanted).toAbsolutePath().resolve(application).toString();
    }
    for (Path candidate : nodeFolders) {
      if (!spool.startsWith(candidate) && Files.isWritable(candidate.getParent())) {
        return candidate.resolve(application).toString();
      }
    }
    return "";
  }

  /** Removes what the agent wrote to {@link #nodeFolder}. */
  void removeNodeCopy(Identity identity, String wanted) throws IOException {
    String folder = nodeFolder(identity, wanted);
    if (folder.isEmpty() || !Files.deleteIfExists(Paths.get(folder).resolve(spool(identity).getFileName()))) {
      return;
    }
    try {
      Files.deleteIfExists(Paths.get(folder));
      Files.deleteIfExists(Paths.get(folder).getParent());
    } catch (DirectoryNotEmptyException inUse) {
      // Others have theirs in it.
    }
  }

  /** Removes the folder that was made for spools, unless other processes still have theirs in it. */
  void removeEmptySpoolFolder(Identity identity) throws IOException {
    if (way == Way.SERVER && !identity.applicationId().isEmpty()) {
      removeIfEmpty(spoolFolder.resolve(fileName(identity.applicationId())));
    }
    if (spoolFolder == null || !spoolFolder.getFileName().toString().startsWith(Machine.TEMPORARY_PREFIX)) {
      return;
    }
    // The last one to leave removes it.
    removeIfEmpty(spoolFolder);
  }

  private static void removeIfEmpty(Path folder) throws IOException {
    try {
      Files.deleteIfExists(folder);
    } catch (DirectoryNotEmptyException inUse) {
      // Others have theirs in it.
    }
  }

  /** Where recordings go, for the log before the application has an ID. */
  String target() {
    if (way == Way.SERVER) {
      return server;
    }
    return dir == null ? "the container's logs" : dir + (server == null ? "" : " and " + server);
  }

  /** Where the driver keeps what executors send to it; null = nowhere on this machine. */
  Path collected() {
    if (way == Way.SERVER) {
      return spoolFolder;
    }
    return dir != null && isLocal(dir) ? Paths.get(dir) : null;
  }

  /** Where the user finds the recording, for the log. */
  String describe(Identity identity) {
    if (way == Way.SERVER || dir == null && way == Way.DRIVER) {
      return ServerClient.page(server, identity.applicationId(), "");
    }
    if (way == Way.DIRECT || identity.applicationId().isEmpty()) {
      return way == Way.DIRECT ? spool(identity).toString() : dir.toString();
    }
    return dir + (dir.toString().endsWith("/") ? "" : "/") + fileName(identity.applicationId());
  }

  /** The recording's name without extension: executor, host, process and session. */
  static String processName(Identity identity) {
    return fileName(identity.executorId) + "-" + fileName(identity.host) + "-" + identity.fileSuffix();
  }

  /** Text as part of a file name: no separators, nothing that a shell or a URI treats as special. */
  static String fileName(String text) {
    String name = text.replaceAll("[^A-Za-z0-9._-]", "_");
    return name.startsWith(".") ? "_" + name.substring(1) : name;
  }

  static boolean isLocal(URI dir) {
    return "file".equals(dir.getScheme());
  }

  /** Like Spark's event log folder: a path without scheme is a local one. */
  static URI uri(String text) {
    URI uri = text.matches("[A-Za-z][A-Za-z0-9+.-]*:.*") ? URI.create(text.replace(" ", "%20")) : null;
    if (uri == null) {
      return Paths.get(text).toAbsolutePath().normalize().toUri();
    }
    // file:/x, file://localhost/x and file:///x are equal; Path accepts only the form without a host.
    return isLocal(uri) ? Paths.get(uri.getPath()).toAbsolutePath().normalize().toUri() : uri;
  }

  private static boolean canWrite(Path folder) {
    Path existing = folder;
    while (existing != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    return existing != null && Files.isDirectory(existing) && Files.isWritable(existing);
  }

  /** Facts about the machine and this process on it. */
  static final class Machine {
    private static final String TEMPORARY_PREFIX = "sparkprof-";
    /** Kernel boot and host name: equal for processes on one machine, and different in containers of their own. */
    final String name;
    /** YARN's log folder of this container, or null. */
    final Path containerLogs;
    private final Path workingDirectory;
    private final Path temporary;

    Machine(String name, Map<String, String> environment, Path workingDirectory, Path temporary) {
      this.name = name;
      String logs = environment.get("CONTAINER_ID") == null ? null : environment.get("LOG_DIRS");
      this.containerLogs = logs == null || logs.isEmpty() ? null : Paths.get(logs.split(",")[0]);
      this.workingDirectory = workingDirectory;
      this.temporary = temporary;
    }

    static Machine here() {
      return new Machine(
          ProcFile.line("/proc/sys/kernel/random/boot_id") + "/" + ProcFile.line("/proc/sys/kernel/hostname"),
          System.getenv(), Paths.get(System.getProperty("user.dir")), Paths.get(System.getProperty("java.io.tmpdir")));
    }

    /**
     * This user's folder for recordings when none was set, made for the owner only. A folder of that name that others
     * may write to is not used: they could put links into it.
     */
    Path temporaryFolder() {
      String name = TEMPORARY_PREFIX + fileName(System.getProperty("user.name", "unknown"));
      Path folder = temporary.resolve(name);
      try {
        try {
          return PrivateFiles.createFolder(folder);
        } catch (FileAlreadyExistsException e) {
          return PrivateFiles.isOwnFolder(folder) ? folder : PrivateFiles.createTemporaryFolder(temporary, name + "-");
        }
      } catch (IOException e) {
        // The agent reports the error.
        return folder;
      }
    }

    private List<Path> nodeFolders() {
      if (containerLogs != null) {
        return Collections.emptyList();
      }
      String name = TEMPORARY_PREFIX + fileName(System.getProperty("user.name", "unknown"));
      return Arrays.asList(temporary.toAbsolutePath().resolve(name), Paths.get("/var/tmp").resolve(name));
    }

    private Path spoolFolder(boolean ownWorkingDirectory) {
      if (containerLogs != null) {
        return containerLogs;
      }
      return ownWorkingDirectory ? workingDirectory : temporaryFolder();
    }
  }
}

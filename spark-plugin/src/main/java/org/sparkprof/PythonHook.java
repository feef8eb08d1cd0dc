// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Puts the sampler where this JVM's Python workers find it and makes Spark start them by it: a private folder with the
 * Python package, the native library and the workers' rings, and one small module on the workers' path.
 *
 * <p>Spark runs {@code python -m MODULE}, whose path begins with the working directory. That of an executor is its own,
 * so the module goes there; in local mode it is the user's, so it goes only to the folder that {@code sparkprof run}
 * has put on PYTHONPATH. Where neither is possible Python stays as it is.
 */
final class PythonHook {
  /** A folder on PYTHONPATH that is there for the module; set by sparkprof run. */
  static final String PATH_VARIABLE = "SPARKPROF_PYTHON_PATH";

  /** A system property: the folder from which the driver's program starts its sampler (_program.py). */
  private static final String PROGRAM_PROPERTY = "sparkprof.python.program";

  private static final String DAEMON_MODULE = "spark.python.daemon.module";
  private static final String WORKER_MODULE = "spark.python.worker.module";
  private static final String USE_DAEMON = "spark.python.use.daemon";
  private static final String RINGS = "rings";
  private static final String SETTINGS = "settings.json";
  private static final String PACKAGE_FOLDER = "sparkprof";
  private static final String LIBRARY = "libsparkprof-pysampler.so";
  /** For the library and the rings of many workers. */
  private static final long ROOM_BYTES = 32L << 20;
  /** Includes the profiler classes, so that executors without the pip package can unpickle them. */
  private static final String[] PACKAGE = {
      "_collector.py", "_hooks.py", "_sampler.py", "daemon.py", "pyspark_profilers.py", "worker.py"};

  /** The workers' rings, for the agent. */
  final Path rings;
  /** The module that Spark's Python daemon is started by. */
  final Path module;
  private final Path folder;
  private final String settingsText;
  private final String moduleText;
  private boolean removed;
  private boolean complained;

  private PythonHook(Path folder, Path module, String settingsText, String moduleText) {
    this.folder = folder;
    this.rings = folder.resolve(RINGS);
    this.module = module;
    this.settingsText = settingsText;
    this.moduleText = moduleText;
  }

  /** Whether the driver's Python program samples itself where sparkprof run has prepared it to (_program.py). */
  static boolean samplesProgram(Settings settings, Map<String, String> environment) {
    return settings.pythonEnabled && (settings.pythonNative || settings.pythonAllocIntervalBytes > 0)
        && environment.containsKey(PATH_VARIABLE);
  }

  /**
   * Sets the JVM's own configuration (SparkEnv's) so that workers are sampled.
   *
   * @param conf value of a key, null when not set
   * @param set sets a key; does nothing on a driver that has no workers, where only the program is sampled
   * @param driver whether this JVM is the driver
   * @return null when they cannot be or shall not be; why is in the log
   */
  static PythonHook install(UnaryOperator<String> conf, BiConsumer<String, String> set, Settings settings,
      boolean driver, Map<String, String> environment) {
    if (!settings.pythonEnabled || NativeFiles.platform() == null || NativeFiles.fileSizeObstacle() != null) {
      return null;
    }
    Path path = modulePath(driver, environment);
    if (path == null) {
      return null;
    }
    boolean safePath =
        conf.apply("spark.executorEnv.PYTHONSAFEPATH") != null || environment.containsKey("PYTHONSAFEPATH");
    if (!driver && safePath) {
      Log.info("Python workers are not sampled: PYTHONSAFEPATH disables modules in their working directory");
      return null;
    }
    Path folder = null;
    try {
      folder = makeFolder(new NativeFiles(conf.apply("spark.local.dir")).directories());
      boolean daemon = !"false".equals(conf.apply(USE_DAEMON));
      String key = daemon ? DAEMON_MODULE : WORKER_MODULE;
      String settingsText = settingsText(settings, daemon ? "daemon_module" : "worker_module", conf.apply(key),
          folder.resolve(PACKAGE_FOLDER).resolve(LIBRARY));
      String name = "sparkprof_python_" + ProcFile.line("/proc/self/stat").split(" ")[0];
      PythonHook hook = new PythonHook(folder, path.resolve(name + ".py"), settingsText,
          moduleText(folder, folder.resolve(RINGS), daemon ? "daemon" : "worker"));
      hook.write();
      set.accept(key, name);
      if (driver && samplesProgram(settings, environment)) {
        System.setProperty(PROGRAM_PROPERTY, folder.toString());
      }
      return hook;
    } catch (IOException | RuntimeException e) {
      Log.warn("Python workers are not sampled: " + Log.reason(e));
      delete(folder);
      return null;
    }
  }

  /** Removes the module at once, and the folder when the agent has read the rings. */
  synchronized void remove() {
    removed = true;
    System.clearProperty(PROGRAM_PROPERTY);
    delete(module);
    delete(folder);
  }

  /**
   * Puts back what was removed since the last call, as cleaners of temporary folders do: without the module Spark could
   * start no Python at all. Cheap when nothing is missing.
   *
   * @return what was missing, null = nothing, or it cannot be put back
   */
  synchronized String repair() {
    if (removed) {
      return null;
    }
    String missing = missing().stream().map(Path::toString).collect(Collectors.joining(", "));
    if (missing.isEmpty()) {
      complained = false;
      return null;
    }
    try {
      write();
      return missing;
    } catch (IOException | RuntimeException e) {
      if (!complained) {
        complained = true;
        Log.warn("cannot recreate " + missing + " for the Python workers: " + Log.reason(e));
      }
      return null;
    }
  }

  private List<Path> missing() {
    List<Path> all = new ArrayList<>();
    all.add(module);
    all.add(rings.resolve(SETTINGS));
    for (String file : PACKAGE) {
      all.add(folder.resolve(PACKAGE_FOLDER).resolve(file));
    }
    all.add(folder.resolve(PACKAGE_FOLDER).resolve(LIBRARY));
    all.removeIf(Files::exists);
    return all;
  }

  /** Writes what is not there yet. */
  private void write() throws IOException {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      createParent(folder);
      PrivateFiles.createFolder(folder);
    } else if (!PrivateFiles.isOwnFolder(folder)) {
      throw new IOException(folder + " belongs to another user");
    }
    unpack(folder.resolve(PACKAGE_FOLDER));
    createIfMissing(rings);
    putFile(rings.resolve(SETTINGS), settingsText.getBytes(StandardCharsets.UTF_8));
    createParent(module);
    putFile(module, moduleText.getBytes(StandardCharsets.UTF_8));
  }

  /** Creates a missing folder for its owner only; an existing one, which may be a link of the user, is unchanged. */
  private static void createParent(Path path) throws IOException {
    if (!Files.isDirectory(path.getParent())) {
      PrivateFiles.createFolders(path.getParent(), PrivateFiles.Sharing.PRIVATE);
    }
  }

  private static void createIfMissing(Path wanted) throws IOException {
    if (!Files.isDirectory(wanted, LinkOption.NOFOLLOW_LINKS)) {
      PrivateFiles.createFolder(wanted);
    }
  }

  /** The file appears complete, because a worker may be reading it. */
  private static void putFile(Path file, byte[] content) throws IOException {
    if (Files.exists(file)) {
      return;
    }
    Path whole = Files.createTempFile(file.getParent(), ".sparkprof-", "");
    try {
      Files.write(whole, content);
      Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(whole);
    }
  }

  private static Path modulePath(boolean driver, Map<String, String> environment) {
    if (!driver) {
      Path working = Paths.get(System.getProperty("user.dir")).toAbsolutePath();
      if (Files.isWritable(working)) {
        return working;
      }
      Log.info("Python workers are not sampled: cannot write to the working directory " + working);
      return null;
    }
    String wanted = environment.get(PATH_VARIABLE);
    String paths = environment.getOrDefault("PYTHONPATH", "");
    if (wanted != null && Files.isDirectory(Paths.get(wanted))) {
      for (String entry : paths.split(File.pathSeparator)) {
        if (entry.equals(wanted)) {
          return Paths.get(wanted);
        }
      }
    }
    Log.info(
        "Python workers are sampled from outside only: in local mode, use `sparkprof run`, or name a folder of your "
        + "own in both PYTHONPATH and " + PATH_VARIABLE);
    return null;
  }

  /** In the first directory with room from which a library may be loaded. */
  private static Path makeFolder(Set<Path> candidates) throws IOException {
    for (Path directory : candidates) {
      if (NativeFiles.hasRoom(directory, ROOM_BYTES) && permitsLibraries(directory)) {
        return PrivateFiles.createTemporaryFolder(directory, "sparkprof-python-");
      }
    }
    throw new IOException("no room, or no permission to load libraries, in any of " + candidates);
  }

  /** Whether the file system of the directory is mounted without noexec. */
  private static boolean permitsLibraries(Path directory) throws IOException {
    String best = "";
    boolean permits = true;
    for (String line : Files.readAllLines(Paths.get("/proc/self/mounts"), StandardCharsets.ISO_8859_1)) {
      String[] fields = line.split(" ");
      if (fields.length > 3 && fields[1].length() >= best.length() && directory.startsWith(fields[1])) {
        best = fields[1];
        permits = !("," + fields[3] + ",").contains(",noexec,");
      }
    }
    return permits;
  }

  private static void unpack(Path target) throws IOException {
    createIfMissing(target);
    for (String file : PACKAGE) {
      copy("python/sparkprof/" + file, target.resolve(file));
    }
    copy(NativeFiles.folder() + "/" + LIBRARY, target.resolve(LIBRARY));
  }

  private static void copy(String resource, Path target) throws IOException {
    if (Files.exists(target)) {
      return;
    }
    try (InputStream in = PythonHook.class.getResourceAsStream("/" + resource)) {
      if (in == null) {
        throw new IOException("the plugin's jar lacks " + resource);
      }
      ByteArrayOutputStream content = new ByteArrayOutputStream();
      byte[] buffer = new byte[1 << 16];
      for (int got = in.read(buffer); got >= 0; got = in.read(buffer)) {
        content.write(buffer, 0, got);
      }
      putFile(target, content.toByteArray());
    }
  }

  private static String settingsText(Settings settings, String moduleKey, String userModule, Path library) {
    String json =
        "{\"interval_ns\": " + settings.pythonIntervalNs + ", \"library\": " + JsonText.quoted(library.toString());
    if (settings.pythonNative) {
      json += ", \"native\": true";
    }
    if (settings.pythonAllocIntervalBytes > 0) {
      json += ", \"alloc_interval_bytes\": " + settings.pythonAllocIntervalBytes;
      // Per second: the rest of the share is the JVM's.
      json += ", \"alloc_budget_ns\": " + settings.interval("samples.budget") * 2 / 5;
      json += ", \"alloc_small\": " + settings.pythonAllocSmall;
    }
    if (userModule != null) {
      json += ", \"" + moduleKey + "\": " + JsonText.quoted(userModule);
    }
    return json + "}\n";
  }

  private static String moduleText(Path folder, Path rings, String role) {
    return "# Made by sparkprof for this application's Python workers.\n"
        + "import os\nimport sys\n"
        + "sys.path.append(" + JsonText.quoted(folder.toString()) + ")\n"
        + "os.environ[\"SPARKPROF_RING_FOLDER\"] = " + JsonText.quoted(rings.toString()) + "\n"
        + "from sparkprof import " + role + "\n"
        + "if __name__ == \"__main__\":\n    " + role + ".main()\n";
  }

  private static void delete(Path root) {
    if (root == null || !Files.exists(root)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> tree = Files.walk(root)) {
      all = tree.sorted(Comparator.reverseOrder()).collect(Collectors.toList());
    } catch (IOException | RuntimeException e) {
      Log.debug("delete " + root, e);
      return;
    }
    for (Path path : all) {
      try {
        Files.deleteIfExists(path);
      } catch (IOException e) {
        Log.debug("delete " + path, e);
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Native files of the jar, for the moment in which they are loaded: each is written to the first directory from which
 * this machine lets it run, and deleted as soon as it is in memory.
 */
final class NativeFiles {
  /** Loads or starts the file at a path; throws when the directory does not permit it. */
  interface Use<T> {
    T of(Path file) throws Exception;
  }

  /** Space that a directory must have left for the job when sparkprof has written its files. */
  private static final long SPARE_BYTES = 16L << 20;
  /** Below this limit of file sizes, nothing is profiled: agent, samples and recording are files (folder_checks.h). */
  private static final long LEAST_FILE_BYTES = 64L << 20;

  private final Set<Path> directories = new LinkedHashSet<>();

  /** @param localDirectories comma-separated as in spark.local.dir; may be null */
  NativeFiles(String localDirectories) {
    add(System.getProperty("java.io.tmpdir"));
    for (String list :
        new String[] {localDirectories, System.getenv("LOCAL_DIRS"), System.getenv("SPARK_LOCAL_DIRS")}) {
      if (list != null) {
        for (String directory : list.split(",")) {
          add(directory.trim());
        }
      }
    }
    add("/dev/shm");
    add(System.getProperty("user.dir"));
  }

  private static final Path MAPPED_FILES = Paths.get("/proc/self/maps");
  private static final String MUSL = "-musl";

  /** The name under which the jar keeps async-profiler (linux-x64, linux-arm64), or null when it has none. */
  static String platform() {
    if (!"Linux".equals(System.getProperty("os.name"))) {
      return null;
    }
    String arch = System.getProperty("os.arch");
    if ("amd64".equals(arch) || "x86_64".equals(arch)) {
      return "linux-x64";
    }
    return "aarch64".equals(arch) ? "linux-arm64" : null;
  }

  /** The jar's folder with the agent and the Python sampler: native/linux-x64, or native/linux-x64-musl on Alpine. */
  static String folder() {
    return "native/" + platform() + (usesMusl(MAPPED_FILES) ? MUSL : "");
  }

  /**
   * Whether a process with these mapped files has musl as its C library: a file that is the loader, too, and has the
   * name of either. glibc's is libc.so.6.
   */
  static boolean usesMusl(Path mappedFiles) {
    try (Stream<String> lines = Files.lines(mappedFiles, StandardCharsets.ISO_8859_1)) {
      return lines.anyMatch(line -> line.contains("/ld-musl-") || line.endsWith("/libc.so"));
    } catch (IOException | UncheckedIOException e) {
      return false;
    }
  }

  /** Whether the directory has room for these bytes without taking the job's. */
  static boolean hasRoom(Path directory, long bytes) throws IOException {
    return Files.getFileStore(directory).getUsableSpace() >= bytes + SPARE_BYTES;
  }

  /** Why this process can write no recording: a limit of file sizes; null when it can. */
  static String fileSizeObstacle() {
    long limit = ResourceLimits.softLimit(ResourceLimits.FILE_SIZE);
    return limit >= LEAST_FILE_BYTES ? null
                                     : "files may have " + Units.bytesText(limit)
            + " at most (ulimit -f); profiling requires " + Units.bytesText(LEAST_FILE_BYTES);
  }

  /** In the order in which they are tried. */
  Set<Path> directories() {
    return directories;
  }

  /**
   * Extracts a resource and uses it, in one directory after the other until one works.
   *
   * @throws IOException when no directory worked: why the last one did not, and which were tried
   */
  <T> T use(String resource, String prefix, String suffix, Use<T> use) throws IOException {
    Throwable last = null;
    for (Path directory : directories) {
      Path file = null;
      try {
        file = extract(resource, directory, prefix, suffix);
        return use.of(file);
      } catch (MissingResource e) {
        throw e;
      } catch (Exception | LinkageError e) {
        last = e;
      } finally {
        delete(file);
      }
    }
    throw new IOException("cannot run " + resource + " from any of " + directories + ": "
            + (last == null ? "no directory" : Log.reason(last)) + "; a directory that permits execution is required",
        last);
  }

  private static Path extract(String resource, Path directory, String prefix, String suffix) throws IOException {
    URL source = NativeFiles.class.getResource("/" + resource);
    if (source == null) {
      throw new MissingResource(resource);
    }
    URLConnection connection = source.openConnection();
    // The jar stays open anyway: its classes are in use.
    if (!hasRoom(directory, connection.getContentLengthLong())) {
      throw new IOException(directory + " is almost full");
    }
    try (InputStream in = connection.getInputStream()) {
      // Written where it was created: a second file of that name would have another mode for a moment.
      Path file = Files.createTempFile(directory, prefix, suffix,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
        byte[] buffer = new byte[1 << 16];
        for (int got = in.read(buffer); got >= 0; got = in.read(buffer)) {
          out.write(buffer, 0, got);
        }
      } catch (IOException | RuntimeException e) {
        delete(file);
        throw e;
      }
      return file;
    }
  }

  private static void delete(Path file) {
    if (file == null) {
      return;
    }
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      Log.warn("cannot delete " + file + ": " + Log.reason(e));
    }
  }

  private void add(String directory) {
    if (directory == null || directory.isEmpty()) {
      return;
    }
    Path path = Paths.get(directory);
    if (Files.isDirectory(path) && Files.isWritable(path)) {
      directories.add(path.toAbsolutePath());
    }
  }

  /** The jar was built without this file: no other directory would help. */
  static final class MissingResource extends IOException {
    private static final long serialVersionUID = 1L;

    MissingResource(String resource) {
      super("the plugin's jar lacks " + resource);
    }
  }
}

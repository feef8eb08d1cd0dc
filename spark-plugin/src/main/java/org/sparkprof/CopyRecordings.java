// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.SparkHadoopUtil;

/**
 * Copies recordings from any Hadoop file system to a local folder, with the credentials and settings of spark-submit:
 * {@code sparkprof run} starts it after a job that recorded to a remote folder. Arguments: the remote folder, the local
 * folder, the time in ms since the epoch from which on applications count, "keep" or "remove" for the remote folder.
 * Errors are one line on standard error, with exit code 1.
 */
public final class CopyRecordings {
  private static final int ARGUMENTS = 4;
  private static final String EXTENSION = ".sprof";
  /** Executors write their last blocks after the driver has ended. */
  private static final long PAUSE_MS = 1500;

  private static final long LONGEST_WAIT_MS = 20_000;

  private final FileSystem fileSystem;
  private final Path folder;
  private final long sinceMs;

  private CopyRecordings(FileSystem fileSystem, Path folder, long sinceMs) {
    this.fileSystem = fileSystem;
    this.folder = folder;
    this.sinceMs = sinceMs;
  }

  public static void main(String[] arguments) {
    if (arguments.length != ARGUMENTS) {
      fail("expected FOLDER TARGET SINCE keep|remove");
    }
    URI remote = Place.uri(arguments[0]);
    Configuration hadoop = SparkHadoopUtil.get().newConfiguration(new SparkConf());
    try (FileSystem fileSystem = FileSystem.newInstance(remote, hadoop)) {
      CopyRecordings copy = new CopyRecordings(fileSystem, new Path(remote), Long.parseLong(arguments[2]));
      copy.copyTo(FileSystems.getDefault().getPath(arguments[1]));
      if ("remove".equals(arguments[ARGUMENTS - 1])) {
        fileSystem.delete(copy.folder, true);
      }
    } catch (IOException | RuntimeException | InterruptedException e) {
      fail(remote + ": " + Log.reason(e));
    }
  }

  private static void fail(String message) {
    System.err.println("sparkprof: " + message);
    System.exit(1);
  }

  /** Each application with a file of the job's time, once its files grow no more. */
  private void copyTo(java.nio.file.Path target) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONGEST_WAIT_MS);
    TreeMap<String, Long> files = list();
    TreeMap<String, Long> before = null;
    boolean complete = false;
    while (!complete) {
      while (!files.equals(before) && System.nanoTime() - deadline < 0) {
        Thread.sleep(PAUSE_MS);
        before = files;
        files = list();
      }
      complete = copyAll(files.keySet(), target) || System.nanoTime() - deadline >= 0;
      if (!complete) {
        files = list();
      }
    }
  }

  /** Whether all were still there: an executor may just have merged some. A block that is copied twice counts once. */
  private boolean copyAll(Set<String> names, java.nio.file.Path target) throws IOException {
    boolean all = true;
    for (String name : names) {
      java.nio.file.Path copy = target.resolve(name);
      Files.createDirectories(copy.getParent());
      try (FSDataInputStream in = fileSystem.open(new Path(folder, name))) {
        Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
      } catch (FileNotFoundException e) {
        all = false;
      }
    }
    return all;
  }

  /** "APPLICATION/NAME.sprof" with its size. */
  private TreeMap<String, Long> list() throws IOException {
    TreeMap<String, Long> files = new TreeMap<>();
    FileStatus[] folders;
    try {
      folders = fileSystem.listStatus(folder);
    } catch (FileNotFoundException e) {
      return files;
    }
    for (FileStatus application : folders) {
      if (application.isDirectory()) {
        addFiles(application.getPath(), files);
      }
    }
    return files;
  }

  private void addFiles(Path application, TreeMap<String, Long> files) throws IOException {
    TreeMap<String, Long> own = new TreeMap<>();
    long changed = 0;
    RemoteIterator<LocatedFileStatus> found = fileSystem.listFiles(application, false);
    while (found.hasNext()) {
      LocatedFileStatus file = found.next();
      if (file.getPath().getName().endsWith(EXTENSION)) {
        own.put(application.getName() + "/" + file.getPath().getName(), file.getLen());
        changed = Math.max(changed, file.getModificationTime());
      }
    }
    if (changed >= sinceMs) {
      files.putAll(own);
    }
  }
}

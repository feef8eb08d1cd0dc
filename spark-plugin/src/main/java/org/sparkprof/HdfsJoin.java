// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Joins files of a process on HDFS, NAME-000000.sprof, …, to NAME.sprof. The name node does that in one step without
 * copying: it takes milliseconds, and no block is missing or there twice at any moment.
 *
 * <p>The driver may join the files of an executor that still writes, merges or joins them: nobody deletes NAME.sprof,
 * and a join fails as a whole if one of its files is gone.
 */
final class HdfsJoin {
  private static final Pattern PIECE = Pattern.compile("(.+)-\\d{6,}\\.sprof");

  private HdfsJoin() {}

  static boolean isPossible(FileSystem fileSystem) {
    return "hdfs".equals(fileSystem.getUri().getScheme());
  }

  /** @param files of one process in the folder, oldest first */
  static void join(FileSystem fileSystem, Path folder, String name, List<Path> files) throws IOException {
    if (files.isEmpty()) {
      return;
    }
    Path whole = new Path(folder, name + ".sprof");
    List<Path> rest = new ArrayList<>(files);
    if (fileSystem.rename(files.get(0), whole)) {
      rest.remove(0);
    } else {
      // The driver has joined others before.
      keepExisting(fileSystem, rest);
    }
    if (!rest.isEmpty()) {
      fileSystem.concat(whole, rest.toArray(new Path[0]));
    }
  }

  /** Removes those that are gone from the list; how many are left. */
  static int keepExisting(FileSystem fileSystem, List<Path> files) throws IOException {
    for (Iterator<Path> next = files.iterator(); next.hasNext();) {
      if (!fileSystem.exists(next.next())) {
        next.remove();
      }
    }
    return files.size();
  }

  /** For the driver at its end: joins what every process has left, also those that were killed. */
  static void joinAll(FileSystem fileSystem, Path folder) throws IOException {
    Map<String, List<Path>> processes = new TreeMap<>();
    for (FileStatus file : fileSystem.listStatus(folder)) {
      Matcher piece = PIECE.matcher(file.getPath().getName());
      if (piece.matches()) {
        processes.computeIfAbsent(piece.group(1), name -> new ArrayList<>()).add(file.getPath());
      }
    }
    processes.forEach((name, files) -> {
      files.sort(null);
      try {
        join(fileSystem, folder, name, files);
      } catch (IOException | RuntimeException e) {
        // The process may just have joined them itself.
        Log.debug("joining the files of " + name, e);
      }
    });
  }
}

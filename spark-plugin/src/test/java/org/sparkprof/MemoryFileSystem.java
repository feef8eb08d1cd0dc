// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.TreeMap;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.Seekable;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** A Hadoop file system with the rules of HDFS: names are never overwritten by a rename, and a concat is one step. */
final class MemoryFileSystem extends FileSystem {
  /** The process that uses it is dead: nothing in it runs on. */
  static final class Killed extends Error { private static final long serialVersionUID = 1; }

  /** Called before each operation. */
  interface Watcher {
    void before(String operation, Path file);
  }

  final TreeMap<String, byte[]> files = new TreeMap<>();
  Watcher watcher = (operation, file) -> {};
  boolean concatenates = true;

  private final URI uri;
  private Path workingDirectory = new Path("/");

  MemoryFileSystem(String scheme) {
    uri = URI.create(scheme + "://memory");
  }

  @Override
  public URI getUri() {
    return uri;
  }

  /** Without the configuration that other ways to open need. */
  @Override
  public FSDataInputStream open(Path file) throws IOException {
    return new FSDataInputStream(new Input(existing("open", file)));
  }

  @Override
  public FSDataOutputStream create(Path file) throws IOException {
    watcher.before("create", file);
    files.put(file.getName(), new byte[0]);
    return new FSDataOutputStream(new ByteArrayOutputStream() {
      @Override
      public void close() {
        watcher.before("close", file);
        files.put(file.getName(), toByteArray());
      }
    }, null);
  }

  @Override
  public boolean rename(Path from, Path to) {
    watcher.before("rename", from);
    if (!files.containsKey(from.getName()) || files.containsKey(to.getName())) {
      return false;
    }
    files.put(to.getName(), files.remove(from.getName()));
    return true;
  }

  @Override
  public void concat(Path to, Path[] sources) throws IOException {
    if (!concatenates) {
      throw new IOException("concat can not be called for files in an encryption zone.");
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(existing("concat", to));
    for (Path source : sources) {
      all.write(existing("look", source));
    }
    for (Path source : sources) {
      files.remove(source.getName());
    }
    files.put(to.getName(), all.toByteArray());
  }

  @Override
  public boolean delete(Path file, boolean recursive) {
    watcher.before("delete", file);
    return files.remove(file.getName()) != null;
  }

  @Override
  public FileStatus[] listStatus(Path folder) {
    watcher.before("list", folder);
    return files.keySet().stream().map(name -> status(new Path(folder, name))).toArray(FileStatus[] ::new);
  }

  @Override
  public FileStatus getFileStatus(Path file) throws IOException {
    existing("look", file);
    return status(file);
  }

  private FileStatus status(Path file) {
    return new FileStatus(files.get(file.getName()).length, false, 1, 1, 0, file);
  }

  private byte[] existing(String operation, Path file) throws IOException {
    watcher.before(operation, file);
    byte[] bytes = files.get(file.getName());
    if (bytes == null) {
      throw new FileNotFoundException(file.toString());
    }
    return bytes;
  }

  @Override
  public void setPermission(Path file, FsPermission permission) {}

  @Override
  public FSDataInputStream open(Path file, int bufferSize) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FSDataOutputStream create(Path file, FsPermission permission, boolean overwrite, int bufferSize,
      short replication, long blockSize, Progressable progress) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FSDataOutputStream append(Path file, int bufferSize, Progressable progress) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean mkdirs(Path folder, FsPermission permission) {
    return true;
  }

  @Override
  public void setWorkingDirectory(Path folder) {
    workingDirectory = folder;
  }

  @Override
  public Path getWorkingDirectory() {
    return workingDirectory;
  }

  private static final class Input extends ByteArrayInputStream implements Seekable, PositionedReadable {
    Input(byte[] bytes) {
      super(bytes);
    }

    @Override
    public void seek(long position) {
      pos = (int) position;
    }

    @Override
    public long getPos() {
      return pos;
    }

    @Override
    public boolean seekToNewSource(long position) {
      return false;
    }

    @Override
    public int read(long position, byte[] bytes, int offset, int length) {
      System.arraycopy(buf, (int) position, bytes, offset, length);
      return length;
    }

    @Override
    public void readFully(long position, byte[] bytes, int offset, int length) {
      read(position, bytes, offset, length);
    }

    @Override
    public void readFully(long position, byte[] bytes) {
      read(position, bytes, 0, bytes.length);
    }
  }
}

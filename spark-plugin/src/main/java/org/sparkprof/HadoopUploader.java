// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.SparkHadoopUtil;

/**
 * Writes blocks to any Hadoop file system, one file for each interval: DIR/APPLICATION/PROCESS-SEQUENCE.sprof, see
 * {@link HadoopPieces}. What cannot be written is kept and tried again, up to a bound.
 */
final class HadoopUploader implements Session.BlockSink {
  private static final long MAX_WAITING_BYTES = 64L << 20;

  private final UploadBuffer waiting = new UploadBuffer(MAX_WAITING_BYTES);
  private final SparkConf conf;
  private final URI dir;
  private final Identity identity;
  private final long intervalMs;
  private final CountDownLatch end = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "sparkprof-upload");
  private final PrivateFiles.Sharing sharing;
  private FileSystem fileSystem;
  /** Where the blocks go; null before the first ones. */
  private HadoopPieces pieces;
  /** The application of `pieces`. */
  private String application;
  private boolean complained;
  /** The last upload was tried; merging goes on. */
  private volatile boolean uploaded;

  HadoopUploader(SparkConf conf, URI dir, Identity identity, Settings settings) {
    this.conf = conf;
    this.dir = dir;
    this.identity = identity;
    this.sharing = settings.sharing;
    this.intervalMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(settings.uploadIntervalNs));
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void block(byte[] block) {
    waiting.add(block);
  }

  @Override
  public boolean finish(long timeoutMs) throws InterruptedException {
    end.countDown();
    thread.join(timeoutMs);
    if (waiting.dropped() > 0) {
      Log.warn(
          waiting.dropped() + " blocks of the recording dropped: upload queue full while " + dir + " was unavailable");
    }
    return uploaded && waiting.isEmpty() && waiting.dropped() == 0;
  }

  private void run() {
    try {
      boolean last = false;
      while (!last) {
        last = end.await(intervalMs, TimeUnit.MILLISECONDS);
        // Before the driver has its application ID, there is no folder to write to.
        if (last || !identity.applicationId().isEmpty()) {
          upload();
          merge(last);
        }
      }
    } catch (Throwable e) {
      Log.warn("uploads to " + dir + " stopped: " + Log.reason(e));
    }
    close();
  }

  private void close() {
    try {
      if (fileSystem != null) {
        fileSystem.close();
      }
    } catch (IOException e) {
      Log.debug("closing " + dir, e);
    }
  }

  private void upload() {
    byte[][] blocks = waiting.all();
    if (blocks.length == 0) {
      return;
    }
    try {
      write(blocks);
      for (int i = 0; i < blocks.length; i++) {
        waiting.remove();
      }
      complained = false;
    } catch (IOException | RuntimeException e) {
      if (!complained) {
        complained = true;
        Log.warn("cannot write to " + dir + ": " + Log.reason(e) + "; retrying, the job continues");
      }
    }
  }

  /** A separate file system: the shared one is closed at the start of the JVM's shutdown, before the last blocks. */
  private FileSystem open() throws IOException {
    Configuration hadoop = SparkHadoopUtil.get().newConfiguration(conf);
    hadoop.setBoolean("fs.automatic.close", false);
    FileSystem own = FileSystem.newInstance(dir, hadoop);
    // Blocks carry checksums of their own; on a local file system this would add a hidden file to each.
    own.setWriteChecksum(false);
    return own;
  }

  private void write(byte[][] blocks) throws IOException {
    if (fileSystem == null) {
      fileSystem = open();
    }
    String current = identity.applicationId().isEmpty() ? "starting" : identity.applicationId();
    if (pieces == null || !current.equals(application)) {
      Path folder = new Path(new Path(dir), Place.fileName(current));
      if (!fileSystem.exists(folder)) {
        FileSystem.mkdirs(fileSystem, folder, HadoopPieces.permission(sharing.folder));
      }
      pieces = new HadoopPieces(fileSystem, folder, Place.processName(identity), sharing.file);
      application = current;
    }
    pieces.write(blocks);
  }

  private void merge(boolean last) {
    uploaded = last;
    if (pieces == null) {
      return;
    }
    try {
      if (last) {
        pieces.mergeRest(!Identity.EXECUTOR.equals(identity.role));
      } else {
        // The last blocks do not wait for a merge.
        pieces.mergeFull(() -> end.getCount() == 0);
      }
    } catch (IOException | RuntimeException e) {
      Log.debug("merging the files in " + dir, e);
    }
  }
}

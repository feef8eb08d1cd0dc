// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One running agent: its process, the frames to it ({@link #writer}) and a thread that reads the frames from it. */
final class AgentProcess {
  /** Receives messages from the agent. Called on the reader's thread. */
  interface Listener {
    /** One complete block of the recording. */
    void block(byte[] block);

    /** So many frames that were sent to it are in the recording. */
    void recorded(long frames);

    /** The recording continues in this file, whose first byte has the position `base` in the recording. */
    void spool(long base, String path);

    /** The sampling intervals to use from now on: the payload of INTERVALS. */
    void intervals(ByteBuffer intervals);

    /** The agent closed its output or broke the protocol; nothing follows. */
    void agentGone(String how);
  }

  private static final int READY = 1;
  private static final int BLOCK = 2;
  private static final int LOG = 3;
  private static final int RECORDED = 4;
  private static final int SPOOL = 5;
  private static final int INTERVALS = 6;
  private static final int INTERVALS_BYTES = 4 * Long.BYTES;
  private static final int MAX_FRAME_BYTES = 64 << 20;
  private static final int START_ATTEMPTS = 5;
  /** ETXTBSY: another thread forked while the agent's file was still open for writing. */
  private static final String TEXT_FILE_BUSY = "error=26";
  private static final String[] INHERITED_ENVIRONMENT = {"PATH", "HOME", "LANG", "TZ"};

  final FrameWriter writer;

  private final Process process;
  private final Listener listener;
  private final CountDownLatch readyOrGone = new CountDownLatch(1);
  private final Thread reader;
  private volatile String readyFile;
  private volatile String gone;

  private AgentProcess(Process process, Listener listener) {
    this.process = process;
    this.listener = listener;
    this.writer = new FrameWriter(process.getOutputStream());
    this.reader = new Thread(this::read, "sparkprof-agent-reader");
    reader.setDaemon(true);
  }

  /**
   * Starts the agent.
   *
   * @param agentPath an agent to use instead of the jar's own; null or one that is not there = the jar's own
   */
  static AgentProcess start(NativeFiles files, String agentPath, Listener listener) throws IOException {
    Process process;
    if (agentPath != null && Files.isExecutable(Paths.get(agentPath))) {
      process = launch(Paths.get(agentPath));
    } else {
      process = files.use(NativeFiles.folder() + "/sparkprof-agent", "sparkprof-agent-", "", AgentProcess::launch);
    }
    AgentProcess agent = new AgentProcess(process, listener);
    agent.reader.start();
    return agent;
  }

  private static Process launch(Path file) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(file.toString());
    builder.redirectError(new File("/dev/null"));
    // Not the job's directory: the agent outlives the job and must not keep it in use.
    builder.directory(new File("/"));
    // The agent needs nothing of the job's environment, which may preload libraries or hold secrets.
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> !inherited(name));
    for (int attempt = 1;; attempt++) {
      try {
        return builder.start();
      } catch (IOException e) {
        if (attempt == START_ATTEMPTS || !String.valueOf(e.getMessage()).contains(TEXT_FILE_BUSY)) {
          throw e;
        }
        pause();
      }
    }
  }

  private static boolean inherited(String name) {
    for (String allowed : INHERITED_ENVIRONMENT) {
      if (allowed.equals(name)) {
        return true;
      }
    }
    return name.startsWith(Settings.ENVIRONMENT_PREFIX) && !name.equals(Settings.environmentName(Settings.TOKEN));
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the agent was started", e);
    }
  }

  /** The file for the engine's output, or null if the agent has not sent it in time. */
  String awaitReady(long timeoutMs) throws InterruptedException {
    readyOrGone.await(timeoutMs, TimeUnit.MILLISECONDS);
    return readyFile;
  }

  /** The file for the engine's output; null until the agent has sent it. */
  String jfrFile() {
    return readyFile;
  }

  /** Why nothing follows from it; null while it runs. */
  String gone() {
    return gone;
  }

  /** Waits until the agent has ended and everything it sent has been handed on. False = it still runs. */
  boolean awaitEnd(long timeoutMs) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    reader.join(Math.max(1, timeoutMs));
    return process.waitFor(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS) && !reader.isAlive();
  }

  void kill() {
    process.destroyForcibly();
  }

  private void read() {
    String how;
    try (DataInputStream in = new DataInputStream(process.getInputStream())) {
      while (true) {
        int kind = in.read();
        if (kind < 0) {
          how = "it exited" + exitCode();
          break;
        }
        int length = in.readInt();
        if (length < 0 || length > MAX_FRAME_BYTES) {
          how = "it sent a frame of " + (length & 0xffffffffL) + " bytes, at most " + MAX_FRAME_BYTES;
          break;
        }
        byte[] payload = new byte[length];
        in.readFully(payload);
        received(kind, payload);
      }
    } catch (EOFException e) {
      how = "it exited within a frame" + exitCode();
    } catch (IOException e) {
      how = Log.reason(e);
    } catch (Throwable e) {
      how = e.toString();
    }
    gone = how;
    readyOrGone.countDown();
    listener.agentGone(how);
  }

  private void received(int kind, byte[] payload) {
    switch (kind) {
      case READY:
        readyFile = new String(payload, StandardCharsets.UTF_8);
        readyOrGone.countDown();
        break;
      case BLOCK:
        listener.block(payload);
        break;
      case RECORDED:
        if (payload.length == Long.BYTES) {
          listener.recorded(ByteBuffer.wrap(payload).getLong());
        }
        break;
      case SPOOL:
        if (payload.length > Long.BYTES) {
          listener.spool(ByteBuffer.wrap(payload).getLong(),
              new String(payload, Long.BYTES, payload.length - Long.BYTES, StandardCharsets.UTF_8));
        }
        break;
      case INTERVALS:
        if (payload.length == INTERVALS_BYTES) {
          listener.intervals(ByteBuffer.wrap(payload));
        }
        break;
      case LOG:
        if (payload.length > 0) {
          String text = new String(payload, 1, payload.length - 1, StandardCharsets.UTF_8);
          if (payload[0] == 0) {
            Log.info(text);
          } else {
            Log.warn(text);
          }
        }
        break;
      default:
        break;
    }
  }

  private String exitCode() {
    try {
      return process.waitFor(200, TimeUnit.MILLISECONDS) ? " with exit code " + process.exitValue() : "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}

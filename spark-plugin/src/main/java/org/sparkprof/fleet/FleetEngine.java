// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.fleet;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An engine process that reads event logs from its input, in pieces (src/fleet/fleet_engine.h). A log that ends the
 * process is one broken log: the next one gets a new process. For one thread.
 */
final class FleetEngine implements Closeable {
  /** A file of a log, opened when its turn has come. */
  interface OpenLog {
    InputStream open() throws IOException;
  }

  private static final int PIECE = 1 << 18;
  private static final int FAILED = -1;
  private static final int END_SECONDS = 30;
  private static final byte[] DONE = "done\t".getBytes(StandardCharsets.UTF_8);

  private final List<String> command;
  private Process process;
  private DataOutputStream input;
  private InputStream output;

  FleetEngine(List<String> command) {
    this.command = command;
  }

  /** Appends the rows of the log and the line "done", or a line "broken": all as the engine's UTF-8. */
  void read(String description, List<OpenLog> files, ByteArrayOutputStream answer) {
    String problem = "the engine ended";
    Rows rows = new Rows();
    try {
      if (process == null)
        start();
      input.write((description + "\n").getBytes(StandardCharsets.UTF_8));
      for (OpenLog file : files) send(file);
      input.flush();
      byte[] piece = new byte[PIECE];
      for (int got = output.read(piece); got >= 0; got = output.read(piece)) {
        rows.write(piece, 0, got);
        if (rows.areComplete()) {
          rows.writeTo(answer);
          return;
        }
      }
    } catch (IOException e) {
      problem = String.valueOf(e.getMessage());
    }
    byte[] line = broken(problem).getBytes(StandardCharsets.UTF_8);
    answer.write(line, 0, line.length);
  }

  /** The engine's answer about a log. Nothing follows it until the engine is asked again. */
  private static final class Rows extends ByteArrayOutputStream {
    /** Whether the last line is there as a whole. */
    boolean areComplete() {
      if (count == 0 || buf[count - 1] != '\n')
        return false;
      int begin = count - 1;
      while (begin > 0 && buf[begin - 1] != '\n') --begin;
      for (int i = 0; i < DONE.length; ++i) {
        if (begin + i >= count || buf[begin + i] != DONE[i])
          return false;
      }
      return true;
    }
  }

  private void start() throws IOException {
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    input = new DataOutputStream(process.getOutputStream());
    output = process.getInputStream();
  }

  /** Fails if the engine cannot be written to. A file that cannot be read is told to the engine. */
  private void send(OpenLog file) throws IOException {
    byte[] piece = new byte[PIECE];
    String problem = null;
    try (InputStream stream = file.open()) {
      while (problem == null) {
        int got = 0;
        try {
          got = stream.read(piece);
        } catch (IOException e) {
          problem = String.valueOf(e.getMessage());
        }
        if (got < 0)
          break;
        if (problem == null && got > 0) {
          input.writeInt(got);
          input.write(piece, 0, got);
        }
      }
    } catch (IOException e) {
      if (!process.isAlive())
        throw e;
      problem = String.valueOf(e.getMessage());
    }
    if (problem == null) {
      input.writeInt(0);
      return;
    }
    byte[] reason = problem.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(reason.length, PIECE / 8);
    input.writeInt(FAILED);
    input.writeInt(length);
    input.write(reason, 0, length);
  }

  private String broken(String reason) {
    String how = process == null ? reason : reason + ", exit code " + end();
    return "broken\t" + how.replaceAll("\\p{Cntrl}", " ") + "\n";
  }

  private int end() {
    Process ended = process;
    process = null;
    try {
      input.close();
    } catch (IOException e) {
      // it has ended
    }
    try {
      if (!ended.waitFor(END_SECONDS, TimeUnit.SECONDS))
        ended.destroyForcibly();
      return ended.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      ended.destroyForcibly();
      return -1;
    }
  }

  @Override
  public void close() {
    if (process != null)
      end();
  }
}

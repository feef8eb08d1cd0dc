// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
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

  private final List<String> command;
  private Process process;
  private DataOutputStream input;
  private BufferedReader output;

  FleetEngine(List<String> command) {
    this.command = command;
  }

  /** The rows of the log and the line "done", or a line "broken". */
  String read(String description, List<OpenLog> files) {
    StringBuilder answer = new StringBuilder();
    try {
      if (process == null)
        start();
      input.write((description + "\n").getBytes(StandardCharsets.UTF_8));
      for (OpenLog file : files) send(file);
      input.flush();
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        answer.append(line).append('\n');
        if (line.startsWith("done\t"))
          return answer.toString();
      }
      return broken("the engine ended");
    } catch (IOException e) {
      return broken(String.valueOf(e.getMessage()));
    }
  }

  private void start() throws IOException {
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    input = new DataOutputStream(process.getOutputStream());
    output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
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

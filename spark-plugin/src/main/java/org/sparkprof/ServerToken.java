// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** The token for the server: from this JVM's settings, from a file, or from the driver. */
final class ServerToken implements ServerClient.Token {
  private static final long MAX_FILE_BYTES = 64 << 10;
  private static final long ASK_AGAIN_NS = 300_000_000_000L;

  private final String token;
  private final String file;
  /** Null on the driver. */
  private final ServerClient.Token driver;
  /** The driver's answer; null = it has not answered. */
  private String answer;
  private long answeredNs;

  ServerToken(Settings settings, ServerClient.Token driver) {
    this.token = settings.serverToken;
    this.file = settings.serverTokenFile;
    this.driver = driver;
  }

  /** For the tab in Spark's UI, which reads: a file of its own, or else the token that this JVM sends data with. */
  static ServerClient.Token ofUi(Settings settings) {
    String file = settings.uiTokenFile;
    return file.isEmpty() ? new ServerToken(settings, null) : () -> read(Paths.get(file), "ui.tokenFile");
  }

  /**
   * Empty if there is none. The file is read each time, because a token in it may be replaced; the driver is asked
   * every five minutes.
   *
   * @throws IOException the file or the driver cannot be read; the message does not contain the token
   */
  @Override
  public String get() throws IOException {
    if (!token.isEmpty()) {
      return token;
    }
    Path path = file.isEmpty() ? null : Paths.get(file);
    if (path != null && (driver == null || Files.isReadable(path))) {
      return read(path, "server.tokenFile");
    }
    return driver == null ? "" : askDriver();
  }

  private synchronized String askDriver() throws IOException {
    if (answer == null || System.nanoTime() - answeredNs > ASK_AGAIN_NS) {
      answer = driver.get();
      answeredNs = System.nanoTime();
    }
    return answer;
  }

  private static String read(Path path, String setting) throws IOException {
    if (!Files.isReadable(path)) {
      throw new IOException(path + ": cannot read the token (spark.sparkprof." + setting + ")");
    }
    if (Files.size(path) > MAX_FILE_BYTES) {
      throw new IOException(path + ": too large for a token");
    }
    String text = new String(Files.readAllBytes(path), StandardCharsets.UTF_8).trim();
    try {
      return SettingsTable.SETTINGS.get(Settings.TOKEN).read(text);
    } catch (IllegalArgumentException e) {
      throw new IOException(path + ": the token " + e.getMessage());
    }
  }
}

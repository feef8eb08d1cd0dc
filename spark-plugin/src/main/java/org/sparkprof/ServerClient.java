// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UnsupportedEncodingException;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.net.URLEncoder;
import java.util.concurrent.TimeUnit;

/**
 * Requests to `sparkprof serve` (docs/server-api.md), one at a time, with the JVM's own proxy and trust store. Java 8
 * has no newer client than this one.
 */
final class ServerClient {
  /** The body of a request. */
  interface Body {
    void writeTo(OutputStream out) throws IOException;
  }

  /** A token or secret for the server; empty = none. May be read anew each time. */
  interface Token {
    String get() throws IOException;
  }

  static final class Answer {
    final int status;
    /** The wait that the server requests; 0 = none. */
    final long retryAfterMs;
    /** Null unless the body is a JSON object. */
    final JsonNode json;

    Answer(int status, long retryAfterMs, JsonNode json) {
      this.status = status;
      this.retryAfterMs = retryAfterMs;
      this.json = json;
    }

    /** "503 (too many requests)": for messages. */
    String text() {
      String message = json == null ? "" : json.path("error").path("message").asText("");
      return "status " + status + (message.isEmpty() ? "" : " (" + oneLine(message) + ")");
    }

    private static String oneLine(String text) {
      String line = text.replaceAll("\\p{Cntrl}+", " ");
      return line.length() > MAX_MESSAGE ? line.substring(0, MAX_MESSAGE) + "…" : line;
    }
  }

  private static final String API = "/api/sparkprof/v1";
  private static final int CONNECT_TIMEOUT_MS = 5_000;
  private static final int READ_TIMEOUT_MS = 30_000;
  /** A request that takes longer is broken off: writing has no timeout of its own. */
  private static final long STALLED_NS = 60_000_000_000L;
  private static final int MAX_ANSWER_BYTES = 1 << 20;
  private static final int MAX_MESSAGE = 200;
  private static final long MAX_RETRY_AFTER_MS = 300_000;

  /** Without a slash at the end. */
  final String url;
  private final Token token;
  /** Null = sends no recordings. */
  private final Token uploadSecret;
  private final ObjectMapper mapper = new ObjectMapper();
  private volatile HttpURLConnection running;
  private volatile long runningSinceNs;
  private volatile int timeoutMs = Integer.MAX_VALUE;

  ServerClient(String url, Token token, Token uploadSecret) {
    this.url = url;
    this.token = token;
    this.uploadSecret = uploadSecret;
  }

  /** The address of an application's page; the latest attempt's if it is empty. */
  static String page(String url, String applicationId, String attempt) {
    return url + "/applications/" + encoded(applicationId) + ofAttempt(attempt);
  }

  private static String ofAttempt(String attempt) {
    return attempt.isEmpty() ? "" : "?attempt=" + encoded(attempt);
  }

  /** Sends whole blocks. */
  Answer postRecordings(long bytes, Body body) throws IOException {
    HttpURLConnection connection = connection("/recordings");
    connection.setRequestMethod("POST");
    connection.setDoOutput(true);
    connection.setRequestProperty("Content-Type", "application/octet-stream");
    connection.setRequestProperty("Sparkprof-Upload-Secret", uploadSecret.get());
    // Also keeps the JDK from sending a request again by itself.
    connection.setFixedLengthStreamingMode(bytes);
    return answer(connection, body);
  }

  /** The configuration of a group in effect for a job. */
  Answer getConfiguration(String group, String applicationId, String user, String queue) throws IOException {
    return answer(connection("/groups/" + encoded(group) + "/configuration?application=" + encoded(applicationId)
                      + "&user=" + encoded(user) + "&queue=" + encoded(queue)),
        null);
  }

  /** The findings about an application; those of the latest attempt if it is empty. */
  Answer getFindings(String applicationId, String attempt) throws IOException {
    return answer(connection("/applications/" + encoded(applicationId) + "/findings" + ofAttempt(attempt)), null);
  }

  /** From now on no request takes longer than about this. */
  void hurry(int timeoutMs) {
    this.timeoutMs = timeoutMs;
  }

  /** How long the current request has been running; 0 = there is none. */
  long runningNs() {
    return running == null ? 0 : System.nanoTime() - runningSinceNs;
  }

  /** Breaks off a request that makes no progress. Called from time to time; returns at once. */
  void abortStalled() {
    HttpURLConnection stalled = running;
    if (stalled != null && runningNs() > STALLED_NS) {
      // Not a second time, and not here: closing a TLS connection may wait for the thread that is writing.
      runningSinceNs = System.nanoTime();
      Thread closer = new Thread(stalled::disconnect, "sparkprof-server-abort");
      closer.setDaemon(true);
      closer.start();
    }
  }

  private HttpURLConnection connection(String path) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) new URL(url + API + path).openConnection();
    connection.setConnectTimeout(Math.min(CONNECT_TIMEOUT_MS, timeoutMs));
    connection.setReadTimeout(Math.min(READ_TIMEOUT_MS, timeoutMs));
    connection.setInstanceFollowRedirects(false);
    connection.setUseCaches(false);
    connection.setAllowUserInteraction(false);
    connection.setRequestProperty("User-Agent", "sparkprof");
    connection.setRequestProperty("Accept", "application/json");
    String secret = token.get();
    if (!secret.isEmpty()) {
      connection.setRequestProperty("Authorization", "Bearer " + secret);
    }
    return connection;
  }

  private Answer answer(HttpURLConnection connection, Body body) throws IOException {
    runningSinceNs = System.nanoTime();
    running = connection;
    boolean whole = false;
    try {
      IOException notSent = body == null ? null : send(connection, body);
      int status = status(connection, notSent);
      JsonNode json = readJson(status < 400 ? connection.getInputStream() : connection.getErrorStream());
      whole = true;
      return new Answer(status, retryAfterMs(connection), json);
    } finally {
      running = null;
      if (!whole) {
        connection.disconnect();
      }
    }
  }

  /** Null = sent. A server that refuses a body may answer and close before it has read all of it. */
  private static IOException send(HttpURLConnection connection, Body body) throws IOException {
    OutputStream out = connection.getOutputStream();
    try {
      body.writeTo(out);
      out.close();
      return null;
    } catch (IOException e) {
      return e;
    }
  }

  private static int status(HttpURLConnection connection, IOException notSent) throws IOException {
    int status;
    try {
      status = connection.getResponseCode();
    } catch (HttpRetryException e) {
      status = e.responseCode();
    } catch (IOException e) {
      throw notSent == null ? e : notSent;
    }
    if (status < 0 || (notSent != null && status < 400)) {
      throw notSent == null ? new IOException("not an HTTP response") : notSent;
    }
    return status;
  }

  private JsonNode readJson(InputStream in) throws IOException {
    if (in == null) {
      return null;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (InputStream answer = in) {
      byte[] buffer = new byte[4096];
      for (int got = answer.read(buffer); got >= 0; got = answer.read(buffer)) {
        bytes.write(buffer, 0, got);
        if (bytes.size() > MAX_ANSWER_BYTES) {
          throw new IOException("the response is longer than " + MAX_ANSWER_BYTES + " bytes");
        }
      }
    }
    try {
      JsonNode json = mapper.readTree(bytes.toByteArray());
      return json != null && json.isObject() ? json : null;
    } catch (IOException notJson) {
      return null;
    }
  }

  private static long retryAfterMs(HttpURLConnection connection) {
    String seconds = connection.getHeaderField("Retry-After");
    if (seconds == null || !seconds.trim().matches("[0-9]{1,9}")) {
      return 0;
    }
    return Math.min(MAX_RETRY_AFTER_MS, TimeUnit.SECONDS.toMillis(Long.parseLong(seconds.trim())));
  }

  private static String encoded(String part) {
    try {
      return URLEncoder.encode(part, "UTF-8").replace("+", "%20");
    } catch (UnsupportedEncodingException e) {
      throw new AssertionError(e);
    }
  }
}

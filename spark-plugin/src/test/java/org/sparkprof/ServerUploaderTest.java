// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class ServerUploaderTest {
  private static final String SECRET = ServerLink.newUploadSecret();
  private static final long TIMEOUT_MS = 60_000;
  /** Less than the 30 s after which the client gives up waiting for an answer. */
  private static final long SILENT_MS = 20_000;
  private static final String STORED = "{\"blocks\":1}";

  @TempDir Path folder;
  private final List<String> stored = new CopyOnWriteArrayList<>();
  private final List<String> warnings = new CopyOnWriteArrayList<>();
  private final List<Long> times = new CopyOnWriteArrayList<>();
  private final AtomicLong refused = new AtomicLong();
  private final RecordingTail tail = new RecordingTail();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer server;

  /** The server's reaction to the request of this number, from 0. */
  private interface Behavior {
    int status(int request, String blocks);
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.stop(0);
    }
    threads.shutdownNow();
    tail.close();
  }

  private int serve(int port, Behavior behavior) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(threads);
    server.createContext("/api/sparkprof/v1/recordings", exchange -> answer(exchange, behavior));
    server.start();
    return server.getAddress().getPort();
  }

  private synchronized void answer(HttpExchange exchange, Behavior behavior) throws IOException {
    assertEquals(SECRET, exchange.getRequestHeaders().getFirst("Sparkprof-Upload-Secret"));
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] buffer = new byte[4096];
    InputStream in = exchange.getRequestBody();
    for (int got = in.read(buffer); got >= 0; got = in.read(buffer)) {
      body.write(buffer, 0, got);
    }
    String blocks = TestBlocks.contents(body.toByteArray());
    times.add(System.nanoTime());
    int status = behavior.status(times.size() - 1, blocks);
    if (status == 200) {
      stored.add(blocks);
    }
    if (status == 503) {
      exchange.getResponseHeaders().add("Retry-After", "1");
    }
    if (status == 401) {
      exchange.getResponseHeaders().add("WWW-Authenticate", "Bearer");
    }
    byte[] answer =
        (status == 200 ? STORED : "{\"error\":{\"code\":\"x\",\"message\":\"no\"}}").getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, answer.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(answer);
    }
  }

  private ServerUploader uploader(int port) {
    ServerClient client = new ServerClient("http://127.0.0.1:" + port, () -> "token", () -> SECRET);
    ServerUploader.Notes notes = new ServerUploader.Notes() {
      @Override
      public void warn(String text) {
        warnings.add(text);
      }

      @Override
      public void refused(String reason, long bytes) {
        refused.addAndGet(bytes);
      }
    };
    ServerUploader uploader = new ServerUploader(client, () -> true, 20, notes);
    tail.moved(file(), 0);
    uploader.add(tail, sent -> {});
    uploader.start();
    return uploader;
  }

  private Path file() {
    return folder.resolve("a.sprof");
  }

  private void record(String... texts) throws IOException {
    for (String text : texts) {
      Files.write(file(), TestBlocks.block(text), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }

  private String all() {
    return String.join(",", stored);
  }

  /** Returns when the server has got so many requests. */
  private void awaitRequests(int count) throws InterruptedException {
    while (times.size() < count) {
      Thread.sleep(5);
    }
  }

  @Test
  void sendsEachBlockOnceAndInOrderWhileTheRecordingGrows() throws Exception {
    ServerUploader uploader = uploader(serve(0, (request, blocks) -> 200));
    record("a", "b");
    awaitRequests(1);
    record("c");
    awaitRequests(2);
    record("d", "e");
    assertTrue(uploader.finish(TIMEOUT_MS));
    assertEquals("a,b,c,d,e", all());
    uploader.deleteAll();
    assertFalse(Files.exists(file()));
  }

  @Test
  void sendsAgainWhatABusyServerDidNotTakeAndNotSoonerThanItAsks() throws Exception {
    ServerUploader uploader = uploader(serve(0, (request, blocks) -> request == 0 ? 503 : 200));
    record("a", "b");
    awaitRequests(2);
    assertTrue(times.get(1) - times.get(0) >= 1_000_000_000L, times.toString());
    record("c");
    assertTrue(uploader.finish(TIMEOUT_MS));
    assertEquals("a,b,c", all());
    assertEquals(0, refused.get());
  }

  @Test
  void aServerThatComesLaterGetsEverything() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    ServerUploader uploader = uploader(port);
    record("a");
    // Over the first attempt, which fails at once.
    Thread.sleep(1_000);
    record("b");
    serve(port, (request, blocks) -> 200);
    awaitRequests(1);
    assertTrue(uploader.finish(TIMEOUT_MS));
    assertEquals("a,b", all());
  }

  @Test
  void aTokenThatIsNotAcceptedIsOneWarningAndTriedAgain() throws Exception {
    ServerUploader uploader = uploader(serve(0, (request, blocks) -> request == 0 ? 401 : 200));
    record("a");
    awaitRequests(1);
    record("b", "c");
    assertTrue(uploader.finish(TIMEOUT_MS), "a last attempt at the end");
    assertEquals("a,b,c", all());
    assertEquals(1, warnings.size(), warnings.toString());
    assertTrue(warnings.get(0).contains("does not accept the token, status 401;"), warnings.get(0));
    assertEquals(0, refused.get());
  }

  @Test
  void aBlockThatTheServerRefusesIsCountedAndTheOthersArrive() throws Exception {
    ServerUploader uploader = uploader(serve(0, (request, blocks) -> blocks.contains("bad") ? 400 : 200));
    record("a", "bad", "c");
    awaitRequests(4);
    record("d", "e");
    assertFalse(uploader.finish(TIMEOUT_MS));
    assertEquals("a,c,d,e", all());
    assertEquals("d,e", stored.get(2), "together again");
    assertEquals(TestBlocks.block("bad").length, refused.get());
    assertEquals(1, warnings.size());
  }

  @Test
  void aServerOfAnotherKindIsNotMistakenForOne() throws Exception {
    ServerUploader uploader = uploader(serve(0, (request, blocks) -> 404));
    record("a");
    awaitRequests(1);
    assertFalse(uploader.finish(TIMEOUT_MS));
    assertEquals(0, refused.get(), "it may be wrong for a time only");
  }

  @Test
  void aServerThatNeverAnswersDelaysNeitherTheProducerNorTheEnd() throws Exception {
    CountDownLatch accepted = new CountDownLatch(1);
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      threads.execute(() -> {
        try (Socket connection = silent.accept()) {
          accepted.countDown();
          Thread.sleep(2 * SILENT_MS);
        } catch (IOException | InterruptedException e) {
          // The test is over.
        }
      });
      ServerUploader uploader = uploader(silent.getLocalPort());
      record("a");
      accepted.await();
      long startNs = System.nanoTime();
      record("b");
      uploader.check();
      assertFalse(uploader.finish(2 * SILENT_MS));
      long tookMs = (System.nanoTime() - startNs) / 1_000_000;
      assertTrue(tookMs < SILENT_MS, tookMs + " ms");
      assertEquals(1, uploader.unsent().size());
    }
  }

  @Test
  void alsoWhatIsRecordedLastArrives() throws Exception {
    ServerUploader uploader = uploader(serve(0, (request, blocks) -> 200));
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 5_000; i++) {
      record("block " + i);
      expected.append(i == 0 ? "" : ",").append("block ").append(i);
    }
    assertTrue(uploader.finish(TIMEOUT_MS));
    assertEquals(expected.toString(), all());
  }

  @Test
  void nothingIsSentBeforeTheApplicationHasAnId() throws Exception {
    ServerClient client =
        new ServerClient("http://127.0.0.1:" + serve(0, (request, blocks) -> 200), () -> "", () -> SECRET);
    ServerUploader uploader = new ServerUploader(client, () -> false, 20, null);
    tail.moved(file(), 0);
    uploader.add(tail, sent -> {});
    uploader.start();
    record("a");
    assertFalse(uploader.finish(TIMEOUT_MS));
    assertEquals("", all());
    assertEquals(1, uploader.unsent().size());
  }
}

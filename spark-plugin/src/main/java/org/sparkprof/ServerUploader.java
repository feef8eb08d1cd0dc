// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Sends recordings to `sparkprof serve` while they grow, on a thread of its own. The files on this machine are the
 * queue: a server that was away gets everything when it is back, in order. Only that thread waits for a server, and
 * {@link #finish} within its bounds.
 */
final class ServerUploader {
  /** The notes about the upload in the recording. */
  interface Notes {
    void warn(String text);

    /** These bytes of the recording will not be on the server unless somebody pushes the file. */
    void refused(String reason, long bytes);
  }

  private static final class Source {
    final RecordingTail tail;
    final Consumer<RecordingTail> acknowledged;
    /** Up to this position each block is sent alone: the server refused them together. */
    long aloneUntil;

    Source(RecordingTail tail, Consumer<RecordingTail> acknowledged) {
      this.tail = tail;
      this.acknowledged = acknowledged;
    }
  }

  private static final long MAX_BODY_BYTES = 1 << 20;
  private static final int MAX_BODY_BLOCKS = 1_000;
  private static final int MOST_LOG_LINES = 4;
  private static final long TOKEN_RETRY_MS = 30_000;
  private static final long POLL_MS = 250;
  /** So that the first block that names the application is among the first ones sent. */
  private static final long FIRST_BLOCKS_MS = 1_000;
  /** While the JVM ends: for the last attempt after one that failed, and for a server that does not accept data. */
  private static final int LAST_ATTEMPT_MS = 1_000;
  private static final long PATIENCE_AT_END_MS = 3_000;
  private static final long END_POLL_MS = 10;

  private final ServerClient client;
  private final BooleanSupplier ready;
  private final long intervalMs;
  private final Notes notes;
  private final List<Source> sources = new CopyOnWriteArrayList<>();
  private final RetryDelay delay = new RetryDelay(new Random());
  private final CountDownLatch end = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "sparkprof-server");
  private volatile long endNs;
  /** The last attempt did not succeed. */
  private volatile boolean failing;
  /** Nothing is sent any more. */
  private volatile boolean stopped;
  private volatile boolean refusedSome;
  private boolean tokenRefused;
  /** The server answered that it has too much to do. */
  private boolean overloaded;
  private int logLines;

  /**
   * @param ready whether the recordings may be sent: not before the application has an ID
   * @param intervalMs between two uploads
   */
  ServerUploader(ServerClient client, BooleanSupplier ready, long intervalMs, Notes notes) {
    this.client = client;
    this.ready = ready;
    this.intervalMs = intervalMs;
    this.notes = notes;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /**
   * Also sends this recording.
   *
   * @param acknowledged called on the uploader's thread when the server has more of it
   */
  void add(RecordingTail tail, Consumer<RecordingTail> acknowledged) {
    sources.add(new Source(tail, acknowledged));
  }

  /** Does what must be done from time to time; returns at once. */
  void check() {
    client.abortStalled();
  }

  /**
   * Sends what is left and ends. Waits up to the timeout for a server that accepts data, otherwise only briefly.
   *
   * @return whether the server has everything
   */
  boolean finish(long timeoutMs) throws InterruptedException {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    long patienceNs = TimeUnit.MILLISECONDS.toNanos(failing ? LAST_ATTEMPT_MS : PATIENCE_AT_END_MS);
    if (failing) {
      client.hurry(LAST_ATTEMPT_MS);
    }
    endNs = System.nanoTime();
    end.countDown();
    while (thread.isAlive() && client.runningNs() < patienceNs && System.nanoTime() < deadlineNs) {
      thread.join(END_POLL_MS);
    }
    return unsent().isEmpty();
  }

  /** After {@link #finish}: the recordings that the server does not have completely. */
  List<RecordingTail> unsent() {
    List<RecordingTail> left = new ArrayList<>();
    for (Source source : sources) {
      if (source.tail.path() != null && (thread.isAlive() || stopped || refusedSome || source.tail.unsentBytes() > 0)) {
        left.add(source.tail);
      }
    }
    return left;
  }

  /** After {@link #finish} has returned true: removes the recordings from this machine. */
  void deleteAll() throws IOException {
    for (Source source : sources) {
      source.tail.close();
      source.tail.delete();
    }
  }

  private void run() {
    try {
      boolean last = false;
      while (!last && !ready.getAsBoolean()) {
        last = end.await(POLL_MS, TimeUnit.MILLISECONDS);
      }
      for (long waitMs = FIRST_BLOCKS_MS; !last;) {
        last = end.await(waitMs, TimeUnit.MILLISECONDS);
        waitMs = sendAll();
        // One that is only busy for a moment is worth waiting for.
        while (last && overloaded
            && waitMs < PATIENCE_AT_END_MS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - endNs)) {
          Thread.sleep(waitMs);
          waitMs = sendAll();
        }
      }
    } catch (Throwable e) {
      stop("cannot send the recording to " + client.url + ": " + Log.reason(e));
      Log.debug("server", e);
    }
  }

  /** Sends what is complete now. Returns how long to wait. */
  private long sendAll() {
    overloaded = false;
    for (Source source : sources) {
      try {
        for (RecordingTail.Blocks blocks = next(source); blocks != null; blocks = next(source)) {
          long retryMs = send(source, blocks);
          if (retryMs > 0) {
            return retryMs;
          }
        }
      } catch (IOException | RuntimeException e) {
        return failed(Log.reason(e), 0);
      }
    }
    return intervalMs;
  }

  private RecordingTail.Blocks next(Source source) throws IOException {
    boolean alone = source.tail.position() < source.aloneUntil;
    RecordingTail.Blocks blocks = source.tail.next(MAX_BODY_BYTES, alone ? 1 : MAX_BODY_BLOCKS);
    long skipped = source.tail.takeSkippedBytes();
    if (skipped > 0) {
      notes.refused("damaged in the file", skipped);
    }
    return blocks;
  }

  /** Returns after what time to send them again; 0 = they are done with. */
  private long send(Source source, RecordingTail.Blocks blocks) throws IOException {
    ServerClient.Answer answer = client.postRecordings(blocks.bytes, out -> source.tail.writeTo(blocks, out));
    switch (answer.status) {
      case 200:
        if (answer.json == null || !answer.json.path("blocks").isNumber()) {
          return failed("unexpected response; is it a sparkprof server?", 0);
        }
        succeeded();
        source.tail.acknowledge(blocks);
        source.acknowledged.accept(source.tail);
        return 0;
      case 401:
      case 403:
        return tokenRefused(answer.text());
      case 400:
      case 413:
        if (blocks.count > 1) {
          source.aloneUntil = source.tail.position() + blocks.bytes;
        } else {
          refuse(source, blocks, answer.text());
        }
        return 0;
      default:
        overloaded = answer.status == 429 || answer.status == 503;
        return failed(answer.text(), answer.retryAfterMs);
    }
  }

  private void succeeded() {
    delay.reset();
    if (failing) {
      failing = false;
      if (logLines < MOST_LOG_LINES) {
        logLines++;
        Log.info(client.url + " accepts the recording again");
      }
    }
  }

  private long failed(String reason, long askedMs) {
    if (!failing) {
      failing = true;
      if (logLines < MOST_LOG_LINES) {
        logLines++;
        Log.warn("cannot send the recording to " + client.url + ": " + reason + "; retrying, the job continues");
      }
    }
    return delay.afterFailure(askedMs);
  }

  /** Somebody may write another token to the file. */
  private long tokenRefused(String text) {
    failing = true;
    if (!tokenRefused) {
      tokenRefused = true;
      warn(client.url + " does not accept the token, " + text
          + "; set spark.sparkprof.server.tokenFile or SPARKPROF_SERVER_TOKEN; retrying, the job continues");
    }
    return delay.afterFailure(TOKEN_RETRY_MS);
  }

  private void refuse(Source source, RecordingTail.Blocks blocks, String text) {
    if (!refusedSome) {
      refusedSome = true;
      warn(client.url + " refuses a part of the recording: " + text);
    }
    drop(source, blocks, "refused by the server");
  }

  private void drop(Source source, RecordingTail.Blocks blocks, String reason) {
    source.tail.acknowledge(blocks);
    notes.refused(reason, blocks.bytes);
  }

  private void stop(String why) {
    stopped = true;
    warn(why + "; the recording stays on this machine");
  }

  private void warn(String text) {
    Log.warn(text);
    notes.warn(text);
  }

  /** How long to wait before the next attempt: growing, bounded, and different for each JVM. */
  static final class RetryDelay {
    private static final long FIRST_MS = 1_000;
    private static final long LARGEST_MS = 60_000;

    private final Random random;
    private int failures;

    RetryDelay(Random random) {
      this.random = random;
    }

    void reset() {
      failures = 0;
    }

    /** @param askedMs what the server asked for; 0 = nothing: then it doubles with each call */
    long afterFailure(long askedMs) {
      long exponential = Math.min(LARGEST_MS, FIRST_MS << Math.min(failures, 16));
      failures++;
      // Never earlier than asked, and not all at once.
      return askedMs > 0 ? askedMs + (long) (askedMs * 0.2 * random.nextDouble())
                         : exponential / 2 + (long) (exponential * random.nextDouble() / 2);
    }
  }
}

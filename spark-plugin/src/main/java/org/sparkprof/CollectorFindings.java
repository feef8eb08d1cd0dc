// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The findings of one application, as its server has them, for a page of Spark's UI. One request runs at a time, on a
 * thread of its own, and its answer is kept for a while, so that pages neither wait long nor load the server.
 */
final class CollectorFindings {
  static final long WAIT_MS = 3_000;
  private static final long KEPT_NS = 10_000_000_000L;

  private final ServerClient client;
  private final String applicationId;
  private final String attempt;
  private FutureTask<ServerClient.Answer> latest;
  private long askedNs;

  CollectorFindings(ServerClient client, String applicationId, String attempt) {
    this.client = client;
    this.applicationId = applicationId;
    this.attempt = attempt;
  }

  /** The content of the page, after {@link #WAIT_MS} at most: findings, or the reason why there are none. */
  String html() {
    String page = ServerClient.page(client.url, applicationId, attempt);
    try {
      return FindingsPage.of(page, latest().get(WAIT_MS, TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      return FindingsPage.without(
          page, "The collector has not answered within " + WAIT_MS / 1000 + " s. Reload this page to see its answer.");
    } catch (ExecutionException e) {
      return FindingsPage.without(page, "No answer from the collector: " + Log.reason(e.getCause()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return FindingsPage.without(page, "The request to the collector was interrupted.");
    }
  }

  private synchronized FutureTask<ServerClient.Answer> latest() {
    client.abortStalled();
    if (latest == null || (latest.isDone() && System.nanoTime() - askedNs > KEPT_NS)) {
      latest = new FutureTask<>(() -> client.getFindings(applicationId, attempt));
      askedNs = System.nanoTime();
      Thread thread = new Thread(latest, "sparkprof-findings");
      thread.setDaemon(true);
      thread.start();
    }
    return latest;
  }
}

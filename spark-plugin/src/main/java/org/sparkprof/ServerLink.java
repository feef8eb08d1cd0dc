// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.util.concurrent.TimeUnit;

/** Makes what a JVM needs to talk to the server. */
final class ServerLink {
  private static final long SHORTEST_INTERVAL_MS = 1_000;

  final ServerClient client;
  private final Settings settings;
  private final Identity identity;

  /** @param driver asks the driver for its token; null on the driver */
  ServerLink(Settings settings, Identity identity, ServerClient.Token driver) {
    this.settings = settings;
    this.identity = identity;
    this.client = new ServerClient(settings.server, new ServerToken(settings, driver));
  }

  /** What sends recordings; not started yet. */
  ServerUploader uploader(Outbox outbox) {
    // New data comes once in each dumpInterval.
    long intervalMs = Math.max(SHORTEST_INTERVAL_MS,
        TimeUnit.NANOSECONDS.toMillis(Math.min(settings.dumpIntervalNs, settings.uploadIntervalNs)));
    return new ServerUploader(client, () -> !identity.applicationId().isEmpty(), intervalMs, new ServerUploader.Notes() {
      @Override
      public void warn(String text) {
        outbox.add(writer -> writer.notice(1, text));
      }

      @Override
      public void refused(String reason, long bytes) {
        outbox.lost("uploaded_bytes", reason, bytes);
      }
    });
  }
}

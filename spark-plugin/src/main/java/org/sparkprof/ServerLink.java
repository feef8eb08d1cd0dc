// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;

/**
 * Makes what a JVM needs to talk to the server. All JVMs of an application prove with one upload secret that what they
 * send belongs together: the driver makes it, and executors ask the driver. It exists in memory only.
 */
final class ServerLink {
  private static final int SECRET_BYTES = 32;
  private static final long SHORTEST_INTERVAL_MS = 1_000;

  private static final long CONFIGURATION_INTERVAL_MS = 30_000;

  final ServerClient.Token token;
  final ServerClient.Token uploadSecret;
  private final Settings settings;
  private final Identity identity;

  /**
   * @param driver asks the driver for its token; null on the driver
   * @param uploadSecret asks the driver for the upload secret, or returns a new one on the driver
   */
  ServerLink(Settings settings, Identity identity, ServerClient.Token driver, ServerClient.Token uploadSecret) {
    this.settings = settings;
    this.identity = identity;
    this.token = new ServerToken(settings, driver);
    this.uploadSecret = once(uploadSecret);
  }

  /** 256 random bits as hexadecimal digits. */
  static String newUploadSecret() {
    byte[] bytes = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(bytes);
    return String.format("%064x", new BigInteger(1, bytes));
  }

  /** The first answer that is not empty, for good. */
  private static ServerClient.Token once(ServerClient.Token source) {
    return new ServerClient.Token() {
      private String answer = "";

      @Override
      public synchronized String get() throws IOException {
        if (answer.isEmpty()) {
          answer = source.get();
        }
        return answer;
      }
    };
  }

  /**
   * Polls the server for the configuration of the application's group; not started yet. Without a label, the group is
   * the name.
   */
  ConfigurationPoll configuration(SparkContext context, Consumer<CentralConfiguration> changed) {
    String group = settings.label.isEmpty() ? Log.withoutSecrets(context.appName()) : settings.label;
    SparkConf conf = context.conf();
    String queue = conf.get("spark.master", "").startsWith("yarn") ? conf.get("spark.yarn.queue", "default")
                                                                   : conf.get("spark.kubernetes.namespace", "");
    // Not the uploader's: a client has one request at a time.
    ServerClient client = new ServerClient(settings.server, token, null);
    return new ConfigurationPoll(() -> {
      String applicationId = context.applicationId();
      if (applicationId == null) {
        return null;
      }
      ServerClient.Answer answer = client.getConfiguration(group, applicationId, context.sparkUser(), queue);
      return answer.status == 200 ? CentralConfiguration.read(group, answer.json) : null;
    }, CONFIGURATION_INTERVAL_MS, changed);
  }

  /** Sends recordings; not started yet. */
  ServerUploader uploader(Outbox outbox) {
    // New data comes once in each dumpInterval.
    long intervalMs = Math.max(SHORTEST_INTERVAL_MS,
        TimeUnit.NANOSECONDS.toMillis(Math.min(settings.dumpIntervalNs, settings.uploadIntervalNs)));
    ServerClient client = new ServerClient(settings.server, token, uploadSecret);
    return new ServerUploader(
        client, () -> !identity.applicationId().isEmpty(), intervalMs, new ServerUploader.Notes() {
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

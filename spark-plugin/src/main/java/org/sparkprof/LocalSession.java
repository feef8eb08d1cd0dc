// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

/**
 * In local mode driver and executor are one JVM: the driver's session, for the executor's half of the plugin to join.
 */
final class LocalSession {
  private static volatile Session session;

  private LocalSession() {}

  static void set(Session newSession) {
    session = newSession;
  }

  /** Null when the driver does not profile. */
  static Session get() {
    return session;
  }
}

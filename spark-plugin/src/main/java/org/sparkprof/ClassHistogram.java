// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** The JVM's own class histogram of its heap. */
final class ClassHistogram {
  /** Objects that are not reachable count, too: without it, the JVM would run a full garbage collection first. */
  private static final String ALL_OBJECTS = "-all";

  /** System.nanoTime() at the start of the pause. */
  final long startNs;
  /** How long the JVM stood still, at most. */
  final long pauseNs;
  /** The text of HotSpot's command GC.class_histogram. */
  final byte[] text;

  private ClassHistogram(long startNs, long pauseNs, byte[] text) {
    this.startNs = startNs;
    this.pauseNs = pauseNs;
    this.text = text;
  }

  /**
   * Stops the JVM and counts its objects.
   *
   * @throws IOException the JVM does not have the command
   */
  static ClassHistogram take() throws IOException {
    try {
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      ObjectName commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
      // Loads in advance what would otherwise be measured as a part of the first pause.
      server.getMBeanInfo(commands);
      long startNs = System.nanoTime();
      Object text = server.invoke(commands, "gcClassHistogram", new Object[] {new String[] {ALL_OBJECTS}},
          new String[] {String[].class.getName()});
      long pauseNs = System.nanoTime() - startNs;
      return new ClassHistogram(startNs, pauseNs, String.valueOf(text).getBytes(StandardCharsets.UTF_8));
    } catch (JMException | RuntimeException e) {
      throw new IOException("this JVM has no class histogram: " + Log.reason(e), e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The identity of this JVM within its application. The driver learns the application id only after it has started. */
final class Identity {
  static final String DRIVER = "driver";
  static final String EXECUTOR = "executor";
  /** Driver and executor in one JVM. */
  static final String LOCAL = "local";

  private static final AtomicInteger SESSIONS = new AtomicInteger();

  final String role;
  final String executorId;
  final String host;
  final int processId = ProcFile.processId();
  /** Distinguishes this session's files on this host: the process id, and a number from the JVM's second session on. */
  final String sessionName = sessionName(processId, SESSIONS.incrementAndGet());

  /** Agents that this session has started, the current one included. */
  volatile int agents;

  private final String applicationName;
  private final String sparkVersion;
  private volatile String applicationId;
  private volatile String applicationAttempt;

  /** @param applicationId empty when not known yet */
  Identity(
      String role, String executorId, String host, String applicationName, String sparkVersion, String applicationId) {
    this.role = role;
    this.executorId = executorId;
    this.host = host;
    this.applicationName = applicationName;
    this.sparkVersion = sparkVersion;
    this.applicationId = applicationId;
    this.applicationAttempt = "";
  }

  static String sessionName(int processId, int session) {
    return session == 1 ? String.valueOf(processId) : processId + "." + session;
  }

  /** Part of the names of this session's files that is unique per agent: each writes its own file. */
  String fileSuffix() {
    return agents <= 1 ? sessionName : sessionName + "-agent" + agents;
  }

  void applicationStarted(String id, String attempt) {
    applicationId = id;
    applicationAttempt = attempt;
  }

  /** Empty when not known yet. */
  String applicationId() {
    return applicationId;
  }

  String applicationAttempt() {
    return applicationAttempt;
  }

  /** HELLO's keys for this process. */
  Map<String, String> hello() {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("protocol", "1");
    values.put("pid", String.valueOf(processId));
    values.put("role", role);
    values.put("application_id", applicationId);
    values.put("application_attempt", applicationAttempt);
    values.put("application_name", applicationName);
    values.put("executor_id", executorId);
    values.put("host", host);
    values.put("spark_version", sparkVersion);
    values.put("java_version", System.getProperty("java.version", ""));
    return values;
  }
}

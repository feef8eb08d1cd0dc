// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * The entry of {@code -javaagent:sparkprof-spark.jar}, for jobs that nobody has to change: the collector's admission
 * webhook adds the option to pods, and {@code spark.driver.defaultJavaOptions} to all jobs of a cluster. The option
 * puts the jar on the class path; this class makes the driver of this JVM load the plugin besides those of the job. It
 * never fails and prints nothing.
 */
public final class PluginAgent {
  /** By name: the class needs Spark's, which should load at their own time. */
  private static final String PLUGIN = "org.sparkprof.SparkProfPlugin";
  /** Prepended by Spark to the job's own {@code spark.plugins}. */
  private static final String DEFAULT_PLUGINS = "spark.plugins.defaultList";
  private static final String DEPLOY_MODE = "spark.submit.deployMode";
  /** The class that spark-submit, PySpark, shells, Connect and pipelines start. */
  private static final String SUBMIT = "org.apache.spark.deploy.Spark";
  /** The classes that run a driver in the cluster mode of YARN and of a standalone master. */
  private static final List<String> DRIVERS =
      Arrays.asList("org.apache.spark.deploy.yarn.ApplicationMaster", "org.apache.spark.deploy.worker.DriverWrapper");
  private static final long MAX_FILE_BYTES = 1 << 20;

  private PluginAgent() {}

  /** Called by the JVM before the main method. */
  public static void premain(String options) {
    try {
      List<String> command = Arrays.asList(System.getProperty("sun.java.command", "").split("\\s+"));
      if (startsDriver(command, System.getenv())) {
        System.setProperty(DEFAULT_PLUGINS, withPlugin(System.getProperty(DEFAULT_PLUGINS, "")));
      }
    } catch (Throwable e) {
      // The job runs without a profile. Nobody but the JVM's standard error could be told.
    }
  }

  /**
   * Whether the driver runs in this JVM. A JVM that only submits a job would send the plugin's name to a driver that
   * may not have the jar, which would end it.
   */
  static boolean startsDriver(List<String> command, Map<String, String> environment) throws IOException {
    if (DRIVERS.contains(command.get(0))) {
      return true;
    }
    if (!command.get(0).startsWith(SUBMIT) || command.contains("--kill") || command.contains("--status")) {
      return false;
    }
    String mode = option(command, "--deploy-mode");
    if (mode == null) {
      mode = setting(command, DEPLOY_MODE);
    }
    String file = option(command, "--properties-file");
    if (mode == null && file != null) {
      mode = inFile(Paths.get(file));
    }
    if (mode == null) {
      mode = inFile(defaults(environment));
    }
    if (mode == null) {
      mode = environment.get("DEPLOY_MODE");
    }
    return mode == null || mode.equals("client");
  }

  static String withPlugin(String plugins) {
    if (plugins.isEmpty()) {
      return PLUGIN;
    }
    return Arrays.asList(plugins.split("\\s*,\\s*")).contains(PLUGIN) ? plugins : plugins + "," + PLUGIN;
  }

  private static String option(List<String> command, String name) {
    for (int i = 1; i < command.size(); ++i) {
      String word = command.get(i);
      if (word.equals(name) && i + 1 < command.size()) {
        return command.get(i + 1);
      }
      if (word.startsWith(name + "=")) {
        return word.substring(name.length() + 1);
      }
    }
    return null;
  }

  /** Value of {@code --conf KEY=VALUE}. */
  private static String setting(List<String> command, String key) {
    for (String word : command) {
      int begin = word.startsWith("--conf=") ? "--conf=".length() : 0;
      if (word.startsWith(key + "=", begin)) {
        return word.substring(begin + key.length() + 1);
      }
    }
    return null;
  }

  private static Path defaults(Map<String, String> environment) {
    String folder = environment.get("SPARK_CONF_DIR");
    return folder == null ? Paths.get(environment.getOrDefault("SPARK_HOME", ""), "conf", "spark-defaults.conf")
                          : Paths.get(folder, "spark-defaults.conf");
  }

  private static String inFile(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return null;
    }
    if (Files.size(file) > MAX_FILE_BYTES) {
      throw new IOException(file + ": too large for a file of settings");
    }
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    }
    String mode = properties.getProperty(DEPLOY_MODE);
    return mode == null ? null : mode.trim();
  }
}

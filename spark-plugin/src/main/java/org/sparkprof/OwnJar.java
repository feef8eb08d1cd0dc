// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.security.CodeSource;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;

/**
 * Takes the plugin's jar to the executors when Spark would not. An executor that cannot load a plugin ends, and with it
 * the job; and the list of jars is easily lost: an application that sets {@code spark.jars} in its code replaces what
 * the command line said, and a jar on the driver's class path is not in the list at all.
 */
final class OwnJar {
  /** The jar that an executor fetches before it loads its plugins (Spark 3.1 and later, SPARK-32119). */
  private static final String FETCHED_FIRST = "spark.app.initial.jar.urls";
  private static final String[] LISTS = {FETCHED_FIRST, "spark.yarn.dist.jars", "spark.executor.extraClassPath"};

  private static final String[] PLUGINS = {"spark.plugins", "spark.plugins.defaultList"};

  private OwnJar() {}

  /**
   * Call it in the driver's plugin: the context has its file server by then, and no executor. If executors cannot get
   * the jar, they are told not to load the plugin.
   */
  static void offer(SparkContext context) throws IOException {
    SparkConf conf = context.conf();
    CodeSource source = OwnJar.class.getProtectionDomain().getCodeSource();
    if (context.isLocal() || source == null || source.getLocation() == null) {
      return;
    }
    try {
      offer(context, conf, new File(source.getLocation().toURI()));
    } catch (IOException | URISyntaxException | RuntimeException e) {
      withdraw(conf);
      throw new IOException(
          "executors are not profiled, because they cannot get the plugin's jar: " + Log.reason(e), e);
    }
  }

  private static void offer(SparkContext context, SparkConf conf, File jar) throws IOException {
    if (jar.isDirectory() || isListed(conf, jar.getName())) {
      return;
    }
    if (!jar.canRead()) {
      throw new IOException("cannot read " + jar);
    }
    String url = context.env().rpcEnv().fileServer().addJar(jar);
    String others = conf.get(FETCHED_FIRST, "");
    conf.set(FETCHED_FIRST, others.isEmpty() ? url : others + "," + url);
  }

  private static void withdraw(SparkConf conf) {
    for (String key : PLUGINS) {
      if (conf.contains(key)) {
        conf.set(key, withoutOwnPlugin(conf.get(key)));
      }
    }
  }

  static String withoutOwnPlugin(String plugins) {
    return Arrays.stream(plugins.split(","))
        .map(String::trim)
        .filter(name -> !name.equals(SparkProfPlugin.class.getName()))
        .collect(Collectors.joining(","));
  }

  private static boolean isListed(SparkConf conf, String name) {
    for (String list : LISTS) {
      for (String entry : conf.get(list, "").split("[,:]")) {
        if (entry.equals(name) || entry.endsWith("/" + name)) {
          return true;
        }
      }
    }
    return false;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.File;
import java.net.URISyntaxException;
import java.security.CodeSource;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;

/**
 * Takes the plugin's jar to the executors when Spark would not. An executor that cannot load a plugin ends, and with it
 * the job; and the list of jars is easily lost: an application that sets {@code spark.jars} in its code replaces what the
 * command line said, and a jar on the driver's class path is not in the list at all.
 */
final class OwnJar {
  /** The jar that an executor fetches before it loads its plugins (Spark 3.1 and later, SPARK-32119). */
  private static final String FETCHED_FIRST = "spark.app.initial.jar.urls";
  private static final String[] LISTS = {FETCHED_FIRST, "spark.yarn.dist.jars", "spark.executor.extraClassPath"};

  private OwnJar() {}

  /** Call it in the driver's plugin: the context has its file server by then, and no executor. */
  static void offer(SparkContext context) throws URISyntaxException {
    SparkConf conf = context.conf();
    CodeSource source = OwnJar.class.getProtectionDomain().getCodeSource();
    if (context.isLocal() || source == null || source.getLocation() == null) {
      return;
    }
    File jar = new File(source.getLocation().toURI());
    if (!jar.isFile() || isListed(conf, jar.getName())) {
      return;
    }
    String url = context.env().rpcEnv().fileServer().addJar(jar);
    String others = conf.get(FETCHED_FIRST, "");
    conf.set(FETCHED_FIRST, others.isEmpty() ? url : others + "," + url);
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

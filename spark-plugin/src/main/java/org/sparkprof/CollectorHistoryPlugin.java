// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.util.Collections;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.status.AppHistoryServerPlugin;
import org.apache.spark.status.ElementTrackingStore;
import org.apache.spark.ui.SparkUI;
import scala.collection.immutable.List$;
import scala.collection.immutable.Seq;

/**
 * Gives each application in Spark's History Server a tab with its findings on the server. The settings are the History
 * Server's own: spark.sparkprof.ui, spark.sparkprof.server and the token.
 */
public final class CollectorHistoryPlugin implements AppHistoryServerPlugin {
  /** Spark for Scala 2.12 wants any Seq, for 2.13 this one; the compiler adds the first. */
  @Override
  public Seq<SparkListener> createListeners(SparkConf conf, ElementTrackingStore store) {
    return List$.MODULE$.empty();
  }

  @Override
  public void setupUI(SparkUI ui) {
    try {
      Settings settings =
          Settings.resolve(key -> ui.conf().get(key, null), System.getenv(), Collections.emptyMap(), Log::warn);
      if (settings.ui && settings.server != null) {
        String id = ui.store().applicationInfo().id();
        CollectorTab.attach(ui, settings, id, attempt(ui.basePath(), id));
      }
    } catch (Throwable e) {
      Log.warn("no tab in the History Server: " + Log.reason(e));
    }
  }

  /** "2" of /history/ID/2; empty where an application has only one. */
  static String attempt(String basePath, String id) {
    String before = "/" + id + "/";
    int at = basePath.indexOf(before);
    return at < 0 ? "" : basePath.substring(at + before.length());
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.apache.spark.SparkContext;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;

/**
 * A tab in Spark's own UI, or in its History Server, that leads to the application's page on the server. A page inside
 * the UI would need the servlet API, which is another one in Spark 4.
 */
final class CollectorTab extends SparkUITab {
  static final String PREFIX = "sparkprof";

  private CollectorTab(SparkUI ui) {
    super(ui, PREFIX);
  }

  /** Does nothing where Spark has no UI. */
  static void attach(SparkContext context, String page) throws ReflectiveOperationException {
    if (context.ui().isDefined()) {
      attach(context.ui().get(), page);
    }
  }

  static void attach(SparkUI ui, String page) throws ReflectiveOperationException {
    ui.attachTab(new CollectorTab(ui));
    Class<?> jetty = Class.forName("org.apache.spark.ui.JettyUtils");
    Method create = method(jetty, "createRedirectHandler");
    Object[] arguments = new Object[create.getParameterCount()];
    // The History Server has one UI per application, below a path of its own.
    arguments[0] = ui.basePath() + "/" + PREFIX;
    arguments[1] = page;
    // Later versions have more; all of them have a value by default.
    for (int i = 2; i < arguments.length; i++) {
      arguments[i] = method(jetty, create.getName() + "$default$" + (i + 1)).invoke(null);
    }
    method(ui.getClass(), "attachHandler").invoke(ui, create.invoke(null, arguments));
  }

  /** By its name only: its types are Jetty's, which Spark renames. WebUI overloads with more parameters. */
  private static Method method(Class<?> owner, String name) throws NoSuchMethodException {
    return Arrays.stream(owner.getMethods())
        .filter(one -> one.getName().equals(name))
        .min((a, b) -> Integer.compare(a.getParameterCount(), b.getParameterCount()))
        .orElseThrow(() -> new NoSuchMethodException(owner.getName() + "." + name));
  }
}

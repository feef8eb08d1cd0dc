// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;
import scala.Function0;
import scala.Function1;

/**
 * A tab in Spark's own UI, or in its History Server, with the findings that the server has about the application. Spark
 * limits who sees it as it limits the other tabs. Spark's classes for pages are called by name: their signatures have
 * types of the servlet API and of Jetty, which are others in Spark 4.
 */
final class CollectorTab extends SparkUITab {
  static final String PREFIX = "sparkprof";

  private static final int FIRST_DEFAULT = 5;

  private CollectorTab(SparkUI ui) {
    super(ui, PREFIX);
  }

  static void attach(SparkUI ui, Settings settings, String applicationId, String attempt)
      throws ReflectiveOperationException {
    ServerClient client = new ServerClient(settings.server, ServerToken.ofUi(settings), null);
    CollectorFindings findings = new CollectorFindings(client, applicationId, attempt);
    CollectorTab tab = new CollectorTab(ui);
    Function1<Object, Object> page = request -> tab.page(request, findings.html());
    Class<?> jetty = Class.forName("org.apache.spark.ui.JettyUtils");
    Object servlet = method(jetty, "htmlResponderToServlet", 1).invoke(null, page);
    Object handler =
        method(jetty, "createServletHandler", 4).invoke(null, "/" + PREFIX, servlet, ui.conf(), ui.basePath());
    method(ui.getClass(), "attachHandler", 1).invoke(ui, handler);
    ui.attachTab(tab);
  }

  /** The content with the frame that all pages of Spark have, as scala.xml.Node. */
  private Object page(Object request, String html) {
    try {
      Object content = Class.forName("scala.xml.Unparsed").getConstructor(String.class).newInstance(html);
      Class<?> frames = Class.forName("org.apache.spark.ui.UIUtils");
      Method frame = method(frames, "headerSparkPage");
      Object[] arguments = new Object[frame.getParameterCount()];
      arguments[0] = request;
      arguments[1] = "Findings of sparkprof";
      arguments[2] = (Function0<Object>) () -> content;
      arguments[3] = this;
      // Later versions have more; all of them have a value by default.
      for (int i = FIRST_DEFAULT; i <= arguments.length; i++) {
        arguments[i - 1] = method(frames, frame.getName() + "$default$" + i).invoke(null);
      }
      return frame.invoke(null, arguments);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("no page of sparkprof in this version of Spark", e);
    }
  }

  private static Method method(Class<?> owner, String name) throws NoSuchMethodException {
    return Arrays.stream(owner.getMethods())
        .filter(one -> one.getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new NoSuchMethodException(owner.getName() + "." + name));
  }

  /** The one with so many parameters, where several have that name. */
  private static Method method(Class<?> owner, String name, int parameters) throws NoSuchMethodException {
    return Arrays.stream(owner.getMethods())
        .filter(one -> one.getName().equals(name) && one.getParameterCount() == parameters)
        .findFirst()
        .orElseThrow(() -> new NoSuchMethodException(owner.getName() + "." + name));
  }
}

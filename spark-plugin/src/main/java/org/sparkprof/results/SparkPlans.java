// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.results;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.execution.SparkPlan;
import scala.collection.Seq;

/**
 * Access to Spark's plans by reflection: methods with a Scala sequence have another signature in Scala 2.13 than
 * in 2.12.
 */
final class SparkPlans {
  private SparkPlans() {}

  static Object call(Object object, String method) throws ReflectiveOperationException {
    return object.getClass().getMethod(method).invoke(object);
  }

  static <T> Seq<T> sequence(Object object, String method) {
    try {
      @SuppressWarnings("unchecked") Seq<T> sequence = (Seq<T>) call(object, method);
      return sequence;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(object.getClass().getName() + " without " + method, e);
    }
  }

  static List<SparkPlan> children(SparkPlan plan) {
    Seq<SparkPlan> children = sequence(plan, "children");
    List<SparkPlan> list = new ArrayList<>();
    for (int i = 0; i < children.length(); i++) {
      list.add(children.apply(i));
    }
    return list;
  }

  /** Null unless the plan has exactly one child. */
  static SparkPlan onlyChild(SparkPlan plan) {
    List<SparkPlan> children = children(plan);
    return children.size() == 1 ? children.get(0) : null;
  }

  static SparkPlan withChild(SparkPlan plan, SparkPlan child) throws ReflectiveOperationException {
    for (java.lang.reflect.Method method : plan.getClass().getMethods()) {
      if (method.getName().equals("withNewChildren") && method.getParameterCount() == 1) {
        return (SparkPlan) method.invoke(plan, listOf(child));
      }
    }
    throw new NoSuchMethodException("withNewChildren");
  }

  static <T> scala.collection.immutable.List<T> emptyList() {
    return scala.collection.immutable.List$.MODULE$.empty();
  }

  static <T> scala.collection.immutable.List<T> listOf(T element) {
    return new scala.collection.immutable.$colon$colon<>(element, emptyList());
  }

  /** Whether a plan's output has this column of its order as it is; by the position in the output. */
  static boolean[] sortColumns(SparkPlan plan) {
    Seq<Attribute> output = sequence(plan, "output");
    Seq<SortOrder> order = sequence(plan, "sortOrder");
    boolean[] sorts = new boolean[output.length()];
    for (int i = 0; i < sorts.length; i++) {
      for (int j = 0; j < order.length(); j++) {
        sorts[i] |= order.apply(j).child().semanticEquals(output.apply(i));
      }
    }
    return sorts;
  }
}

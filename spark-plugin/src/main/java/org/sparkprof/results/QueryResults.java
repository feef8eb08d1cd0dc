// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.results;

import java.nio.charset.StandardCharsets;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkFirehoseListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.sparkprof.EventQueue;
import org.sparkprof.Log;
import scala.collection.Seq;

/** Writes the fingerprint of each SQL execution's result into the recording, for `sparkprof prove`. */
public final class QueryResults extends SparkFirehoseListener {
  private static final String EXTENSIONS = "spark.sql.extensions";
  private static final String EXECUTION_ID = "spark.sql.execution.id";
  private static final long NO_EXECUTION = -1;
  private static final int MOST_OPERATORS_ABOVE = 16;

  private static volatile SparkContext current;

  private final EventQueue events;

  private QueryResults(EventQueue events) {
    this.events = events;
  }

  /** Call before the application creates a session. Its own extensions stay. */
  public static void record(SparkContext context, EventQueue events) {
    current = context;
    QueryResults results = new QueryResults(events);
    try {
      SparkConf conf = context.conf();
      String others = conf.get(EXTENSIONS, "");
      String own = FingerprintExtension.class.getName();
      conf.set(EXTENSIONS, others.isEmpty() ? own : own + "," + others);
      context.addSparkListener(results);
    } catch (LinkageError e) {
      results.offer(NO_EXECUTION,
          QueryResult.unchecked(
              "Spark " + context.version() + " does not let sparkprof see its results: " + Log.reason(e)));
    }
  }

  /** The running one; null without. */
  static SparkContext context() {
    return current;
  }

  /** The SQL execution of this thread. */
  static long executionId() {
    SparkContext context = current;
    String id = context == null ? null : context.getLocalProperty(EXECUTION_ID);
    return id == null ? NO_EXECUTION : Long.parseLong(id);
  }

  @Override
  public void onEvent(SparkListenerEvent event) {
    if (!(event instanceof SparkListenerSQLExecutionEnd)) {
      return;
    }
    SparkListenerSQLExecutionEnd end = (SparkListenerSQLExecutionEnd) event;
    try {
      QueryExecution query = end.qe();
      if (query != null && end.executionFailure().isEmpty()) {
        offer(end.executionId(), resultOf(query.executedPlan(), end.executionId()));
      }
    } catch (Throwable e) {
      Log.debug("a result without a fingerprint", e);
    }
  }

  private void offer(long execution, QueryResult result) {
    if (result != null) {
      events.offer(result.json(execution).getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Null if the plan has no fingerprint, for example a command without rows. */
  private static QueryResult resultOf(SparkPlan root, long execution) throws ReflectiveOperationException {
    SparkPlan plan = root;
    for (int i = 0; i < MOST_OPERATORS_ABOVE && plan != null; i++) {
      String kind = plan.getClass().getSimpleName();
      if (plan instanceof FingerprintExec) {
        return ((FingerprintExec) plan).slot().take(execution);
      }
      if (kind.equals("LocalTableScanExec")) {
        return QueryResult.of(plan, RowHasher.of(plan.schema(), localRows(plan)), QueryResult.ALL);
      }
      if (plan instanceof AdaptiveSparkPlanExec) {
        plan = ((AdaptiveSparkPlanExec) plan).executedPlan();
      } else if (kind.endsWith("QueryStageExec")) {
        plan = (SparkPlan) SparkPlans.call(plan, "plan");
      } else {
        plan = SparkPlans.onlyChild(plan);
      }
    }
    return null;
  }

  private static InternalRow[] localRows(SparkPlan plan) {
    Seq<InternalRow> rows = SparkPlans.sequence(plan, "rows");
    InternalRow[] array = new InternalRow[rows.length()];
    for (int i = 0; i < array.length; i++) {
      array[i] = rows.apply(i);
    }
    return array;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.results;

import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.ReturnAnswer;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import org.apache.spark.sql.execution.datasources.v2.V2CommandExec;
import org.sparkprof.Log;
import scala.collection.immutable.Seq;

/**
 * Puts a {@link FingerprintExec} above the plan of each result, or below the operator that writes it. The other
 * strategies plan the result as always: this one calls the planner again, and does nothing during that call.
 */
final class FingerprintStrategy extends SparkStrategy {
  private static final long serialVersionUID = 1;
  private static final String STREAMING_QUERY = "sql.streaming.queryId";
  private static final ThreadLocal<Boolean> PLANNING = new ThreadLocal<>();

  private final transient SparkSession session;

  FingerprintStrategy(SparkSession session) {
    this.session = session;
  }

  @Override
  public Seq<SparkPlan> apply(LogicalPlan plan) {
    if (!(plan instanceof ReturnAnswer) || PLANNING.get() != null || isStream(plan)) {
      return SparkPlans.emptyList();
    }
    PLANNING.set(true);
    SparkPlan planned;
    try {
      planned = session.sessionState().planner().plan(plan).next();
    } finally {
      PLANNING.remove();
    }
    return SparkPlans.listOf(withFingerprint(planned));
  }

  /** A stream plans with strategies of its own. */
  private static boolean isStream(LogicalPlan plan) {
    SparkContext context = QueryResults.context();
    return plan.isStreaming() || (context != null && context.getLocalProperty(STREAMING_QUERY) != null);
  }

  private static SparkPlan withFingerprint(SparkPlan plan) {
    try {
      if (plan instanceof FingerprintExec) {
        return plan;
      }
      SparkPlan child = SparkPlans.onlyChild(plan);
      if (isWrite(plan)) {
        SparkPlan changed = child == null ? null : withFingerprint(child);
        return changed == child ? plan : SparkPlans.withChild(plan, changed);
      }
      return isLeftAsItIs(plan) ? plan : FingerprintExec.over(plan);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      Log.debug("a result without a fingerprint", e);
      return plan;
    }
  }

  private static boolean isWrite(SparkPlan plan) {
    String kind = plan.getClass().getSimpleName();
    return plan instanceof V2CommandExec || kind.equals("DataWritingCommandExec") || kind.equals("WriteFilesExec");
  }

  /** Commands, whose class Spark matches, and rows that the driver has without executing anything. */
  private static boolean isLeftAsItIs(SparkPlan plan) {
    String kind = plan.getClass().getSimpleName();
    boolean isConnect = Thread.currentThread().getName().startsWith("SparkConnect");
    return kind.equals("ExecutedCommandExec") || kind.equals("CommandResultExec") || kind.equals("LocalTableScanExec")
        || (isConnect && (kind.equals("CollectLimitExec") || kind.equals("CollectTailExec")));
  }
}

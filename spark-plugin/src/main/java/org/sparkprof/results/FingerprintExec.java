// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.results;

import java.util.Objects;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.SparkPlan;
import org.sparkprof.Log;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;

/**
 * The operator above a result: passes its rows on, and adds up their fingerprint. Rows that the driver gets from
 * collect() or take() are hashed there, where each arrives once; those of tasks, which write or send them, by the
 * tasks.
 *
 * One class file serves Scala 2.12 and 2.13: where Spark returns a sequence, a method here returns the immutable kind,
 * and the compiler adds a method that returns the general kind.
 */
public final class FingerprintExec extends SparkPlan {
  private static final long serialVersionUID = 1;
  /** The operator's name in plans, which readers of recordings leave out (sql_events.cc). */
  static final String NAME = "ResultFingerprint";

  private final SparkPlan child;
  /** Shared by copies of this operator, of which adaptive execution runs the last. */
  private final transient ResultSlot slot;

  FingerprintExec(SparkPlan child, ResultSlot slot) {
    this.child = child;
    this.slot = slot;
  }

  /** Spark before 3.2 copies an operator by this constructor. */
  public FingerprintExec(SparkPlan child) {
    this(child, new ResultSlot());
  }

  static FingerprintExec over(SparkPlan plan) {
    FingerprintExec above = new FingerprintExec(plan);
    Option<LogicalPlan> link = plan.logicalLink();
    if (link.isDefined()) {
      above.setLogicalLink(link.get());
    }
    return above;
  }

  SparkPlan child() {
    return child;
  }

  ResultSlot slot() {
    return slot;
  }

  @Override
  public InternalRow[] executeCollect() {
    return kept(child.executeCollect(), QueryResult.ALL);
  }

  @Override
  public InternalRow[] executeTake(int most) {
    return kept(child.executeTake(most), most);
  }

  @Override
  public InternalRow[] executeTail(int most) {
    return kept(child.executeTail(most), most);
  }

  @Override
  public Iterator<InternalRow> executeToIterator() {
    return child.executeToIterator();
  }

  @Override
  public RDD<InternalRow> doExecute() {
    RDD<InternalRow> rows = child.execute();
    FingerprintSum sum = new FingerprintSum();
    rows.sparkContext().register(sum);
    RDD<InternalRow> hashed =
        rows.toJavaRDD().mapPartitionsWithIndex(new FingerprintRows(child.schema(), sum), true).rdd();
    int partitions = hashed.getNumPartitions();
    slot.put(QueryResults.executionId(), () -> {
      if (sum.partitions() < partitions) {
        return QueryResult.unchecked("it was not read to its end");
      }
      ResultFingerprint all = sum.sum() == null ? new RowHasher(child.schema()).fingerprint : sum.sum();
      return QueryResult.of(child, all, QueryResult.ALL);
    });
    return hashed;
  }

  @Override
  public <T> Broadcast<T> doExecuteBroadcast() {
    return child.executeBroadcast();
  }

  /** Keeps the fingerprint of rows that the driver got, `most` of them at most. */
  private InternalRow[] kept(InternalRow[] rows, long most) {
    try {
      QueryResult result = QueryResult.of(child, RowHasher.of(child.schema(), rows), most);
      slot.put(QueryResults.executionId(), () -> result);
    } catch (RuntimeException | LinkageError e) {
      Log.debug("a result without a fingerprint", e);
    }
    return rows;
  }

  @Override
  public Seq<Attribute> output() {
    return SparkPlans.<Attribute>sequence(child, "output").toList();
  }

  @Override
  public Seq<SparkPlan> children() {
    return SparkPlans.listOf(child);
  }

  @Override
  public Partitioning outputPartitioning() {
    return child.outputPartitioning();
  }

  @Override
  public Seq<SortOrder> outputOrdering() {
    return SparkPlans.<SortOrder>sequence(child, "outputOrdering").toList();
  }

  /** Plans that are equal without fingerprints are equal with them, so that Spark reuses exchanges as before. */
  @Override
  public SparkPlan doCanonicalize() {
    return child.canonicalized();
  }

  /** Called by Spark 3.2 and later with Scala 2.12. */
  @SuppressWarnings("rawtypes")
  public TreeNode withNewChildrenInternal(scala.collection.IndexedSeq children) {
    return new FingerprintExec((SparkPlan) children.apply(0), slot);
  }

  /** Called by Spark with Scala 2.13. */
  @SuppressWarnings("rawtypes")
  public TreeNode withNewChildrenInternal(scala.collection.immutable.IndexedSeq children) {
    return new FingerprintExec((SparkPlan) children.apply(0), slot);
  }

  @Override
  public String nodeName() {
    return NAME;
  }

  @Override
  public int productArity() {
    return 1;
  }

  @Override
  public Object productElement(int index) {
    return child;
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof FingerprintExec;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FingerprintExec && Objects.equals(child, ((FingerprintExec) other).child);
  }

  @Override
  public int hashCode() {
    return 31 * child.hashCode() + 1;
  }
}

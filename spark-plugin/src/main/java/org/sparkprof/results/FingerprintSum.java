// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.results;

import java.util.BitSet;
import org.apache.spark.util.AccumulatorV2;

/**
 * The fingerprint of the rows that tasks have returned. A partition counts once: a task that runs again, for another
 * job or after a failure, returns the same rows. Without a name, so that Spark neither shows nor logs it.
 */
final class FingerprintSum extends AccumulatorV2<ResultFingerprint, FingerprintSum> {
  private static final long serialVersionUID = 1;

  private final BitSet partitions = new BitSet();
  /** Null without a partition. */
  private ResultFingerprint sum;

  /** Adds the rows of a partition, all of them. */
  synchronized void add(int partition, ResultFingerprint rows) {
    if (partitions.get(partition)) {
      return;
    }
    partitions.set(partition);
    if (sum == null) {
      sum = rows;
    } else {
      sum.merge(rows);
    }
  }

  synchronized int partitions() {
    return partitions.cardinality();
  }

  /** Null without a partition. */
  synchronized ResultFingerprint sum() {
    return sum;
  }

  @Override
  public synchronized boolean isZero() {
    return sum == null;
  }

  @Override
  public AccumulatorV2<ResultFingerprint, FingerprintSum> copy() {
    FingerprintSum copy = new FingerprintSum();
    copy.merge(this);
    return copy;
  }

  @Override
  public AccumulatorV2<ResultFingerprint, FingerprintSum> copyAndReset() {
    return new FingerprintSum();
  }

  @Override
  public synchronized void reset() {
    partitions.clear();
    sum = null;
  }

  @Override
  public void add(ResultFingerprint rows) {
    throw new UnsupportedOperationException("a fingerprint without its partition");
  }

  /** `other` is the sum of one task, or this is empty. */
  @Override
  public synchronized void merge(AccumulatorV2<ResultFingerprint, FingerprintSum> other) {
    FingerprintSum added = (FingerprintSum) other;
    if (added.sum == null || partitions.intersects(added.partitions)) {
      return;
    }
    partitions.or(added.partitions);
    if (sum == null) {
      sum = new ResultFingerprint(added.sum);
    }
    sum.merge(added.sum);
  }

  @Override
  public FingerprintSum value() {
    return this;
  }
}

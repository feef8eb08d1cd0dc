// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.results;

import java.io.Serializable;

/** Sums of floating-point numbers that are compared with a tolerance. */
final class FloatSums implements Serializable {
  private static final long serialVersionUID = 1;
  private static final double TWO_TO_MINUS_53 = 0x1.0p-53;

  long values;
  long notNumbers;
  long positiveInfinities;
  long negativeInfinities;
  double min = Double.POSITIVE_INFINITY;
  double max = Double.NEGATIVE_INFINITY;
  double sum;
  double sumOfMagnitudes;
  /** Weighted by what else is in the row, so that values cannot trade places. */
  double weightedSum;

  /** @param place a hash of what identifies the value: the rest of its row, and the path within its column */
  void add(double value, long place) {
    if (Double.isNaN(value)) {
      notNumbers++;
    } else if (value == Double.POSITIVE_INFINITY) {
      positiveInfinities++;
    } else if (value == Double.NEGATIVE_INFINITY) {
      negativeInfinities++;
    } else {
      values++;
      min = Math.min(min, value);
      max = Math.max(max, value);
      sum += value;
      sumOfMagnitudes += Math.abs(value);
      weightedSum += value * ((place >>> 11) * TWO_TO_MINUS_53);
    }
  }

  void merge(FloatSums other) {
    values += other.values;
    notNumbers += other.notNumbers;
    positiveInfinities += other.positiveInfinities;
    negativeInfinities += other.negativeInfinities;
    min = Math.min(min, other.min);
    max = Math.max(max, other.max);
    sum += other.sum;
    sumOfMagnitudes += other.sumOfMagnitudes;
    weightedSum += other.weightedSum;
  }

  void writeTo(StringBuilder json) {
    for (long count : new long[] {values, notNumbers, positiveInfinities, negativeInfinities}) {
      json.append(',').append(count);
    }
    for (double number : new double[] {min, max, sum, sumOfMagnitudes, weightedSum}) {
      json.append(',').append(Double.doubleToLongBits(number));
    }
  }
}

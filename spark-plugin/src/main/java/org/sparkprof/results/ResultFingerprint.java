// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.results;

import java.io.Serializable;

/**
 * Sums over the rows of a result, which do not depend on the rows' order or partitions, and in which duplicate rows
 * count. Integers, texts and the like enter 128-bit sums of hashes; floating-point numbers enter sums of their values,
 * because the last bits of a value depend on the order in which it was added up.
 */
final class ResultFingerprint implements Serializable {
  private static final long serialVersionUID = 1;

  /** The part of one column. */
  static final class Column implements Serializable {
    private static final long serialVersionUID = 1;

    long nulls;
    long high;
    long low;
    /** Null for a column without floating-point numbers. */
    final FloatSums floats;

    Column(boolean hasFloats) {
      floats = hasFloats ? new FloatSums() : null;
    }

    void add(long hash) {
      low += hash;
      if (Long.compareUnsigned(low, hash) < 0) {
        high++;
      }
    }

    private void merge(Column other) {
      nulls += other.nulls;
      low += other.low;
      high += other.high + (Long.compareUnsigned(low, other.low) < 0 ? 1 : 0);
      if (floats != null) {
        floats.merge(other.floats);
      }
    }

    private void writeTo(StringBuilder json) {
      json.append('[').append(nulls).append(',').append(high).append(',').append(low);
      if (floats != null) {
        floats.writeTo(json);
      }
      json.append(']');
    }
  }

  /** The share of the rows in a level is half of that in the level before. */
  private static final int LEVELS = 16;
  /** The cells of each level; the first five bits of a hash choose one. */
  private static final int CELLS = 32;

  final Column[] columns;
  long rows;
  /**
   * Sums of the hashes of a part of the rows each: the number of those that differ between two results shows how many
   * rows do.
   */
  private final long[] cells = new long[LEVELS * CELLS];
  /** The sum of the rows' hashes. */
  private long high;
  private long low;
  /** Why rows could not be hashed; null if all were. */
  String problem;

  ResultFingerprint(boolean[] hasFloats) {
    columns = new Column[hasFloats.length];
    for (int i = 0; i < columns.length; i++) {
      columns[i] = new Column(hasFloats[i]);
    }
  }

  /** An empty one with the columns of another. */
  ResultFingerprint(ResultFingerprint other) {
    columns = new Column[other.columns.length];
    for (int i = 0; i < columns.length; i++) {
      columns[i] = new Column(other.columns[i].floats != null);
    }
  }

  void addRow(long rowHigh, long rowLow) {
    rows++;
    int level = Math.min(Long.numberOfTrailingZeros(rowHigh), LEVELS - 1);
    cells[level * CELLS + (int) (rowHigh >>> 59)] += rowLow;
    low += rowLow;
    high += rowHigh + (Long.compareUnsigned(low, rowLow) < 0 ? 1 : 0);
  }

  /** Adds the rows of another fingerprint with the same columns. */
  void merge(ResultFingerprint other) {
    rows += other.rows;
    low += other.low;
    high += other.high + (Long.compareUnsigned(low, other.low) < 0 ? 1 : 0);
    problem = problem == null ? other.problem : problem;
    for (int i = 0; i < cells.length; i++) {
      cells[i] += other.cells[i];
    }
    for (int i = 0; i < columns.length; i++) {
      columns[i].merge(other.columns[i]);
    }
  }

  /** Members of a JSON object. All numbers are integers: a floating-point number is written as its bits. */
  void writeTo(StringBuilder json) {
    json.append("\"rows\":").append(rows).append(",\"hash\":[0,").append(high).append(',').append(low).append("]");
    json.append(",\"cells\":[");
    for (int i = 0; i < cells.length; i++) {
      json.append(i == 0 ? "" : ",").append(cells[i]);
    }
    json.append("],\"columns\":[");
    for (int i = 0; i < columns.length; i++) {
      json.append(i == 0 ? "" : ",");
      columns[i].writeTo(json);
    }
    json.append(']');
  }
}

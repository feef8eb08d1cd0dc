// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.results;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.sparkprof.Log;

/** Adds rows to a fingerprint. Never throws: a value that cannot be hashed becomes the fingerprint's problem. */
final class RowHasher {
  private static final long SECOND = 0x6a09e667f3bcc909L;

  final ResultFingerprint fingerprint;
  private final ValueHash[] hashes;
  private final long[] values;

  RowHasher(StructType schema) {
    StructField[] fields = schema.fields();
    hashes = new ValueHash[fields.length];
    values = new long[fields.length];
    boolean[] hasFloats = new boolean[fields.length];
    for (int i = 0; i < fields.length; i++) {
      hashes[i] = ValueHash.of(fields[i].dataType());
      hasFloats[i] = hashes[i].hasFloats();
    }
    fingerprint = new ResultFingerprint(hasFloats);
  }

  /** The fingerprint of some rows. */
  static ResultFingerprint of(StructType schema, InternalRow[] rows) {
    RowHasher hasher = new RowHasher(schema);
    for (InternalRow row : rows) {
      hasher.add(row);
    }
    return hasher.fingerprint;
  }

  void add(InternalRow row) {
    if (fingerprint.problem != null) {
      return;
    }
    try {
      addValues(row);
    } catch (RuntimeException | LinkageError e) {
      fingerprint.problem = "a value cannot be hashed: " + Log.reason(e);
    }
  }

  private void addValues(InternalRow row) {
    long first = 0;
    long second = SECOND;
    for (int i = 0; i < hashes.length; i++) {
      values[i] = hashes[i].ofNullable(row, i);
      first = ValueHash.append(first, values[i]);
      second = ValueHash.append(second, values[i]);
    }
    fingerprint.addRow(first, second);
    for (int i = 0; i < hashes.length; i++) {
      ResultFingerprint.Column column = fingerprint.columns[i];
      if (row.isNullAt(i)) {
        column.nulls++;
      } else {
        column.add(values[i]);
        if (column.floats != null) {
          hashes[i].floats(row, i, first, column.floats);
        }
      }
    }
  }
}

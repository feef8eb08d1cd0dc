// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.results;

import java.util.Iterator;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/** Passes on the rows of a partition, and adds them to the sum when all of them were read. */
final class FingerprintRows implements Function2<Integer, Iterator<InternalRow>, Iterator<InternalRow>> {
  private static final long serialVersionUID = 1;

  private final StructType schema;
  private final FingerprintSum sum;

  FingerprintRows(StructType schema, FingerprintSum sum) {
    this.schema = schema;
    this.sum = sum;
  }

  @Override
  public Iterator<InternalRow> call(Integer partition, Iterator<InternalRow> rows) {
    RowHasher hasher = new RowHasher(schema);
    return new Iterator<InternalRow>() {
      private boolean atEnd;

      @Override
      public boolean hasNext() {
        boolean more = rows.hasNext();
        if (!more && !atEnd) {
          atEnd = true;
          sum.add(partition, hasher.fingerprint);
        }
        return more;
      }

      @Override
      public InternalRow next() {
        InternalRow row = rows.next();
        hasher.add(row);
        return row;
      }
    };
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

final class RowHasherTest {
  private static final DataType LONG = DataTypes.LongType;
  private static final DataType TEXT = DataTypes.StringType;
  private static final DataType DOUBLE = DataTypes.DoubleType;

  private static InternalRow row(Object... values) {
    return new GenericInternalRow(values);
  }

  private static UTF8String text(String text) {
    return UTF8String.fromString(text);
  }

  private static StructType schema(DataType... types) {
    StructType schema = new StructType();
    for (int i = 0; i < types.length; i++) {
      schema = schema.add("c" + i, types[i]);
    }
    return schema;
  }

  private static String json(ResultFingerprint fingerprint) {
    StringBuilder json = new StringBuilder();
    fingerprint.writeTo(json);
    return json.toString();
  }

  private static String sums(StructType schema, InternalRow... rows) {
    return json(RowHasher.of(schema, rows));
  }

  /** The sums of one value in a row of its own. */
  private static String one(DataType type, Object value) {
    return sums(schema(type), row(value));
  }

  @Test
  void theOrderOfRowsDoesNotMatter() {
    StructType schema = schema(LONG, TEXT);
    InternalRow first = row(1L, text("a"));
    InternalRow second = row(2L, text("b"));
    assertEquals(sums(schema, first, second), sums(schema, second, first));
  }

  @Test
  void duplicatesCount() {
    StructType schema = schema(LONG);
    assertNotEquals(sums(schema, row(1L), row(1L)), sums(schema));
    assertNotEquals(sums(schema, row(1L), row(1L), row(2L)), sums(schema, row(1L), row(2L), row(2L)));
  }

  @Test
  void valuesBelongToTheirRowAndColumn() {
    StructType schema = schema(LONG, LONG);
    assertNotEquals(sums(schema, row(1L, 2L)), sums(schema, row(2L, 1L)));
    assertNotEquals(sums(schema, row(1L, 3L), row(2L, 4L)), sums(schema, row(1L, 4L), row(2L, 3L)));
    assertNotEquals(sums(schema, row(null, 1L)), sums(schema, row(1L, null)));
  }

  @Test
  void nullIsNotAValue() {
    assertNotEquals(one(LONG, null), one(LONG, 0L));
    assertNotEquals(one(TEXT, null), one(TEXT, text("")));
    assertNotEquals(one(DOUBLE, null), one(DOUBLE, 0.0));
  }

  @Test
  void eachTypeSeesASmallChange() {
    assertNotEquals(one(LONG, 1L), one(LONG, 2L));
    assertNotEquals(one(DataTypes.IntegerType, 1), one(DataTypes.IntegerType, -1));
    assertNotEquals(one(DataTypes.DateType, 19000), one(DataTypes.DateType, 19001));
    assertNotEquals(one(DataTypes.ShortType, (short) 1), one(DataTypes.ShortType, (short) 2));
    assertNotEquals(one(DataTypes.ByteType, (byte) 1), one(DataTypes.ByteType, (byte) 2));
    assertNotEquals(one(DataTypes.BooleanType, true), one(DataTypes.BooleanType, false));
    assertNotEquals(one(TEXT, text("a")), one(TEXT, text("a ")));
    assertNotEquals(one(DataTypes.BinaryType, new byte[] {1}), one(DataTypes.BinaryType, new byte[] {1, 0}));
  }

  @Test
  void decimalsAreComparedByTheirDigits() {
    DataType small = DataTypes.createDecimalType(10, 2);
    DataType large = DataTypes.createDecimalType(30, 2);
    for (DataType type : new DataType[] {small, large}) {
      int precision = type == small ? 10 : 30;
      Object value = Decimal.apply(new BigDecimal("1.50"), precision, 2);
      assertEquals(one(type, value), one(type, Decimal.apply(new BigDecimal("1.5"), precision, 1)));
      assertNotEquals(one(type, value), one(type, Decimal.apply(new BigDecimal("1.51"), precision, 2)));
    }
  }

  @Test
  void floatsAreSums() {
    ResultFingerprint sums = RowHasher.of(schema(DOUBLE),
        new InternalRow[] {row(1.5), row(-2.0), row(Double.NaN), row((Object) null), row(Double.POSITIVE_INFINITY),
            row(Double.NEGATIVE_INFINITY)});
    FloatSums floats = sums.columns[0].floats;
    assertEquals(1, sums.columns[0].nulls);
    assertEquals(2, floats.values);
    assertEquals(1, floats.notNumbers);
    assertEquals(1, floats.positiveInfinities);
    assertEquals(1, floats.negativeInfinities);
    assertEquals(-2.0, floats.min);
    assertEquals(1.5, floats.max);
    assertEquals(-0.5, floats.sum);
    assertEquals(3.5, floats.sumOfMagnitudes);
  }

  @Test
  void zeroAndNaNHaveOneForm() {
    ResultFingerprint negative = RowHasher.of(schema(DOUBLE), new InternalRow[] {row(-0.0), row(1.0)});
    ResultFingerprint positive = RowHasher.of(schema(DOUBLE), new InternalRow[] {row(0.0), row(1.0)});
    assertEquals(positive.columns[0].floats.sum, negative.columns[0].floats.sum);
    assertTrue(positive.columns[0].floats.min == negative.columns[0].floats.min);
    assertEquals(one(DOUBLE, Double.NaN), one(DOUBLE, Double.longBitsToDouble(0x7ff8000000000001L)));
    assertEquals(one(DataTypes.FloatType, 1.5f).length(), one(DataTypes.FloatType, 2.5f).length());
  }

  @Test
  void floatsMayNotTradePlaces() {
    StructType schema = schema(LONG, DOUBLE);
    FloatSums kept = RowHasher.of(schema, new InternalRow[] {row(1L, 10.0), row(2L, 20.0)}).columns[1].floats;
    FloatSums traded = RowHasher.of(schema, new InternalRow[] {row(1L, 20.0), row(2L, 10.0)}).columns[1].floats;
    assertEquals(kept.sum, traded.sum);
    assertNotEquals(kept.weightedSum, traded.weightedSum, 1e-6);
  }

  @Test
  void nestedValuesCountWithTheirPlaces() {
    DataType array = DataTypes.createArrayType(LONG);
    assertNotEquals(one(array, list(1L, 2L)), one(array, list(2L, 1L)));
    assertNotEquals(one(array, list(1L, null)), one(array, list(1L)));
    assertNotEquals(one(array, list()), one(array, null));
    DataType struct = schema(LONG, TEXT);
    assertNotEquals(one(struct, row(1L, text("a"))), one(struct, row(1L, null)));
    DataType nested = DataTypes.createArrayType(struct);
    assertNotEquals(one(nested, list(row(1L, text("a")))), one(nested, list(row(2L, text("a")))));
    DataType floats = DataTypes.createArrayType(DOUBLE);
    ResultFingerprint sums =
        RowHasher.of(schema(floats), new InternalRow[] {row(list(1.0, 2.0)), row(list(3.0, null))});
    assertEquals(6.0, sums.columns[0].floats.sum);
    assertEquals(3, sums.columns[0].floats.values);
  }

  @Test
  void mapsHaveNoOrder() {
    DataType map = DataTypes.createMapType(TEXT, LONG);
    Object ab = map(list(text("a"), text("b")), list(1L, 2L));
    assertEquals(one(map, ab), one(map, map(list(text("b"), text("a")), list(2L, 1L))));
    assertNotEquals(one(map, ab), one(map, map(list(text("a"), text("b")), list(2L, 1L))));
    assertNotEquals(one(map, ab), one(map, map(list(text("a"), text("b")), list(1L, null))));
  }

  @Test
  void aValueThatCannotBeHashedIsAProblemAndNoError() {
    ResultFingerprint sums = RowHasher.of(schema(LONG), new InternalRow[] {row("no number"), row(1L)});
    assertNotNull(sums.problem);
  }

  @Test
  void aPartitionCountsOnce() {
    StructType schema = schema(LONG, DOUBLE);
    FingerprintSum all = new FingerprintSum();
    for (int partition : new int[] {0, 1, 0, 1, 1}) {
      FingerprintSum task = (FingerprintSum) all.copyAndReset();
      task.add(partition, RowHasher.of(schema, new InternalRow[] {row((long) partition, 0.5)}));
      all.merge(task);
    }
    assertEquals(2, all.partitions());
    assertEquals(sums(schema, row(0L, 0.5), row(1L, 0.5)), json(all.sum()));
  }

  @Test
  void sumsCarryInto128Bits() {
    ResultFingerprint.Column column = new ResultFingerprint.Column(false);
    column.add(-1);
    column.add(-1);
    assertEquals(1, column.high);
    assertEquals(-2, column.low);
  }

  private static GenericArrayData list(Object... values) {
    return new GenericArrayData(values);
  }

  private static ArrayBasedMapData map(GenericArrayData keys, GenericArrayData values) {
    return new ArrayBasedMapData(keys, values);
  }
}

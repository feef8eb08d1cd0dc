// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.results;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.CalendarIntervalType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.UserDefinedType;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The hash of values of one type: equal values have equal hashes, however Spark stores them. Floating-point numbers are
 * not a part of the hash; {@link #floats} adds them up instead.
 */
abstract class ValueHash {
  static final long NULL = 0x2545f4914f6cdd1dL;
  private static final long STEP = 0x9e3779b97f4a7c15L;

  /** Whether values have floating-point numbers. */
  boolean hasFloats() {
    return false;
  }

  /** The hash of a value that is not null. */
  abstract long of(SpecializedGetters values, int ordinal);

  /** Adds the floating-point numbers of a value that is not null. `place` identifies the value. */
  void floats(SpecializedGetters values, int ordinal, long place, FloatSums sums) {}

  final long ofNullable(SpecializedGetters values, int ordinal) {
    return values.isNullAt(ordinal) ? NULL : of(values, ordinal);
  }

  /** The finalizer of SplitMix64. */
  static long mix(long value) {
    long mixed = value + STEP;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }

  /** The hash of a sequence with one more element. */
  static long append(long sequence, long element) {
    return mix(sequence * STEP + element);
  }

  static ValueHash of(DataType type) {
    if (type instanceof LongType || type instanceof TimestampType || type instanceof NullType) {
      return new OfInteger(Long.BYTES);
    }
    if (type instanceof IntegerType || type instanceof DateType) {
      return new OfInteger(Integer.BYTES);
    }
    if (type instanceof ShortType) {
      return new OfInteger(Short.BYTES);
    }
    if (type instanceof ByteType) {
      return new OfInteger(Byte.BYTES);
    }
    if (type instanceof BooleanType) {
      return new OfBoolean();
    }
    if (type instanceof StringType) {
      return new OfString();
    }
    if (type instanceof BinaryType) {
      return new OfBinary();
    }
    if (type instanceof DecimalType) {
      return new OfDecimal((DecimalType) type);
    }
    if (type instanceof DoubleType || type instanceof FloatType) {
      return new OfFloat(type instanceof FloatType);
    }
    if (type instanceof StructType) {
      return new OfStruct((StructType) type);
    }
    if (type instanceof ArrayType) {
      return new OfArray(((ArrayType) type).elementType());
    }
    if (type instanceof MapType) {
      return new OfMap((MapType) type);
    }
    if (type instanceof CalendarIntervalType) {
      return new OfInterval();
    }
    if (type instanceof UserDefinedType) {
      return of(((UserDefinedType<?>) type).sqlType());
    }
    return new OfText(type);
  }

  private static long ofBytes(byte[] bytes) {
    return mix(XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length, STEP));
  }

  private static final class OfInteger extends ValueHash {
    private final int bytes;

    OfInteger(int bytes) {
      this.bytes = bytes;
    }

    @Override
    long of(SpecializedGetters values, int ordinal) {
      switch (bytes) {
        case Byte.BYTES:
          return mix(values.getByte(ordinal));
        case Short.BYTES:
          return mix(values.getShort(ordinal));
        case Integer.BYTES:
          return mix(values.getInt(ordinal));
        default:
          return mix(values.getLong(ordinal));
      }
    }
  }

  private static final class OfBoolean extends ValueHash {
    @Override
    long of(SpecializedGetters values, int ordinal) {
      return mix(values.getBoolean(ordinal) ? 1 : 0);
    }
  }

  private static final class OfString extends ValueHash {
    @Override
    long of(SpecializedGetters values, int ordinal) {
      UTF8String text = values.getUTF8String(ordinal);
      return mix(XXH64.hashUnsafeBytes(text.getBaseObject(), text.getBaseOffset(), text.numBytes(), STEP));
    }
  }

  private static final class OfBinary extends ValueHash {
    @Override
    long of(SpecializedGetters values, int ordinal) {
      return ofBytes(values.getBinary(ordinal));
    }
  }

  /** A type that Spark has no older name for: by the text of its values. */
  private static final class OfText extends ValueHash {
    private final DataType type;

    OfText(DataType type) {
      this.type = type;
    }

    @Override
    long of(SpecializedGetters values, int ordinal) {
      return ofBytes(String.valueOf(values.get(ordinal, type)).getBytes(StandardCharsets.UTF_8));
    }
  }

  private static final class OfInterval extends ValueHash {
    @Override
    long of(SpecializedGetters values, int ordinal) {
      CalendarInterval interval = values.getInterval(ordinal);
      return append(append(mix(interval.months), interval.days), interval.microseconds);
    }
  }

  /** By the digits at the type's scale. */
  private static final class OfDecimal extends ValueHash {
    private final int precision;
    private final int scale;

    OfDecimal(DecimalType type) {
      precision = type.precision();
      scale = type.scale();
    }

    @Override
    long of(SpecializedGetters values, int ordinal) {
      Decimal decimal = values.getDecimal(ordinal, precision, scale);
      boolean isLong = precision <= Decimal.MAX_LONG_DIGITS();
      if (isLong && decimal.scale() == scale) {
        return mix(decimal.toUnscaledLong());
      }
      BigDecimal digits = decimal.toJavaBigDecimal().setScale(scale, RoundingMode.HALF_UP);
      return isLong ? mix(digits.unscaledValue().longValue()) : ofBytes(digits.unscaledValue().toByteArray());
    }
  }

  private static final class OfFloat extends ValueHash {
    private final boolean isSingle;

    OfFloat(boolean isSingle) {
      this.isSingle = isSingle;
    }

    @Override
    boolean hasFloats() {
      return true;
    }

    @Override
    long of(SpecializedGetters values, int ordinal) {
      return 0;
    }

    @Override
    void floats(SpecializedGetters values, int ordinal, long place, FloatSums sums) {
      sums.add(isSingle ? values.getFloat(ordinal) : values.getDouble(ordinal), mix(place));
    }
  }

  private static final class OfStruct extends ValueHash {
    private final ValueHash[] fields;
    private final boolean hasFloats;

    OfStruct(StructType type) {
      StructField[] described = type.fields();
      fields = new ValueHash[described.length];
      boolean any = false;
      for (int i = 0; i < fields.length; i++) {
        fields[i] = ValueHash.of(described[i].dataType());
        any |= fields[i].hasFloats();
      }
      hasFloats = any;
    }

    @Override
    boolean hasFloats() {
      return hasFloats;
    }

    @Override
    long of(SpecializedGetters values, int ordinal) {
      SpecializedGetters struct = values.getStruct(ordinal, fields.length);
      long hash = fields.length;
      for (int i = 0; i < fields.length; i++) {
        hash = append(hash, fields[i].ofNullable(struct, i));
      }
      return hash;
    }

    @Override
    void floats(SpecializedGetters values, int ordinal, long place, FloatSums sums) {
      SpecializedGetters struct = values.getStruct(ordinal, fields.length);
      for (int i = 0; i < fields.length; i++) {
        if (fields[i].hasFloats() && !struct.isNullAt(i)) {
          fields[i].floats(struct, i, append(place, i), sums);
        }
      }
    }
  }

  private static final class OfArray extends ValueHash {
    private final ValueHash element;

    OfArray(DataType type) {
      element = ValueHash.of(type);
    }

    @Override
    boolean hasFloats() {
      return element.hasFloats();
    }

    @Override
    long of(SpecializedGetters values, int ordinal) {
      ArrayData array = values.getArray(ordinal);
      int size = array.numElements();
      long hash = size;
      for (int i = 0; i < size; i++) {
        hash = append(hash, element.ofNullable(array, i));
      }
      return mix(hash);
    }

    @Override
    void floats(SpecializedGetters values, int ordinal, long place, FloatSums sums) {
      ArrayData array = values.getArray(ordinal);
      for (int i = 0; i < array.numElements(); i++) {
        if (!array.isNullAt(i)) {
          element.floats(array, i, append(place, i), sums);
        }
      }
    }
  }

  /** Entries of a map have no order. */
  private static final class OfMap extends ValueHash {
    private final ValueHash key;
    private final ValueHash value;

    OfMap(MapType type) {
      key = ValueHash.of(type.keyType());
      value = ValueHash.of(type.valueType());
    }

    @Override
    boolean hasFloats() {
      return key.hasFloats() || value.hasFloats();
    }

    @Override
    long of(SpecializedGetters values, int ordinal) {
      MapData map = values.getMap(ordinal);
      ArrayData keys = map.keyArray();
      ArrayData entries = map.valueArray();
      long sum = 0;
      for (int i = 0; i < map.numElements(); i++) {
        sum += append(mix(key.of(keys, i)), value.ofNullable(entries, i));
      }
      return append(map.numElements(), sum);
    }

    @Override
    void floats(SpecializedGetters values, int ordinal, long place, FloatSums sums) {
      MapData map = values.getMap(ordinal);
      ArrayData keys = map.keyArray();
      ArrayData entries = map.valueArray();
      for (int i = 0; i < map.numElements(); i++) {
        long entry = append(place, key.of(keys, i));
        if (key.hasFloats()) {
          key.floats(keys, i, entry, sums);
        }
        if (value.hasFloats() && !entries.isNullAt(i)) {
          value.floats(entries, i, mix(entry), sums);
        }
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers with a unit, as users write them in settings. */
final class Units {
  private static final Pattern QUANTITY = Pattern.compile("\\s*(\\d{1,12})\\s*([a-z]*)\\s*");

  private Units() {}

  /**
   * Nanoseconds of "10ms", "1s", "500us". A number alone is refused: tools differ in what they take it for.
   *
   * @throws IllegalArgumentException with what was expected
   */
  static long durationNs(String text) {
    Matcher matcher = QUANTITY.matcher(text.toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      long unit = durationUnitNs(matcher.group(2));
      long number = Long.parseLong(matcher.group(1));
      if (unit > 0 && number > 0 && number <= Long.MAX_VALUE / unit) {
        return number * unit;
      }
    }
    throw new IllegalArgumentException("expected a number above 0 with a unit (ns, us, ms, s, m, h), for instance 10ms");
  }

  /**
   * Bytes of "512k", "1g", "4096"; units are powers of 1024, "kb" and "kib" are the same as "k".
   *
   * @throws IllegalArgumentException with what was expected
   */
  static long bytes(String text) {
    Matcher matcher = QUANTITY.matcher(text.toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      long unit = byteUnit(matcher.group(2));
      long number = Long.parseLong(matcher.group(1));
      if (unit > 0 && number > 0 && number <= Long.MAX_VALUE / unit) {
        return number * unit;
      }
    }
    throw new IllegalArgumentException("expected a number of bytes above 0, with k, m or g if you like: 512k");
  }

  private static long durationUnitNs(String unit) {
    switch (unit) {
      case "ns":
        return 1L;
      case "us":
        return 1_000L;
      case "ms":
        return 1_000_000L;
      case "s":
        return 1_000_000_000L;
      case "m":
      case "min":
        return 60_000_000_000L;
      case "h":
        return 3_600_000_000_000L;
      default:
        return 0;
    }
  }

  private static long byteUnit(String unit) {
    switch (unit) {
      case "":
      case "b":
        return 1L;
      case "k":
      case "kb":
      case "kib":
        return 1L << 10;
      case "m":
      case "mb":
      case "mib":
        return 1L << 20;
      case "g":
      case "gb":
      case "gib":
        return 1L << 30;
      default:
        return 0;
    }
  }
}

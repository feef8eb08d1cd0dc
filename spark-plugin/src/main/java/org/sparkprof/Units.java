// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

/**
 * Numbers with a unit, as users write them: the grammar of settings/README.md, which
 * src/base/text/quantity.cc implements in C++. What is wrong with a text is the message of an IllegalArgumentException,
 * without the text: "has no unit; use …".
 */
final class Units {
  private static final String BLANKS = " \t\r\n\f\u000b";
  private static final long BILLION = 1_000_000_000L;
  private static final long KILO = 1L << 10;
  private static final long MEGA = 1L << 20;
  private static final long GIGA = 1L << 30;
  private static final long TERA = 1L << 40;

  private static final Unit[] DURATIONS = {new Unit("ns", 1), new Unit("us", 1_000), new Unit("ms", 1_000_000),
      new Unit("s", BILLION), new Unit("m", 60 * BILLION), new Unit("min", 60 * BILLION),
      new Unit("h", 3_600 * BILLION), new Unit("d", 86_400 * BILLION)};
  private static final Unit[] BYTES = {new Unit("", 1), new Unit("b", 1), new Unit("k", KILO), new Unit("kb", KILO),
      new Unit("kib", KILO), new Unit("m", MEGA), new Unit("mb", MEGA), new Unit("mib", MEGA), new Unit("g", GIGA),
      new Unit("gb", GIGA), new Unit("gib", GIGA), new Unit("t", TERA), new Unit("tb", TERA), new Unit("tib", TERA)};
  private static final Unit[] DURATION_TEXTS = {new Unit("ns", 1), new Unit("us", 1_000), new Unit("ms", 1_000_000),
      new Unit("s", BILLION), new Unit("min", 60 * BILLION), new Unit("h", 3_600 * BILLION)};
  private static final Unit[] BYTES_TEXTS = {
      new Unit("B", 1), new Unit("KiB", KILO), new Unit("MiB", MEGA), new Unit("GiB", GIGA), new Unit("TiB", TERA)};

  private Units() {}

  private static final class Unit {
    final String name;
    final long factor;

    Unit(String name, long factor) {
      this.name = name;
      this.factor = factor;
    }
  }

  /** A parsed number: "1.50 MS" is "1", "50" and "ms". */
  private static final class Parts {
    String whole;
    String fraction = "";
    String unit;
  }

  /** Nanoseconds of "10ms", "1.5s", "2 h", rounded down. */
  static long durationNs(String text) {
    return quantity(text, DURATIONS, "a duration", "use ns, us, ms, s, m, h or d, for instance 10ms");
  }

  /** Bytes of "512k", "1.5MiB", "4096", rounded down. */
  static long bytes(String text) {
    return quantity(text, BYTES, "a number of bytes", "use none, k, m, g or t, for instance 512k");
  }

  /** Billionths of a number from 0 to 1, rounded down. */
  static long billionths(String text) {
    if (trim(text).isEmpty()) {
      throw new IllegalArgumentException("is empty");
    }
    Parts parts = takeApart(text);
    if (parts != null && parts.unit.isEmpty()) {
      long value = multiply(parts, BILLION);
      // "1.0000000000001" is above 1, although it is rounded down to it.
      boolean above = value == BILLION && !parts.fraction.replace("0", "").isEmpty();
      if (value >= 0 && value <= BILLION && !above) {
        return value;
      }
    }
    throw new IllegalArgumentException("is not a number from 0 to 1, for instance 0.25");
  }

  /** A text that is read back as the same value, in the largest unit that fits without remainder: "10ms", "90s". */
  static String durationText(long nanos) {
    return text(nanos, DURATION_TEXTS);
  }

  /** A size like {@link #durationText}: "2MiB". */
  static String bytesText(long bytes) {
    return text(bytes, BYTES_TEXTS);
  }

  /** The text without space, tab, CR, LF, FF and VT at both ends. */
  static String trim(String text) {
    int start = 0;
    int end = text.length();
    while (start < end && BLANKS.indexOf(text.charAt(start)) >= 0) {
      start++;
    }
    while (end > start && BLANKS.indexOf(text.charAt(end - 1)) >= 0) {
      end--;
    }
    return text.substring(start, end);
  }

  /** The text with A to Z replaced by a to z; String.toLowerCase makes a k of the Kelvin sign. */
  static String lowerAscii(String text) {
    StringBuilder lower = new StringBuilder(text);
    for (int i = 0; i < lower.length(); i++) {
      char c = lower.charAt(i);
      if (c >= 'A' && c <= 'Z') {
        lower.setCharAt(i, (char) (c - 'A' + 'a'));
      }
    }
    return lower.toString();
  }

  private static long quantity(String text, Unit[] units, String kind, String advice) {
    if (trim(text).isEmpty()) {
      throw new IllegalArgumentException("is empty");
    }
    Parts parts = takeApart(text);
    if (parts == null) {
      throw new IllegalArgumentException("is not " + kind + "; " + advice);
    }
    for (Unit unit : units) {
      if (unit.name.equals(parts.unit)) {
        long value = multiply(parts, unit.factor);
        if (value < 0) {
          throw new IllegalArgumentException("is too large");
        }
        return value;
      }
    }
    throw new IllegalArgumentException("has " + (parts.unit.isEmpty() ? "no" : "an unknown") + " unit; " + advice);
  }

  /** Null if the text does not start with a number. */
  private static Parts takeApart(String text) {
    String rest = trim(text);
    Parts parts = new Parts();
    parts.whole = rest.substring(0, digits(rest));
    rest = rest.substring(parts.whole.length());
    if (parts.whole.isEmpty()) {
      return null;
    }
    if (rest.startsWith(".")) {
      rest = rest.substring(1);
      parts.fraction = rest.substring(0, digits(rest));
      rest = rest.substring(parts.fraction.length());
      if (parts.fraction.isEmpty()) {
        return null;
      }
    }
    parts.unit = lowerAscii(trim(rest));
    return parts;
  }

  private static int digits(String text) {
    int count = 0;
    while (count < text.length() && text.charAt(count) >= '0' && text.charAt(count) <= '9') {
      count++;
    }
    return count;
  }

  /** The number times the unit, rounded down; -1 when it does not fit. */
  private static long multiply(Parts parts, long unit) {
    try {
      long whole = 0;
      for (char digit : parts.whole.toCharArray()) {
        whole = Math.addExact(Math.multiplyExact(whole, 10L), digit - '0');
      }
      // Starts at the last digit and rounds down at each, which rounds down the complete fraction.
      long rest = 0;
      for (int i = parts.fraction.length() - 1; i >= 0; i--) {
        rest = ((parts.fraction.charAt(i) - '0') * unit + rest) / 10;
      }
      return Math.addExact(Math.multiplyExact(whole, unit), rest);
    } catch (ArithmeticException e) {
      return -1;
    }
  }

  private static String text(long value, Unit[] units) {
    int i = units.length - 1;
    while (value % units[i].factor != 0) {
      i--;
    }
    return value / units[i].factor + units[i].name;
  }
}

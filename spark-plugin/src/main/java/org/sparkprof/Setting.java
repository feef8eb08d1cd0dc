// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A row of settings/settings.tsv. src/settings/settings.cc reads values in C++ as this class does in Java. */
final class Setting {
  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:");
  private static final Pattern ESCAPE = Pattern.compile("%[0-9A-Fa-f]{2}");
  private static final Pattern DIGITS = Pattern.compile("[0-9]+");
  private static final int MOST_DIGITS = 18;
  private static final Pattern URL =
      Pattern.compile("(https?)(://(?:[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\])(?::[0-9]{1,5})?"
              + "(?:/[A-Za-z0-9\\-._~/]*)?)",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern AFTER_SCHEME = Pattern.compile("/[A-Za-z0-9 \\-._~:/@!$&'()*+,;=]*");

  /** After "spark.sparkprof.". */
  final String key;
  /** The default; empty = not set. */
  final String standard;
  /** Whether a server's configuration of a group may set it. */
  final boolean central;
  private final String kind;
  private final String allowed;

  Setting(String key, String kind, String standard, String allowed, boolean central) {
    this.key = key;
    this.kind = kind;
    this.standard = standard;
    this.allowed = allowed;
    this.central = central;
  }

  /**
   * The meaning of a text by the grammar of settings/README.md: ns, bytes or billionths as an integer; "true" or
   * "false"; lower-case names in the table's order; the text itself without blanks around it.
   *
   * @throws IllegalArgumentException with what is wrong with the text, see {@link Units}
   */
  String read(String text) {
    String trimmed = Units.trim(text);
    if (trimmed.isEmpty()) {
      throw new IllegalArgumentException("is empty");
    }
    String lower = Units.lowerAscii(trimmed);
    switch (kind) {
      case "flag":
        return checked(lower, lower.equals("true") || lower.equals("false"), "is not true or false");
      case "fraction":
        return String.valueOf(Units.billionths(trimmed));
      case "duration":
        return quantity(trimmed, Units::durationNs);
      case "bytes":
        return quantity(trimmed, Units::bytes);
      case "count":
        return quantity(trimmed, Setting::count);
      case "choice":
        return checked(lower, allowedNames().contains(lower), "is not one of " + allowed.replace(",", ", "));
      case "choices":
        return choices(lower);
      case "text":
        return text(trimmed);
      case "location":
        return location(trimmed);
      case "url":
        return url(trimmed);
      case "secret":
        return secret(trimmed);
      default:
        throw new IllegalStateException("settings.tsv: unknown kind " + kind);
    }
  }

  private static String checked(String value, boolean valid, String wrong) {
    if (!valid) {
      throw new IllegalArgumentException(wrong);
    }
    return value;
  }

  private static long count(String text) {
    if (!DIGITS.matcher(text).matches()) {
      throw new IllegalArgumentException("is not a whole number");
    }
    String significant = text.replaceFirst("^0+(?=.)", "");
    // A number that does not fit is out of every range.
    return significant.length() > MOST_DIGITS ? Long.MAX_VALUE : Long.parseLong(significant);
  }

  private List<String> allowedNames() {
    return Arrays.asList(allowed.split(","));
  }

  private String quantity(String text, ToLongFunction<String> reader) {
    long value = reader.applyAsLong(text);
    int dots = allowed.indexOf("..");
    String least = allowed.substring(0, dots);
    String most = allowed.substring(dots + 2);
    boolean inRange = value >= reader.applyAsLong(least) && value <= reader.applyAsLong(most);
    return checked(String.valueOf(value), inRange, "is out of range; use " + least + " to " + most);
  }

  private String choices(String text) {
    List<String> names = allowedNames();
    boolean[] chosen = new boolean[names.size()];
    boolean any = false;
    boolean known = true;
    for (String part : text.split(",")) {
      String name = Units.trim(part);
      if (!name.isEmpty()) {
        int index = names.indexOf(name);
        known &= index >= 0;
        any = true;
        if (index >= 0) {
          chosen[index] = true;
        }
      }
    }
    StringBuilder value = new StringBuilder();
    for (int i = 0; i < chosen.length; i++) {
      if (chosen[i]) {
        value.append(value.length() == 0 ? "" : ",").append(names.get(i));
      }
    }
    return checked(value.toString(), any && known, "is not a list of " + allowed.replace(",", ", "));
  }

  private static String text(String text) {
    for (int i = 0; i < text.length(); i++) {
      checked(text, text.charAt(i) >= ' ' && text.charAt(i) != 0x7f, "has control characters");
    }
    return text;
  }

  private static String location(String text) {
    text(text);
    Matcher scheme = SCHEME.matcher(text);
    boolean valid = true;
    if (scheme.lookingAt()) {
      String rest = text.substring(scheme.end());
      valid = !rest.equals("//") && AFTER_SCHEME.matcher(ESCAPE.matcher(rest).replaceAll("_")).matches();
    }
    return checked(text, valid, "is not a URI such as hdfs:///profiles, nor a path");
  }

  private static String url(String text) {
    Matcher url = URL.matcher(text.replaceAll("/+$", ""));
    checked(text, url.matches(), "is not a URL such as https://host:8320 (without user, query and fragment)");
    return Units.lowerAscii(url.group(1)) + url.group(2);
  }

  private static String secret(String text) {
    for (int i = 0; i < text.length(); i++) {
      checked(text, text.charAt(i) > ' ' && text.charAt(i) < 0x7f,
          "has characters other than letters, digits and ASCII punctuation");
    }
    return text;
  }

  /** A text of it as messages show it. */
  String shown(String text) {
    return kind.equals("secret") ? "(hidden)" : text.replaceAll("[\\x00-\\x1f\\x7f]", "\ufffd");
  }
}

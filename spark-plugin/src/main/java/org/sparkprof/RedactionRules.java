// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** redaction/rules.txt as tables, and an index of the literals that a scan stops at. Immutable. */
final class RedactionRules {
  /** How sure a name is that its value is a secret; redaction/README.md has the meaning of each. */
  enum Secrecy {
    NONE, MAYBE, WEAK, STRONG, HEADER
  }

  enum Kind {
    NAME, TOKEN, URL, ORACLE, PRIVATE_KEY, SCHEME, WEBHOOK, COMMAND, IDENTIFIED_BY
  }

  /** The meaning of a literal found in a text. Literals are in lower case, except for tokens. */
  static final class Trigger {
    final String literal;
    final Kind kind;
    final char alphabet;
    final int least;

    Trigger(String literal, Kind kind, char alphabet, int least) {
      this.literal = literal;
      this.kind = kind;
      this.alphabet = alphabet;
      this.least = least;
    }
  }

  static final class CommandRule {
    final String command;
    final String option;
    final char form;

    CommandRule(String command, String option, char form) {
      this.command = command;
      this.option = option;
      this.form = form;
    }
  }

  private static final int HASHES = 1 << 15;

  final List<CommandRule> commands = new ArrayList<>();
  private final Map<String, Set<String>> sets = new HashMap<>();
  private final Map<String, List<String>> lists = new HashMap<>();
  private final long[] bits = new long[HASHES / 64];
  private final short[] bucketOf = new short[HASHES];
  private final List<List<Trigger>> buckets = new ArrayList<>(Collections.singletonList(Collections.emptyList()));

  private static final class Holder {
    static final RedactionRules RULES = new RedactionRules();
  }

  static RedactionRules get() {
    return Holder.RULES;
  }

  private RedactionRules() {
    try (InputStream file = RedactionRules.class.getResourceAsStream("redaction/rules.txt")) {
      if (file == null) {
        throw new IllegalStateException("the plugin's jar lacks org/sparkprof/redaction/rules.txt");
      }
      read(new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (String section : new String[] {"strong", "weak", "maybe", "header", "inside", "ending"}) {
      for (String word : list(section)) {
        add(word, Kind.NAME);
      }
    }
    for (String pair : list("pair")) {
      add(pair.substring(pair.indexOf('-') + 1), Kind.NAME);
    }
    for (String token : list("token")) {
      String[] parts = token.split(":");
      add(new Trigger(parts[0], Kind.TOKEN, parts[1].charAt(0), Integer.parseInt(parts[2])));
    }
    for (String webhook : list("webhook")) {
      add(webhook, Kind.WEBHOOK);
    }
    for (String item : list("command")) {
      int colon = item.indexOf(':');
      int last = item.length() - 1;
      commands.add(new CommandRule(item.substring(0, colon), item.substring(colon + 1, last), item.charAt(last)));
      add(item.substring(0, colon), Kind.COMMAND);
    }
    add("://", Kind.URL);
    add("thin:", Kind.ORACLE);
    add("-----begin", Kind.PRIVATE_KEY);
    add("bearer", Kind.SCHEME);
    add("basic", Kind.SCHEME);
    add("eyj", Kind.SCHEME);
    add("identified by", Kind.IDENTIFIED_BY);
  }

  private void read(BufferedReader file) throws IOException {
    String section = "";
    for (String line = file.readLine(); line != null; line = file.readLine()) {
      if (line.startsWith("#")) {
        continue;
      }
      if (line.startsWith("[") && line.endsWith("]") && line.indexOf(' ') < 0 && line.length() > 2) {
        section = line.substring(1, line.length() - 1);
        continue;
      }
      for (String item : line.split(" ")) {
        if (!item.isEmpty()) {
          lists.computeIfAbsent(section, any -> new ArrayList<>()).add(item);
          sets.computeIfAbsent(section, any -> new HashSet<>()).add(item);
        }
      }
    }
  }

  boolean has(String section, String word) {
    return sets.get(section).contains(word);
  }

  List<String> list(String section) {
    return lists.get(section);
  }

  static int hash(int before, char c) {
    return ((before << 5) | (c & 31)) & (HASHES - 1);
  }

  /** Whether a literal starts with the three characters of this hash. */
  boolean mayBegin(int hash) {
    return (bits[hash >> 6] >>> (hash & 63) & 1) != 0;
  }

  List<Trigger> triggers(int hash) {
    return buckets.get(bucketOf[hash]);
  }

  private void add(String literal, Kind kind) {
    add(new Trigger(literal, kind, ' ', 0));
  }

  /** A literal shorter than three characters may be followed by anything. */
  private void add(Trigger trigger) {
    int known = Math.min(trigger.literal.length(), 3);
    int hash = 0;
    for (int i = 0; i < known; i++) {
      hash = hash(hash, trigger.literal.charAt(i));
    }
    int count = 1 << 5 * (3 - known);
    hash <<= 5 * (3 - known);
    for (int any = hash; any < hash + count; any++) {
      if (bucketOf[any] == 0) {
        bucketOf[any] = (short) buckets.size();
        buckets.add(new ArrayList<>());
      }
      List<Trigger> bucket = buckets.get(bucketOf[any]);
      if (bucket.stream().noneMatch(t -> t.kind == trigger.kind && t.literal.equals(trigger.literal))) {
        bucket.add(trigger);
        bits[any >> 6] |= 1L << (any & 63);
      }
    }
  }

  static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}

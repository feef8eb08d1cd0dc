// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Literals by a hash of their first three characters: a search stops only where one may begin. */
final class TriggerIndex {
  enum Kind { NAME, TOKEN, URL, ORACLE, PRIVATE_KEY, SCHEME, WEBHOOK, COMMAND, FUNCTION, IDENTIFIED_BY }

  /** The kinds of secrets that a literal in a text can begin. Literals are in lower case, except those of tokens. */
  static final class Trigger {
    final String literal;
    final Kind kind;
    /** Characters that continue a token. */
    final char alphabet;
    /** For tokens, the least number of them; for functions, the number of the argument that is a key, from 1. */
    final int least;

    Trigger(String literal, Kind kind, char alphabet, int least) {
      this.literal = literal;
      this.kind = kind;
      this.alphabet = alphabet;
      this.least = least;
    }

    boolean isAt(String text, int at) {
      return kind == Kind.TOKEN ? text.startsWith(literal, at) : Characters.hasAt(text, at, literal);
    }
  }

  private static final int HASHES = 1 << 15;

  private final long[] bits = new long[HASHES / 64];
  private final short[] bucketOf = new short[HASHES];
  private final List<List<Trigger>> buckets = new ArrayList<>(Collections.singletonList(Collections.emptyList()));

  void add(String literal, Kind kind) {
    add(new Trigger(literal, kind, ' ', 0));
  }

  /** A literal shorter than three characters may be followed by anything. */
  void add(Trigger trigger) {
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

  /** The hash of three characters is hash(hash(hash(0, a), b), c). */
  static int hash(int before, char c) {
    return ((before << 5) | (c & 31)) & (HASHES - 1);
  }

  static int hash(String text, int at) {
    return hash(hash(hash(0, text.charAt(at)), text.charAt(at + 1)), text.charAt(at + 2));
  }

  /** Whether a literal may begin with the three characters of this hash. */
  boolean mayBegin(int hash) {
    return (bits[hash >> 6] >>> (hash & 63) & 1) != 0;
  }

  List<Trigger> triggers(int hash) {
    return buckets.get(bucketOf[hash]);
  }

  /** Whether the text has one of the literals. */
  boolean isIn(String text) {
    int length = text.length();
    int hash = length == 0 ? 0 : hash(hash(0, text.charAt(0)), Characters.at(text, 1));
    for (int at = 0; at < length; at++) {
      hash = hash(hash, Characters.at(text, at + 2));
      if (mayBegin(hash) && isAt(text, at, triggers(hash))) {
        return true;
      }
    }
    return false;
  }

  static boolean isAt(String text, int at, List<Trigger> triggers) {
    for (Trigger trigger : triggers) {
      if (trigger.isAt(text, at)) {
        return true;
      }
    }
    return false;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.sparkprof.Characters.isLetter;
import static org.sparkprof.Characters.isLower;
import static org.sparkprof.Characters.isUpper;
import static org.sparkprof.Characters.lower;

import java.util.ArrayList;
import java.util.List;
import org.sparkprof.RedactionRules.Secrecy;

/** Names of settings, options and fields, and whether they are those of secrets. */
final class SecretName {
  private static final int MAX_NAME = 200;
  private static final String[] SPARKS_WORDS = {"secret", "password", "token", "accesskey"};

  private SecretName() {}

  /** How secret the value of `name` is; `wordBefore` is the word before it in a text, or empty. */
  static Secrecy secrecyOf(String name, String wordBefore) {
    if (name.length() > MAX_NAME) {
      name = name.substring(name.length() - MAX_NAME);
    }
    List<String> words = split(name);
    if (words.isEmpty()) {
      return Secrecy.NONE;
    }
    RedactionRules rules = RedactionRules.get();
    Secrecy secrecy = Secrecy.NONE;
    boolean isEnvironment = false;
    boolean isHarmlessPair = false;
    String before = RedactionRules.lower(wordBefore);
    for (String word : words) {
      isEnvironment = isEnvironment || word.equals("env");
      isHarmlessPair = rules.has("harmless-pair", before + "-" + word);
      if (!isHarmlessPair) {
        secrecy = max(secrecy, ofWord(rules, word));
        if (rules.has("pair", before + "-" + word) || rules.has("inner-pair", before + "-" + word)) {
          secrecy = max(secrecy, Secrecy.WEAK);
        }
      }
      before = word;
    }
    if (words.size() > 1 && rules.has("about", before)) {
      return Secrecy.NONE;
    }
    if (secrecy == Secrecy.NONE && before.equals("key") && !isHarmlessPair) {
      if (isEnvironment) {
        return Secrecy.WEAK;
      }
      if (isVariable(name)) {
        return Secrecy.MAYBE;
      }
    }
    return secrecy;
  }

  /** What Spark redacts by default in settings: (?i)secret|password|token|access[.]?key. */
  static boolean sparkRedacts(String name) {
    for (String word : SPARKS_WORDS) {
      if (Characters.find(name, word, 0) >= 0) {
        return true;
      }
    }
    for (int at = Characters.find(name, "access", 0); at >= 0; at = Characters.find(name, "access", at + 1)) {
      if (Characters.hasAt(name, at + 7, "key")) {
        return true;
      }
    }
    return false;
  }

  private static Secrecy max(Secrecy a, Secrecy b) {
    return a.compareTo(b) < 0 ? b : a;
  }

  private static List<String> split(String name) {
    List<String> words = new ArrayList<>(8);
    StringBuilder word = new StringBuilder();
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean afterLower = i > 0 && isLower(name.charAt(i - 1));
      boolean beforeLower = i > 0 && isUpper(name.charAt(i - 1)) && i + 1 < name.length()
          && isLower(name.charAt(i + 1));
      if (word.length() > 0 && (!isLetter(c) || isUpper(c) && (afterLower || beforeLower))) {
        words.add(word.toString());
        word.setLength(0);
      }
      if (isLetter(c)) {
        word.append(lower(c));
      }
    }
    if (word.length() > 0) {
      words.add(word.toString());
    }
    return words;
  }

  private static Secrecy ofWord(RedactionRules rules, String word) {
    if (rules.has("strong", word)) {
      return Secrecy.STRONG;
    }
    if (rules.has("weak", word)) {
      return Secrecy.WEAK;
    }
    if (rules.has("header", word)) {
      return Secrecy.HEADER;
    }
    if (rules.has("maybe", word)) {
      return Secrecy.MAYBE;
    }
    if (rules.has("harmless", word)) {
      return Secrecy.NONE;
    }
    for (String part : rules.list("inside")) {
      if (word.contains(part)) {
        return Secrecy.STRONG;
      }
    }
    for (String ending : rules.list("ending")) {
      if (word.endsWith(ending)) {
        return rules.has("weak", ending) ? Secrecy.WEAK : Secrecy.STRONG;
      }
    }
    return Secrecy.NONE;
  }

  /** FOO_BAR_KEY. */
  private static boolean isVariable(String name) {
    return name.indexOf('_') >= 0 && name.chars().noneMatch(c -> isLower((char) c));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.sparkprof.redaction.Characters.isLetter;
import static org.sparkprof.redaction.Characters.isLower;
import static org.sparkprof.redaction.Characters.isUpper;

import java.util.ArrayList;
import java.util.List;
import org.sparkprof.redaction.Rules.Secrecy;

/** Names of settings, options and fields, and whether they are those of secrets. */
final class SecretName {
  private static final int MAX_NAME = 200;
  private static final int OVERLAP = 50;
  /** The words that Spark redacts by default, beside "access", any character, and "key". */
  static final String[] SPARKS_WORDS = {"secret", "password", "token", "accesskey"};

  private SecretName() {}

  /** How secret the value of `name` is; `wordBefore` is the word before it in a text, or empty. */
  static Secrecy secrecyOf(String name, String wordBefore) {
    if (name.length() > MAX_NAME) { // its parts, each with the end of the one before
      return max(secrecyOf(name.substring(0, MAX_NAME), wordBefore), secrecyOf(name.substring(MAX_NAME - OVERLAP), ""));
    }
    List<String> words = split(name);
    if (words.isEmpty()) {
      return Secrecy.NONE;
    }
    Rules rules = Rules.get();
    Secrecy secrecy = Secrecy.NONE;
    boolean isEnvironment = false;
    boolean isHarmlessPair = false;
    boolean isPair = false;
    String before = Rules.lower(wordBefore);
    for (String word : words) {
      isEnvironment = isEnvironment || word.equals("env");
      String pair = rules.seconds.contains(word) ? before + "-" + word : "";
      isHarmlessPair = rules.harmlessPairs.contains(pair);
      isPair = rules.pairs.contains(pair);
      if (!isHarmlessPair) {
        secrecy = max(secrecy, ofWord(rules, word));
        if (isPair) {
          secrecy = max(secrecy, Secrecy.WEAK);
        }
      }
      before = word;
    }
    if (words.size() > 1 && !isPair && rules.about.contains(before)) {
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

  /** False for most names: neither Spark redacts them, nor have they a secrecy. */
  private static boolean mayBeSecret(String name) {
    return Rules.get().partsOfNames.isIn(name);
  }

  /** Whether a setting of this name may be redacted whatever it looks like. */
  static boolean isSecret(String name) {
    return mayBeSecret(name) && (sparkRedacts(name) || secrecyOf(name, "") != Secrecy.NONE);
  }

  /** Whether Spark redacts the setting by default: (?i)secret|password|token|access[.]?key. */
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
    int begin = 0;
    for (int i = 0; i <= name.length(); i++) {
      char c = Characters.at(name, i);
      if (i > begin && (!isLetter(c) || isHump(name, i))) {
        words.add(Rules.lower(name.substring(begin, i)));
        begin = i;
      }
      if (!isLetter(c)) {
        begin = i + 1;
      }
    }
    return words;
  }

  /** Whether a word in camelCase begins. */
  private static boolean isHump(String name, int at) {
    char before = name.charAt(at - 1);
    return isUpper(name.charAt(at)) && (isLower(before) || isUpper(before) && isLower(Characters.at(name, at + 1)));
  }

  private static Secrecy ofWord(Rules rules, String word) {
    Secrecy known = rules.words.get(word);
    if (known != null) {
      return known;
    }
    if (!rules.partsOfNames.isIn(word)) {
      return Secrecy.NONE;
    }
    for (String part : rules.list("inside")) {
      if (word.contains(part)) {
        return Secrecy.STRONG;
      }
    }
    for (String ending : rules.list("ending")) {
      if (word.endsWith(ending)) {
        return rules.words.get(ending) == Secrecy.WEAK ? Secrecy.WEAK : Secrecy.STRONG;
      }
    }
    return Secrecy.NONE;
  }

  /** FOO_BAR_KEY. */
  private static boolean isVariable(String name) {
    return name.indexOf('_') >= 0 && name.chars().noneMatch(c -> isLower((char) c));
  }
}

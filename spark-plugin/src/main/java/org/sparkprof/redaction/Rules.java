// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.sparkprof.redaction.TriggerIndex.Kind;
import org.sparkprof.redaction.TriggerIndex.Trigger;

/** redaction/rules.txt as tables, and an index of the literals that a scan stops at. Immutable. */
final class Rules {
  /** How sure a name is that its value is a secret; redaction/README.md has the meaning of each. */
  enum Secrecy { NONE, MAYBE, WEAK, STRONG, HEADER }

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

  final List<CommandRule> commands = new ArrayList<>();
  /** The literals at which a search stops. */
  final TriggerIndex triggers = new TriggerIndex();
  /** Every name of a secret has one of these; most other names have none. */
  final TriggerIndex partsOfNames = new TriggerIndex();
  /** Secrecy of whole words; NONE for those that no other section may find. */
  final Map<String, Secrecy> words = new HashMap<>();
  /** Words that are the second of a pair of any kind. */
  final Set<String> seconds = new HashSet<>();
  final Set<String> pairs = new HashSet<>();
  final Set<String> harmlessPairs = new HashSet<>();
  final Set<String> about = new HashSet<>();
  final Set<String> harmlessValues = new HashSet<>();
  final Set<String> schemes = new HashSet<>();
  final Set<String> labels = new HashSet<>();
  private final Map<String, List<String>> lists = new HashMap<>();

  private static final class Holder { static final Rules RULES = new Rules(); }

  static Rules get() {
    return Holder.RULES;
  }

  private Rules() {
    try (InputStream file = Rules.class.getResourceAsStream("rules.txt")) {
      if (file == null) {
        throw new IllegalStateException("the plugin's jar lacks org/sparkprof/redaction/rules.txt");
      }
      read(new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    addWords();
    addNames();
    addShapes();
  }

  private void addWords() {
    // The first section that has a word counts.
    list("strong").forEach(word -> words.put(word, Secrecy.STRONG));
    list("weak").forEach(word -> words.putIfAbsent(word, Secrecy.WEAK));
    list("header").forEach(word -> words.putIfAbsent(word, Secrecy.HEADER));
    list("maybe").forEach(word -> words.putIfAbsent(word, Secrecy.MAYBE));
    list("harmless").forEach(word -> words.putIfAbsent(word, Secrecy.NONE));
    pairs.addAll(list("pair"));
    pairs.addAll(list("inner-pair"));
    harmlessPairs.addAll(list("harmless-pair"));
    pairs.forEach(pair -> seconds.add(second(pair)));
    harmlessPairs.forEach(pair -> seconds.add(second(pair)));
    about.addAll(list("about"));
    harmlessValues.addAll(list("harmless-value"));
    schemes.addAll(list("scheme"));
    labels.addAll(list("label"));
  }

  private static String second(String pair) {
    return pair.substring(pair.indexOf('-') + 1);
  }

  private void addNames() {
    for (String section : new String[] {"strong", "weak", "maybe", "header", "inside", "ending"}) {
      for (String word : list(section)) {
        addName(word);
      }
    }
    for (String pair : list("pair")) {
      addName(second(pair));
    }
    for (String pair : list("inner-pair")) {
      partsOfNames.add(pair.substring(0, pair.indexOf('-')), Kind.NAME);
    }
    for (String word : SecretName.SPARKS_WORDS) {
      partsOfNames.add(word, Kind.NAME);
    }
    partsOfNames.add("key", Kind.NAME);
  }

  private void addName(String word) {
    triggers.add(word, Kind.NAME);
    partsOfNames.add(word, Kind.NAME);
  }

  private void addShapes() {
    for (String token : list("token")) {
      String[] parts = token.split(":");
      triggers.add(new Trigger(parts[0], Kind.TOKEN, parts[1].charAt(0), Integer.parseInt(parts[2])));
    }
    for (String webhook : list("webhook")) {
      triggers.add(webhook, Kind.WEBHOOK);
    }
    for (String item : list("command")) {
      int colon = item.indexOf(':');
      int last = item.length() - 1;
      commands.add(new CommandRule(item.substring(0, colon), item.substring(colon + 1, last), item.charAt(last)));
      triggers.add(item.substring(0, colon), Kind.COMMAND);
    }
    for (String item : list("function")) {
      int colon = item.indexOf(':');
      triggers.add(
          new Trigger(item.substring(0, colon), Kind.FUNCTION, ' ', Integer.parseInt(item.substring(colon + 1))));
    }
    triggers.add("://", Kind.URL);
    for (String driver : new String[] {"thin:", "oracle:oci:", "oracle:oci8:", "oracle:kprb:"}) {
      triggers.add(driver, Kind.ORACLE);
    }
    for (String begin : new String[] {"-----begin", "---- begin", "putty-user-key-file"}) {
      triggers.add(begin, Kind.PRIVATE_KEY);
    }
    triggers.add("bearer", Kind.SCHEME);
    triggers.add("basic", Kind.SCHEME);
    triggers.add("eyj", Kind.SCHEME);
    triggers.add("identified by", Kind.IDENTIFIED_BY);
    triggers.add("identified with", Kind.IDENTIFIED_BY);
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
        }
      }
    }
  }

  List<String> list(String section) {
    return lists.get(section);
  }

  static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}

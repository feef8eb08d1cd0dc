// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/redaction/trigger_index.h"

namespace sparkprof::redaction {

// How sure a name is that its value is a secret; redaction/README.md has the meaning of each.
enum class Secrecy : uint8_t { kNone, kMaybe, kCode, kSession, kWeak, kStrong, kHeader };

using WordSet = std::unordered_set<std::string_view>;

struct TokenRule {
  std::string_view beginning;
  char alphabet;  // 'a', 'w', 'd' or 'h'
  size_t least;
};

enum class CallForm : uint8_t {
  kSql,        // the argument with all that is in it, also as Spark's plans show it
  kQuoted,     // what is in quotes in the argument, as in programs
  kLiteral,    // the argument if it is a literal
  kStatement,  // arguments without parentheses: sp_addlogin 'joe', 'X'
};

struct FunctionRule {
  std::string_view name;
  std::string_view arguments;  // the digits of those that are secrets, from 1
  CallForm form;
};

struct PositionalRule {
  std::string command;
  std::string_view letters;  // options that the command must have
  size_t number;             // of the word that is a secret, from 1
};

struct ReaderRule {
  std::string_view command;  // reads a secret from its standard input
  std::string_view option;   // with this option; may be empty
};

struct CommandRule {
  std::string_view command;
  std::string_view option;
  char form;  // '+', '-', '=', ':', '%' or '#'
};

// redaction/rules.txt as tables, and an index of the literals that a search stops at. Immutable; shared by all threads.
class Rules {
 public:
  static const Rules& Get();

  std::unordered_map<std::string_view, Secrecy> words;  // whole ones; kNone for those that no other section may find
  WordSet seconds;                                      // words that are the second of a pair of any kind
  std::unordered_map<std::string_view, Secrecy> pairs;
  WordSet harmless_pairs, about, harmless_values, schemes, labels, directives;
  std::deque<std::string> writings;  // of names in other languages and with digits for letters
  std::vector<std::string_view> inside, ending;
  std::vector<TokenRule> tokens;
  std::vector<CommandRule> commands;
  std::vector<FunctionRule> functions;
  std::vector<PositionalRule> positions;
  std::vector<ReaderRule> readers;
  TriggerIndex triggers;        // what a search stops at
  TriggerIndex parts_of_names;  // every name of a secret has one of these; most other names have none

 private:
  using Lists = std::map<std::string_view, std::vector<std::string_view>>;  // by section

  Rules();
  void AddWords(const Lists& lists);
  void AddNames(const Lists& lists);
  void AddGluedPairs(const Lists& lists);
  void AddShapes(const Lists& lists);
  void AddCommands(const Lists& lists);

  std::deque<std::string> glued_;  // literals of pairs
};

}  // namespace sparkprof::redaction

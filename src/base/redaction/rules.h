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

// How certain it is that the value of a name is a secret; see redaction/README.md.
enum class Secrecy : uint8_t { kNone, kMaybe, kCode, kSession, kWeak, kStrong, kHeader };

using WordSet = std::unordered_set<std::string_view>;

struct TokenRule {
  std::string_view beginning;
  char alphabet;  // 'a', 'w', 'd' or 'h'
  size_t least;
};

enum class CallForm : uint8_t {
  kSql,        // the complete argument, also in Spark's plans
  kQuoted,     // quoted text in the argument, as in program code
  kLiteral,    // the argument if it is a literal
  kStatement,  // arguments without parentheses: sp_addlogin 'joe', 'X'
};

struct FunctionRule {
  std::string_view name;
  std::string_view arguments;  // digits of the secret arguments, counted from 1
  CallForm form;
};

struct PositionalRule {
  std::string command;
  std::string_view letters;  // options that the command must have
  size_t number;             // position of the secret word, counted from 1
};

struct ReaderRule {
  std::string_view command;  // command that reads a secret from standard input
  std::string_view option;   // required option; may be empty
};

struct CommandRule {
  std::string_view command;
  std::string_view option;
  char form;  // '+', '-', '=', ':', '%' or '#'
};

// Tables of redaction/rules.txt, and an index of the literals at which a search stops. Immutable; shared by all
// threads.
class Rules {
 public:
  static const Rules& Get();

  std::unordered_map<std::string_view, Secrecy>
      words;        // complete words; kNone for those excluded from all other sections
  WordSet seconds;  // second words of pairs of any kind
  std::unordered_map<std::string_view, Secrecy> pairs;
  WordSet harmless_pairs, about, harmless_values, schemes, labels, directives;
  std::deque<std::string> writings;  // spellings of names in other languages and with digits for letters
  std::vector<std::string_view> inside, ending;
  std::vector<TokenRule> tokens;
  std::vector<CommandRule> commands;
  std::vector<FunctionRule> functions;
  std::vector<PositionalRule> positions;
  std::vector<ReaderRule> readers;
  TriggerIndex triggers;        // literals at which a search stops
  TriggerIndex parts_of_names;  // each secret name contains one of these; few other names do

 private:
  using Lists = std::map<std::string_view, std::vector<std::string_view>>;  // by section

  Rules();
  void AddWords(const Lists& lists);
  void AddNames(const Lists& lists);
  void AddGluedPairs(const Lists& lists);
  void AddShapes(const Lists& lists);
  void AddCommands(const Lists& lists);

  std::deque<std::string> glued_;  // concatenated pairs
};

}  // namespace sparkprof::redaction

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/redaction/trigger_index.h"

namespace sparkprof::redaction {

// How sure a name is that its value is a secret; redaction/README.md has the meaning of each.
enum class Secrecy : uint8_t { kNone, kMaybe, kWeak, kStrong, kHeader };

using WordSet = std::unordered_set<std::string_view>;

struct TokenRule {
  std::string_view beginning;
  char alphabet;  // 'a', 'w', 'd' or 'h'
  size_t least;
};

struct FunctionRule {
  std::string_view name;
  size_t argument;  // the number of the one that is a key, from 1
};

struct CommandRule {
  std::string_view command;
  std::string_view option;
  char form;  // '+', '-', '=' or ':'
};

// redaction/rules.txt as tables, and an index of the literals that a search stops at. Immutable; shared by all threads.
class Rules {
 public:
  static const Rules& Get();

  std::unordered_map<std::string_view, Secrecy> words;  // whole ones; kNone for those that no other section may find
  WordSet seconds;                                      // words that are the second of a pair of any kind
  WordSet pairs, harmless_pairs, about, harmless_values, schemes, labels;
  std::vector<std::string_view> inside, ending;
  std::vector<TokenRule> tokens;
  std::vector<CommandRule> commands;
  std::vector<FunctionRule> functions;
  TriggerIndex triggers;        // what a search stops at
  TriggerIndex parts_of_names;  // every name of a secret has one of these; most other names have none

 private:
  using Lists = std::map<std::string_view, std::vector<std::string_view>>;  // by section

  Rules();
  void AddWords(const Lists& lists);
  void AddNames(const Lists& lists);
  void AddShapes(const Lists& lists);
};

}  // namespace sparkprof::redaction

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/redaction/trigger_index.h"

namespace sparkprof::redaction {

// How sure a name is that its value is a secret; redaction/README.md has the meaning of each.
enum class Secrecy : uint8_t { kNone, kMaybe, kWeak, kStrong, kHeader };

class WordSet {
 public:
  void Add(std::string_view word) { words_.push_back(word); }
  void Sort();
  bool Contains(std::string_view word) const;
  const std::vector<std::string_view>& Words() const { return words_; }

 private:
  std::vector<std::string_view> words_;
};

struct TokenRule {
  std::string_view beginning;
  char alphabet;  // 'w', 'd' or 'h'
  size_t least;
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

  WordSet strong, weak, maybe, header, harmless, pair, inner_pair, harmless_pair, about, harmless_value, scheme, label;
  std::vector<std::string_view> inside, ending;
  std::vector<TokenRule> tokens;
  std::vector<CommandRule> commands;

  TriggerIndex triggers;  // what a search stops at

 private:
  Rules();
};

}  // namespace sparkprof::redaction

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sparkprof::redaction {

// How sure a name is that its value is a secret; redaction/README.md has the meaning of each.
enum class Secrecy : uint8_t { kNone, kMaybe, kWeak, kStrong, kHeader };

// The meaning of a literal found in a text.
enum class Trigger : uint8_t {
  kName,
  kToken,
  kUrl,
  kOracle,
  kPrivateKey,
  kScheme,
  kWebhook,
  kCommand,
  kIdentifiedBy,
};

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

struct TriggerRule {
  std::string_view literal;  // in lower case, but of tokens
  Trigger kind;
  size_t row;  // of tokens
};

// redaction/rules.txt as tables, and an index of the literals that a scan stops at. Immutable; shared by all threads.
class Rules {
 public:
  static const Rules& Get();

  WordSet strong, weak, maybe, header, harmless, pair, inner_pair, harmless_pair, about, harmless_value, scheme, label;
  std::vector<std::string_view> inside, ending;
  std::vector<TokenRule> tokens;
  std::vector<CommandRule> commands;

  // Whether a literal starts with these three bytes; the hash of the first two is `Hash(Hash(0, a), b)`.
  static uint32_t Hash(uint32_t before, char c) {
    return ((before << 5) | (static_cast<unsigned char>(c) & 31)) & 0x7fff;
  }
  bool MayBegin(uint32_t hash) const { return (bits_[hash >> 6] >> (hash & 63)) & 1; }
  const std::vector<TriggerRule>& Triggers(uint32_t hash) const { return buckets_[bucket_of_[hash]]; }

 private:
  Rules();
  void AddTrigger(std::string_view literal, Trigger kind, size_t row = 0);

  std::array<uint64_t, 512> bits_ = {};
  std::vector<uint16_t> bucket_of_;  // by hash; 0 = none
  std::vector<std::vector<TriggerRule>> buckets_;
};

}  // namespace sparkprof::redaction

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sparkprof::redaction {

// Kinds of secrets that a literal in a text can start.
enum class TriggerKind : uint8_t {
  kName,
  kToken,
  kUrl,
  kOracle,
  kPrivateKey,
  kScheme,
  kWebhook,
  kCommand,
  kFunction,
  kIdentifiedBy,
  kSpelling,
  kPositional,
  kPipe,
  kHereString,
  kPasswordFile,
  kData,
  kValueBeforeName,
};

struct Trigger {
  std::string_view literal;  // in lower case, except for tokens
  TriggerKind kind;
  size_t row;  // for tokens, functions and spellings of names

  bool IsAt(std::string_view text, size_t at) const;
};

// Literals by a hash of their first three bytes, so a search inspects only possible positions.
class TriggerIndex {
 public:
  TriggerIndex();

  // Anything may follow a literal shorter than three bytes.
  void Add(std::string_view literal, TriggerKind kind, size_t row = 0);

  // The hash of three bytes is Hash(Hash(Hash(0, a), b), c).
  static uint32_t Hash(uint32_t before, char c) {
    return ((before << 5) | (static_cast<unsigned char>(c) & 31)) & (kHashes - 1);
  }
  bool MayBegin(uint32_t hash) const { return (bits_[hash >> 6] >> (hash & 63)) & 1; }
  // Whether the text contains one of the literals.
  bool IsIn(std::string_view text) const;
  const std::vector<Trigger>& Triggers(uint32_t hash) const { return buckets_[bucket_of_[hash]]; }

 private:
  static constexpr uint32_t kHashes = 1 << 15;

  std::array<uint64_t, kHashes / 64> bits_ = {};
  std::vector<uint16_t> bucket_of_;  // by hash; 0 = none
  std::vector<std::vector<Trigger>> buckets_;
};

}  // namespace sparkprof::redaction

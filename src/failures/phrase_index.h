// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace sparkprof {

// Finds all occurrences of many phrases in one pass, at about the speed of a checksum. Immutable.
class PhraseIndex {
 public:
  static constexpr size_t kKeySize = 7;

  // Phrases have at least kKeySize bytes and must outlive the index.
  explicit PhraseIndex(const std::vector<std::string_view>& phrases);

  // Calls found(phrase, offset) for each occurrence; `phrase` is an index of the list.
  template <typename Found>
  void Search(std::string_view text, const Found& found) const {
    for (size_t at = 0; at + kKeySize <= text.size(); ++at) {
      const uint64_t key = KeyAt(text, at);
      const size_t hash = HashOf(key);
      if ((bits_[hash / 64] >> (hash % 64) & 1) == 0) continue;
      for (const Entry* entry = FirstEntry(key); entry != entries_.data() + entries_.size() && entry->key == key;
           ++entry) {
        if (entry->offset > at) continue;
        const size_t begin = at - entry->offset;
        if (text.substr(begin).starts_with(phrases_[entry->phrase])) found(entry->phrase, begin);
      }
    }
  }

 private:
  // The part of a phrase that is looked up.
  struct Entry {
    uint64_t key;
    uint32_t phrase;
    uint32_t offset;  // position of the key in the phrase
  };

  static uint64_t KeyAt(std::string_view text, size_t at) {
    uint64_t key = 0;
    std::memcpy(&key, text.data() + at, kKeySize);
    return key;
  }
  static size_t HashOf(uint64_t key) { return key * 0x9E3779B97F4A7C15U >> 47; }  // Fibonacci hashing: 17 bits
  const Entry* FirstEntry(uint64_t key) const;

  std::vector<std::string_view> phrases_;
  std::vector<Entry> entries_;  // sorted by key
  std::array<uint64_t, (1 << 17) / 64> bits_ = {};
};

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_set>

namespace sparkprof {

// Texts in which redaction found nothing, so that they are not searched again: plans repeat names, and further
// snapshots of a growing log repeat its texts. Stores 128-bit hashes of up to kMax texts; further texts are searched
// each time. Not thread-safe.
class CleanTexts {
 public:
  static constexpr size_t kMax = 200'000;  // about 10 MB

  // `redact()` returns whether it found something in the text. It is not called for a text in which it found nothing
  // before.
  template <typename Search>
  void Redact(std::string_view text, const Search& redact) {
    const Hash hash = HashOf(text);
    if (hashes_.contains(hash) || redact() || hashes_.size() >= kMax) return;
    hashes_.insert(hash);
  }

  // Call when the redaction rules change.
  void Clear() { hashes_.clear(); }

 private:
  struct Hash {
    uint64_t low = 0;
    uint64_t high = 0;

    bool operator==(const Hash&) const = default;
  };
  struct LowHalf {
    size_t operator()(const Hash& hash) const { return hash.low; }
  };

  static Hash HashOf(std::string_view text);

  std::unordered_set<Hash, LowHalf> hashes_;
};

}  // namespace sparkprof

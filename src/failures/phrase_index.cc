// SPDX-License-Identifier: Apache-2.0
#include "failures/phrase_index.h"

#include <algorithm>
#include <unordered_map>

namespace sparkprof {

PhraseIndex::PhraseIndex(const std::vector<std::string_view>& phrases) : phrases_(phrases) {
  // Prefers keys that few phrases share, because they are rare in texts, too: "java.la" and "Excepti" would match in
  // each line of a stack trace.
  std::unordered_map<uint64_t, size_t> uses;
  for (const std::string_view phrase : phrases_) {
    for (size_t at = 0; at + kKeySize <= phrase.size(); ++at) ++uses[KeyAt(phrase, at)];
  }
  for (uint32_t row = 0; row < phrases_.size(); ++row) {
    const std::string_view phrase = phrases_[row];
    Entry rarest = {KeyAt(phrase, 0), row, 0};
    for (uint32_t at = 1; at + kKeySize <= phrase.size(); ++at) {
      const uint64_t key = KeyAt(phrase, at);
      if (uses[key] < uses[rarest.key]) rarest = {key, row, at};
    }
    entries_.push_back(rarest);
    bits_[HashOf(rarest.key) / 64] |= uint64_t{1} << HashOf(rarest.key) % 64;
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
}

const PhraseIndex::Entry* PhraseIndex::FirstEntry(uint64_t key) const {
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), key,
                                      [](const Entry& entry, uint64_t wanted) { return entry.key < wanted; });
  return entries_.data() + (found - entries_.begin());
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/trigger_index.h"

#include <algorithm>

#include "base/redaction/characters.h"

namespace sparkprof::redaction {

bool Trigger::IsAt(std::string_view text, size_t at) const {
  return kind == TriggerKind::kToken ? text.substr(at).starts_with(literal) : HasAt(text, at, literal);
}

TriggerIndex::TriggerIndex() : bucket_of_(kHashes), buckets_(1) {}

void TriggerIndex::Add(std::string_view literal, TriggerKind kind, size_t row) {
  const size_t known = std::min<size_t>(literal.size(), 3);
  uint32_t hash = 0;
  for (size_t i = 0; i < known; ++i) hash = Hash(hash, literal[i]);
  uint32_t count = 1;
  for (size_t i = known; i < 3; ++i) {
    hash <<= 5;
    count <<= 5;
  }
  for (uint32_t any = 0; any < count; ++any) {
    uint16_t& row_of_bucket = bucket_of_[hash + any];
    if (row_of_bucket == 0) {
      row_of_bucket = static_cast<uint16_t>(buckets_.size());
      buckets_.emplace_back();
    }
    std::vector<Trigger>& bucket = buckets_[row_of_bucket];
    const bool is_known = std::any_of(bucket.begin(), bucket.end(), [&](const Trigger& other) {
      return other.kind == kind && other.literal == literal && (other.row == row || kind != TriggerKind::kSpelling);
    });
    if (is_known) continue;
    bucket.push_back({literal, kind, row});
    bits_[(hash + any) >> 6] |= uint64_t{1} << ((hash + any) & 63);
  }
}

bool TriggerIndex::IsIn(std::string_view text) const {
  uint32_t hash = text.empty() ? 0 : Hash(Hash(0, text[0]), CharAt(text, 1));
  for (size_t at = 0; at < text.size(); ++at) {
    hash = Hash(hash, CharAt(text, at + 2));
    if (!MayBegin(hash)) continue;
    const std::vector<Trigger>& here = Triggers(hash);
    if (std::any_of(here.begin(), here.end(), [&](const Trigger& trigger) { return trigger.IsAt(text, at); })) {
      return true;
    }
  }
  return false;
}

}  // namespace sparkprof::redaction

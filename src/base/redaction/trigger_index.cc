// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/trigger_index.h"

#include <algorithm>

namespace sparkprof::redaction {

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
      return other.kind == kind && other.literal == literal;
    });
    if (is_known) continue;
    bucket.push_back({literal, kind, row});
    bits_[(hash + any) >> 6] |= uint64_t{1} << ((hash + any) & 63);
  }
}

}  // namespace sparkprof::redaction

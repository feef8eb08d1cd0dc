// SPDX-License-Identifier: Apache-2.0
#include "recording/merged_samples.h"

#include "base/saturate.h"

namespace sparkprof {

void MergedSamples::Add(const Sample& sample, int32_t executor) {
  const uint64_t place = MixHash(static_cast<uint64_t>(sample.time_ns) ^ MixHash(static_cast<uint32_t>(executor)));
  HashIndex& index = indexes_[place % kIndexes];
  const uint64_t hash = sample.KeyHash();
  const uint32_t found = index.Find(hash, [&](uint32_t row) { return rows_[row].SameKey(sample); });
  if (found != HashIndex::kNone) {
    AddSaturated(sample.weight, &rows_[found].weight);
    AddSaturated(sample.count, &rows_[found].count);
    return;
  }
  rows_.push_back(sample);
  index.Insert(hash, static_cast<uint32_t>(rows_.size() - 1), [&](uint32_t row) { return rows_[row].KeyHash(); });
}

void MergedSamples::EndSource() {
  if (rows_.size() - first_indexed_ < kMaxIndexed) return;
  first_indexed_ = rows_.size();
  for (HashIndex& index : indexes_) index.Clear();
}

std::vector<Sample> MergedSamples::Take() {
  indexes_.clear();
  return std::exchange(rows_, {});
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "event_log/events/accumulator_table.h"

#include "base/saturate.h"

namespace sparkprof {
namespace {

void AddTo(const AccumulatorTable::Total& part, AccumulatorTable::Total* total) {
  AddSaturated(part.sum, &total->sum);
  AddSaturated(part.sum_not_negative, &total->sum_not_negative);
  total->count_not_negative += part.count_not_negative;
}

AccumulatorTable::Total TotalOf(int64_t value) {
  const bool counts = value >= 0;
  return {value, counts ? value : 0, counts ? 1 : 0};
}

}  // namespace

uint64_t AccumulatorTable::Hash(int32_t stage, int64_t accumulator) {
  return MixHash(static_cast<uint64_t>(accumulator) ^ static_cast<uint64_t>(static_cast<uint32_t>(stage)) << 32);
}

void AccumulatorTable::Add(int32_t stage, int64_t accumulator, int64_t value) {
  const auto matches = [&](uint32_t row) { return rows_[row].accumulator == accumulator && rows_[row].stage == stage; };
  uint32_t row = next_row_;
  if (row >= rows_.size() || !matches(row)) {
    const uint64_t hash = Hash(stage, accumulator);
    row = index_.Find(hash, matches);
    if (row == HashIndex::kNone) {
      row = static_cast<uint32_t>(rows_.size());
      rows_.push_back({stage, accumulator, {}});
      index_.Insert(hash, row, [&](uint32_t other) { return Hash(rows_[other].stage, rows_[other].accumulator); });
    }
  }
  AddTo(TotalOf(value), &rows_[row].total);
  next_row_ = row + 1;
}

std::unordered_map<int64_t, AccumulatorTable::Total> AccumulatorTable::Totals(
    const std::vector<bool>& is_latest_attempt) const {
  std::unordered_map<int64_t, Total> totals;
  for (const Row& row : rows_) {
    if (row.stage != kDriver && !is_latest_attempt[static_cast<size_t>(row.stage)]) continue;
    AddTo(row.total, &totals[row.accumulator]);
  }
  for (const auto& [accumulator, value] : stage_values_) totals.try_emplace(accumulator, TotalOf(value));
  return totals;
}

std::unordered_map<int64_t, std::vector<int32_t>> AccumulatorTable::Stages(
    const std::vector<bool>& is_latest_attempt) const {
  std::unordered_map<int64_t, std::vector<int32_t>> stages;
  for (const Row& row : rows_) {
    if (row.stage == kDriver || !is_latest_attempt[static_cast<size_t>(row.stage)]) continue;
    stages[row.accumulator].push_back(row.stage);
  }
  return stages;
}

}  // namespace sparkprof

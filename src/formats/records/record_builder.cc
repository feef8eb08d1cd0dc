// SPDX-License-Identifier: Apache-2.0
#include "formats/records/record_builder.h"

#include <algorithm>

#include "base/saturate.h"
#include "base/time.h"
#include "model/hash_bytes.h"

namespace sparkprof {
namespace {

constexpr int64_t kMaxMillis = INT64_MAX / kNanosPerMilli;

uint64_t HashProcess(RecordProfiler profiler, std::string_view key) {
  return MixHash(HashBytes(key) + static_cast<uint64_t>(profiler));
}

bool IsSame(const RecordProcess& process, RecordProfiler profiler, std::string_view key) {
  return process.profiler == profiler && process.key == key;
}

bool SameKey(const RecordStack& a, const RecordStack& b) {
  return a.process == b.process && a.thread == b.thread && a.state == b.state && a.rdd == b.rdd && a.stack == b.stack &&
         a.start_ms == b.start_ms && a.end_ms == b.end_ms;
}

}  // namespace

int64_t RecordBuilder::NanosOf(int64_t epoch_ms) {
  return std::clamp(epoch_ms, -kMaxMillis, kMaxMillis) * kNanosPerMilli;
}

uint32_t RecordBuilder::Process(RecordProfiler profiler, std::string_view key) {
  std::vector<RecordProcess>& processes = records_->processes;
  // Records of one process mostly follow each other.
  if (last_process_ < processes.size() && IsSame(processes[last_process_], profiler, key)) return last_process_;
  const uint64_t hash = HashProcess(profiler, key);
  last_process_ = processes_.Find(hash, [&](uint32_t row) { return IsSame(processes[row], profiler, key); });
  if (last_process_ != HashIndex::kNone) return last_process_;
  last_process_ = static_cast<uint32_t>(processes.size());
  processes.push_back({.profiler = profiler, .key = std::string(key)});
  processes_.Insert(hash, last_process_,
                    [&](uint32_t row) { return HashProcess(processes[row].profiler, processes[row].key); });
  return last_process_;
}

void RecordBuilder::SeenAt(uint32_t process, int64_t epoch_ms) {
  RecordProcess& row = At(process);
  if (row.first_ms == 0 || epoch_ms < row.first_ms) row.first_ms = epoch_ms;
  row.last_ms = std::max(row.last_ms, epoch_ms);
}

uint64_t RecordBuilder::Hash(uint32_t process, const SeriesKey& key) {
  const uint64_t numbers = uint64_t{process} << 16 | uint64_t{key.family} << 8 | key.metric;
  const uint64_t item = key.item.empty() ? 0 : HashBytes(key.item);
  const uint64_t field = key.field.empty() ? 0 : HashBytes(key.field);
  return MixHash(numbers + item + field * 3);
}

uint32_t RecordBuilder::FindSeries(uint32_t process, const SeriesKey& key) const {
  return series_.Find(Hash(process, key),
                      [&](uint32_t row) { return identities_[row].process == process && identities_[row].key == key; });
}

uint32_t RecordBuilder::AddSeries(uint32_t process, const SeriesKey& key, RecordMetric metric) {
  const auto row = static_cast<uint32_t>(identities_.size());
  SeriesIdentity identity{process, key};
  identity.key.item = texts_.emplace_back(key.item);
  identity.key.field = texts_.emplace_back(key.field);
  identities_.push_back(identity);
  records_->series.push_back({.process = process, .metric = std::move(metric)});
  series_.Insert(Hash(process, key), row,
                 [&](uint32_t other) { return Hash(identities_[other].process, identities_[other].key); });
  return row;
}

void RecordBuilder::Finish() {
  std::erase_if(records_->series, [](const RecordSeries& series) { return series.points.empty(); });
  records_->SortPoints();
}

uint64_t RecordBuilder::Hash(const RecordStack& stack) {
  const uint64_t where = uint64_t{stack.process} << 32 | stack.stack;
  const uint64_t who = uint64_t{stack.thread} << 32 | uint64_t{stack.state} << 16 | stack.rdd;
  const auto when = static_cast<uint64_t>(stack.start_ms) * 31 + static_cast<uint64_t>(stack.end_ms);
  return MixHash(MixHash(MixHash(where) ^ who) ^ when);
}

void RecordBuilder::AddStack(const RecordStack& stack) {
  RecordStack key = stack;
  if (!options_.stack_windows) {
    key.thread = key.state = 0;
    key.start_ms = key.end_ms = 0;
  }
  std::vector<RecordStack>& rows = records_->stack_counts;
  if (!options_.merge_stacks) {
    rows.push_back(key);
    return;
  }
  const uint64_t hash = Hash(key);
  const uint32_t found = stack_rows_.Find(hash, [&](uint32_t row) { return SameKey(rows[row], key); });
  if (found != HashIndex::kNone) {
    AddSaturated(key.count, &rows[found].count);
    return;
  }
  const auto row = static_cast<uint32_t>(rows.size());
  rows.push_back(key);
  stack_rows_.Insert(hash, row, [&](uint32_t other) { return Hash(rows[other]); });
}

}  // namespace sparkprof

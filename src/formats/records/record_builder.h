// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_index.h"
#include "formats/records/profiler_records.h"

namespace sparkprof {

struct RecordReadOptions {
  bool series = true;
  bool details =
      true;  // include metrics that Phil's Stopwatch did not have: memory pools, buffers, I/O of each core, …
  bool stacks = true;
  // False merges all samples of a stack of a process, regardless of thread, state and time: memory is then in
  // proportion to distinct stacks, not records.
  bool stack_windows = true;
  bool merge_stacks = true;    // false: a row for each record
  size_t max_series = 20'000;  // methods and arguments can be any number
};

// The identity of a series of a process. The reader defines the numbers and texts: a metric of a fixed list, the name
// of a memory pool, a core, a method.
struct SeriesKey {
  uint8_t family = 0;
  uint8_t metric = 0;
  std::string_view item;
  std::string_view field;

  bool operator==(const SeriesKey&) const = default;
};

// Collects the output of the readers of the record kinds. Not thread-safe.
class RecordBuilder {
 public:
  RecordBuilder(ProfilerRecords* records, RecordReadOptions options) : records_(records), options_(options) {}

  const RecordReadOptions& options() const { return options_; }
  ProfilerRecords& records() { return *records_; }

  void CountRecord(RecordKind kind) { ++records_->records[static_cast<size_t>(kind)]; }

  // The row of the process with this key; new with that key only.
  uint32_t Process(RecordProfiler profiler, std::string_view key);
  RecordProcess& At(uint32_t process) { return records_->processes[process]; }
  // The process was alive at this time.
  void SeenAt(uint32_t process, int64_t epoch_ms);

  // Adds a point to the series of `key`; `describe()` returns its RecordMetric for the first point.
  template <typename Describe>
  void AddPoint(uint32_t process, const SeriesKey& key, int64_t epoch_ms, double value, Describe&& describe) {
    uint32_t series = FindSeries(process, key);
    if (series == HashIndex::kNone) {
      if (records_->series.size() >= options_.max_series) {
        ++records_->dropped_series;
        return;
      }
      series = AddSeries(process, key, describe());
    }
    RecordSeries& row = records_->series[series];
    if (options_.details || row.metric.is_standard) row.points.push_back({NanosOf(epoch_ms), value});
  }

  // Samples of `stack`, see RecordReadOptions::stack_windows.
  void AddStack(const RecordStack& stack);

  // Leaves out series without points and sorts the others. Call once, at the end.
  void Finish();

 private:
  struct SeriesIdentity {
    uint32_t process = 0;
    SeriesKey key;
  };

  static int64_t NanosOf(int64_t epoch_ms);
  static uint64_t Hash(uint32_t process, const SeriesKey& key);
  static uint64_t Hash(const RecordStack& stack);
  uint32_t FindSeries(uint32_t process, const SeriesKey& key) const;
  uint32_t AddSeries(uint32_t process, const SeriesKey& key, RecordMetric metric);

  ProfilerRecords* records_;
  const RecordReadOptions options_;
  HashIndex processes_;
  uint32_t last_process_ = 0;
  std::vector<SeriesIdentity> identities_;  // by row of series
  std::deque<std::string> texts_;           // storage for the identities' keys
  HashIndex series_;
  HashIndex stack_rows_;
};

}  // namespace sparkprof

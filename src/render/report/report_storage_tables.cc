// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "analysis/selection/time_range.h"
#include "analysis/tables/tables.h"
#include "base/time.h"
#include "render/report/report_tables.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxRdds = 2000;
constexpr size_t kMaxPoints = 200'000;  // sum over all RDDs

double SinceStartMs(const TimeRange& range, int64_t time_ns) {
  return static_cast<double>(std::max<int64_t>(0, time_ns - range.start_ns)) / kNanosPerMilli;
}

int64_t PeakOf(const CachedRdd& rdd) { return rdd.peak_memory_bytes + rdd.peak_disk_bytes; }

// The rows of all RDDs, or of those that stored most.
std::vector<uint32_t> LargestRdds(const std::vector<CachedRdd>& rdds) {
  std::vector<uint32_t> rows(rdds.size());
  std::iota(rows.begin(), rows.end(), 0);
  if (rows.size() <= kMaxRdds) return rows;
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) { return PeakOf(rdds[a]) > PeakOf(rdds[b]); });
  rows.resize(kMaxRdds);
  return rows;
}

void WriteStored(const CachedRdd& rdd, const TimeRange& range, size_t most, ColumnArea* columns, JsonWriter* json) {
  const size_t step = rdd.stored.size() / most + 1;
  std::vector<double> time, memory, disk;
  std::vector<uint32_t> partitions;
  for (size_t i = 0; i < rdd.stored.size(); ++i) {
    if (i % step != 0 && i + 1 != rdd.stored.size()) continue;
    const StoredBlocks& stored = rdd.stored[i];
    time.push_back(SinceStartMs(range, stored.time_ns));
    partitions.push_back(static_cast<uint32_t>(stored.partitions));
    memory.push_back(static_cast<double>(stored.memory_bytes));
    disk.push_back(static_cast<double>(stored.disk_bytes));
  }
  json->Key("stored").BeginObject();
  columns->Add("time", time, json);
  columns->Add("partitions", partitions, json);
  columns->Add("memoryBytes", memory, json);
  columns->Add("diskBytes", disk, json);
  json->EndObject();
}

}  // namespace

void WriteStorage(const Application& application, ColumnArea* columns, JsonWriter* json) {
  const std::vector<CachedRdd>& rdds = application.cached_rdds;
  if (rdds.empty()) return;
  const TimeRange range = RangeOf(application);
  const std::vector<uint32_t> rows = LargestRdds(rdds);
  const auto write_stored = [&](uint32_t row) {
    if (!rdds[row].stored.empty()) WriteStored(rdds[row], range, kMaxPoints / rows.size(), columns, json);
  };
  WriteRows(StorageTable(application), rows, write_stored, json);
}

}  // namespace sparkprof

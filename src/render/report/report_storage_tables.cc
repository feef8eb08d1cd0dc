// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>

#include "analysis/plans/storage_level.h"
#include "analysis/selection/time_range.h"
#include "base/time.h"
#include "render/report/report_tables.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxRdds = 2000;
constexpr size_t kMaxPoints = 200'000;  // of all RDDs

double SinceStartMs(const TimeRange& range, int64_t time_ns) {
  return static_cast<double>(std::max<int64_t>(0, time_ns - range.start_ns)) / kNanosPerMilli;
}

int64_t PeakOf(const CachedRdd& rdd) { return rdd.peak_memory_bytes + rdd.peak_disk_bytes; }

// All RDDs, or those that stored most.
std::vector<const CachedRdd*> LargestRdds(const Application& application) {
  std::vector<const CachedRdd*> rdds;
  for (const CachedRdd& rdd : application.cached_rdds) rdds.push_back(&rdd);
  if (rdds.size() <= kMaxRdds) return rdds;
  std::stable_sort(rdds.begin(), rdds.end(),
                   [](const CachedRdd* a, const CachedRdd* b) { return PeakOf(*a) > PeakOf(*b); });
  rdds.resize(kMaxRdds);
  return rdds;
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
  if (application.cached_rdds.empty()) return;
  const TimeRange range = RangeOf(application);
  const std::vector<const CachedRdd*> rdds = LargestRdds(application);
  json->Key("storage").BeginArray();
  for (const CachedRdd* rdd : rdds) {
    json->BeginObject()
        .Member("id", rdd->id)
        .Member("name", rdd->name)
        .Member("level", StorageLevelText(*rdd))
        .Member("partitionCount", rdd->partition_count)
        .Key("stages")
        .BeginArray();
    for (const int64_t stage : rdd->stages) json->Value(stage);
    json->EndArray()
        .Member("peakMemoryBytes", rdd->peak_memory_bytes)
        .Member("peakDiskBytes", rdd->peak_disk_bytes)
        .Member("evictedBlocks", rdd->evicted_blocks)
        .Member("lostBlocks", rdd->lost_blocks)
        .Member("unpersistTime", rdd->unpersist_ns / kNanosPerMilli);
    if (!rdd->stored.empty()) WriteStored(*rdd, range, kMaxPoints / rdds.size(), columns, json);
    json->EndObject();
  }
  json->EndArray();
}

}  // namespace sparkprof

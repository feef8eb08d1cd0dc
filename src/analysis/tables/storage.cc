// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/plans/storage_level.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"

namespace sparkprof {

Table StorageTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto& rdds = application.cached_rdds;
  const auto stages = std::make_shared<std::vector<std::string>>();
  const auto levels = std::make_shared<std::vector<std::string>>();
  for (const CachedRdd& rdd : rdds) {
    stages->push_back(fmt::format("[{}]", fmt::join(rdd.stages, ",")));
    levels->push_back(StorageLevelText(rdd));
  }
  // Without updates of blocks, nothing is known of what was stored.
  const auto stored = [&rdds](int64_t StoredBlocks::*member) {
    return [&rdds, member](size_t row) {
      return rdds[row].stored.empty() ? Cell() : Cell(rdds[row].stored.back().*member);
    };
  };
  const auto known = [&rdds](int64_t CachedRdd::*member) {
    return [&rdds, member](size_t row) { return rdds[row].stored.empty() ? Cell() : Cell(rdds[row].*member); };
  };
  const auto cached_time = [&rdds](size_t row) {
    return rdds[row].stored.empty() ? Cell() : TimeCell(rdds[row].stored[0].time_ns);
  };
  return {.name = "storage",
          .rows = rdds.size(),
          .columns = {
              {"id", kInteger, kShown, [&rdds](size_t row) { return Cell(rdds[row].id); }},
              {"storageLevel", kText, kShown, TextCells(levels)},
              {"numPartitions", kInteger, kShown, [&rdds](size_t row) { return Cell(rdds[row].partition_count); }},
              {"numCachedPartitions", kInteger, kShown, stored(&StoredBlocks::partitions)},
              {"memoryUsed", kBytes, kHidden, stored(&StoredBlocks::memory_bytes)},
              {"diskUsed", kBytes, kHidden, stored(&StoredBlocks::disk_bytes)},
              {"peakMemoryUsed", kBytes, kShown, known(&CachedRdd::peak_memory_bytes)},
              {"peakDiskUsed", kBytes, kShown, known(&CachedRdd::peak_disk_bytes)},
              {"evictedBlocks", kInteger, kShown, known(&CachedRdd::evicted_blocks)},
              {"lostBlocks", kInteger, kHidden, known(&CachedRdd::lost_blocks)},
              {"cachedTime", kTime, kHidden, cached_time, ColumnRole::kBegin},
              {"unpersistTime", kTime, kHidden, [&rdds](size_t row) { return TimeCell(rdds[row].unpersist_ns); },
               ColumnRole::kEnd},
              {"stageIds", kJson, kShown, TextCells(stages), ColumnRole::kStage},
              {"name", kLongText, kShown, [&rdds](size_t row) { return TextCell(rdds[row].name); }},
          }};
}

}  // namespace sparkprof

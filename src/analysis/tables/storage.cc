// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/plan_text.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"

namespace sparkprof {

Table StorageTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto& rdds = application.cached_rdds;
  const MemberCells of(&rdds);
  // Without updates of blocks, nothing is known of what was stored.
  const auto stored = [&of](int64_t StoredBlocks::*member) {
    return of.Of(
        [member](const CachedRdd& rdd) { return rdd.stored.empty() ? Cell() : Cell(rdd.stored.back().*member); });
  };
  const auto known = [&of](int64_t CachedRdd::*member) {
    return of.Of([member](const CachedRdd& rdd) { return rdd.stored.empty() ? Cell() : Cell(rdd.*member); });
  };
  const auto cached_time =
      of.Of([](const CachedRdd& rdd) { return rdd.stored.empty() ? Cell() : TimeCell(rdd.stored[0].time_ns); });
  return {.name = "storage",
          .rows = rdds.size(),
          .columns = {
              {"id", "ID of the RDD", kInteger, kEverywhere, of.Value(&CachedRdd::id)},
              {"storageLevel", "storage level", kText, kEverywhere,
               of.MadeText([](const CachedRdd& rdd) { return StorageLevelText(rdd); })},
              {"numPartitions", "partitions of the RDD", kInteger, kEverywhere, of.Value(&CachedRdd::partition_count)},
              {"numCachedPartitions",
               "partitions that were stored at the end; null without updates of blocks, likewise the bytes", kInteger,
               kShown, stored(&StoredBlocks::partitions)},
              {"memoryUsed", "bytes in memory at the end", kBytes, kHidden, stored(&StoredBlocks::memory_bytes)},
              {"diskUsed", "bytes on disk at the end", kBytes, kHidden, stored(&StoredBlocks::disk_bytes)},
              {"peakMemoryUsed", "most bytes in memory", kBytes, kEverywhere, known(&CachedRdd::peak_memory_bytes)},
              {"peakDiskUsed", "most bytes on disk", kBytes, kEverywhere, known(&CachedRdd::peak_disk_bytes)},
              {"evictedBlocks", "blocks that left memory while the program kept the RDD and the executor lived",
               kInteger, kEverywhere, known(&CachedRdd::evicted_blocks)},
              {"lostBlocks", "blocks lost with their executor", kInteger, kOnPage, known(&CachedRdd::lost_blocks)},
              {"cachedTime", "time when the first block was stored", kTime, kHidden, cached_time, ColumnRole::kBegin},
              {"unpersistTime", "time when the program gave it up; null if it kept it to the end", kTime, kOnPage,
               of.Time(&CachedRdd::unpersist_ns), ColumnRole::kEnd},
              {"stageIds", "stages that ran with it", kJson, kEverywhere,
               of.MadeText([](const CachedRdd& rdd) { return IdsJson(rdd.stages); }), ColumnRole::kStage},
              {"name", "name of the RDD, or plan of the DataFrame", kLongText, kEverywhere, of.Text(&CachedRdd::name)},
          }};
}

}  // namespace sparkprof

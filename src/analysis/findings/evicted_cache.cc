// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string_view>

#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyBlocks = 5;

struct Evictions {
  int64_t dropped = 0;   // blocks of cached data that left the memory
  int64_t not_kept = 0;  // that did not get into it
};

Evictions EvictionsIn(const LogRecords& logs) {
  const auto has = [](std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
  };
  Evictions evictions;
  for (const LogTemplate& message : logs.templates) {
    if (has(message.text, "Dropping block") && has(message.text, "from memory")) evictions.dropped += message.count;
    if (has(message.text, "Not enough space to cache")) evictions.not_kept += message.count;
  }
  return evictions;
}

}  // namespace

std::optional<Finding> FindEvictedCaches(const FindingInput& input) {
  const Evictions evictions = EvictionsIn(input.application.logs);
  if (evictions.dropped + evictions.not_kept < kManyBlocks) return std::nullopt;
  Finding finding;
  finding.title =
      fmt::format("Cached data does not fit into memory: {} blocks", evictions.dropped + evictions.not_kept);
  finding.confidence = 0.8;
  finding.what = fmt::format(
      "{} blocks of cached data were evicted, and {} could not be kept; they are read from disk or "
      "computed again whenever they are needed",
      evictions.dropped, evictions.not_kept);
  finding.evidence = "messages of the executors' memory store";
  finding.condition =
      fmt::format("The logs report at least {} blocks that were evicted from memory or did not fit", kManyBlocks);
  finding.selection.event = EventName(Event::kCpu);
  finding.change =
      "Cache fewer columns and rows, unpersist() data that is no longer needed, use MEMORY_AND_DISK, or increase "
      "spark.executor.memory (spark.memory.storageFraction protects cached data from execution)";
  return finding;
}

}  // namespace sparkprof

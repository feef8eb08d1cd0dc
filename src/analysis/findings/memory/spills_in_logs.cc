// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "analysis/findings/advice.h"
#include "analysis/findings/log_values.h"
#include "analysis/findings/rules.h"
#include "base/text/quantity.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr std::string_view kSpillTemplate = "Thread <*> spilling";
constexpr std::string_view kWindowTemplate = "No Partition Defined for Window operation";
constexpr int64_t kMuchSpilledMemory = int64_t{32} << 20;
constexpr int64_t kNsPerSpilledMemory = 3;  // to sort, serialize, write, read and merge a byte

}  // namespace

std::optional<Finding> FindSpillsInLogs(const FindingInput& input) {
  static const re2::RE2 pattern(R"(spilling (?:sort data|in-memory map) of ([0-9.]+ ?[A-Za-z]+) to disk)");
  if (!HasOnlyLogs(input.application)) return std::nullopt;
  int64_t bytes = 0, count = 0;
  const int64_t span_ns = ForEachRecord(input.application.logs, kSpillTemplate, [&](std::string_view text, int64_t) {
    std::string size;
    if (!re2::RE2::PartialMatch(text, pattern, &size)) return;
    bytes += ParseBytes(size).value_or(0);
    ++count;
  });
  if (bytes < kMuchSpilledMemory) return std::nullopt;
  // The only task of a window without PARTITION BY spills with any number of partitions; a warning explains it.
  bool has_window = false;
  ForEachRecord(input.application.logs, kWindowTemplate, [&](std::string_view, int64_t) { has_window = true; });
  if (has_window) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Tasks spill {} of memory to disk", FormatBytes(bytes));
  finding.what = fmt::format(
      "By their logs, tasks spilled {}, {} of memory in total, because their data did not fit into execution memory",
      Counted(count, "time"), FormatBytes(bytes));
  finding.evidence = fmt::format("from the first to the last spill: {}", FormatDuration(span_ns));
  finding.condition =
      fmt::format("By text logs alone, tasks spill at least {} of memory", FormatBytes(kMuchSpilledMemory));
  finding.selection.event = EventName(Event::kWall);
  finding.stages = StagesThatLog(input.application, kSpillTemplate);
  finding.change = fmt::format("Use more partitions (spark.sql.shuffle.partitions) to reduce the data per task, or {}",
                               MoreMemoryAdvice(input.application));
  finding.claim =
      ClaimStages(input, finding.stages, std::min(span_ns, bytes * kNsPerSpilledMemory / input.cores), kMost);
  return finding;
}

}  // namespace sparkprof

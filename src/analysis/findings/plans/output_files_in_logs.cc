// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "analysis/findings/advice.h"
#include "analysis/findings/log_values.h"
#include "analysis/findings/plans/plan_values.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

// Messages of which there is one for each file that a task begins to write. Other formats log none.
constexpr std::string_view kParquetWriter = "ParquetRecordWriter [block size";
constexpr std::string_view kOrcWriter = "ORC writer created for path";
constexpr int64_t kShortNs = 200 * kNanosPerMilli;  // of task time for each file: it cannot be large

}  // namespace

std::optional<Finding> FindOutputFilesInLogs(const FindingInput& input) {
  if (!HasOnlyLogs(input.application)) return std::nullopt;
  int64_t parquet = 0, orc = 0;
  const int64_t parquet_ns =
      ForEachRecord(input.application.logs, kParquetWriter, [&](std::string_view, int64_t) { ++parquet; });
  const int64_t orc_ns = ForEachRecord(input.application.logs, kOrcWriter, [&](std::string_view, int64_t) { ++orc; });
  const bool is_parquet = parquet >= orc;
  const int64_t files = std::max(parquet, orc), span_ns = is_parquet ? parquet_ns : orc_ns;
  const int64_t each_ns = files == 0 ? 0 : span_ns / files * input.cores;
  if (files < kManyFiles || span_ns < kWorthwhileNs || each_ns > kShortNs) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Tasks write {} small files", CountText(files));
  finding.what = fmt::format("By their logs, tasks begin {} {} files, one every {} on each core", CountText(files),
                             is_parquet ? "Parquet" : "ORC", FormatDuration(each_ns));
  finding.evidence =
      fmt::format("from the first to the last: {}; text logs do not show their sizes", FormatDuration(span_ns));
  finding.condition = fmt::format(
      "By text logs alone, tasks begin to write at least {} Parquet or ORC files, with at most {} of task time for "
      "each",
      kManyFiles, FormatDuration(kShortNs));
  finding.selection.event = EventName(Event::kCpu);
  finding.stages = StagesThatLog(input.application, is_parquet ? kParquetWriter : kOrcWriter);
  finding.change =
      "Write fewer and larger files: partition by fewer values (partitionBy), or repartition() by the columns of "
      "partitionBy() before the write";
  finding.claim = ClaimStages(input, finding.stages, std::min(span_ns, files * kNsPerFile / input.cores), kMost);
  return finding;
}

}  // namespace sparkprof

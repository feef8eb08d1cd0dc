// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/rules.h"
#include "analysis/selection/spark_settings.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kLargeShuffle = int64_t{1} << 30;
constexpr double kAsLarge = 0.95;   // relative to the size of rows
constexpr int64_t kBytesPerNs = 1;  // compression and decompression on one core
constexpr std::string_view kCompress = "spark.shuffle.compress";

struct Shuffled {
  int64_t rows_bytes = 0, written_bytes = 0;
  std::vector<int64_t> stages;  // IDs
};

// Exchanges whose blocks are about as large as their rows.
Shuffled IncompressibleShuffles(const Application& application) {
  Shuffled sum;
  for (const SqlExecution& sql : application.sql_executions) {
    for (const PlanOperator& one : OperatorsOf(sql.plan)) {
      const int64_t rows = ValueOf(*one.plan, "data size").value_or(0);
      const int64_t written = ValueOf(*one.plan, "shuffle bytes written").value_or(0);
      if (one.kind != "Exchange" || rows == 0 || Share(written, rows) < kAsLarge) continue;
      sum.rows_bytes += rows;
      sum.written_bytes += written;
      sum.stages.insert(sum.stages.end(), one.stages.begin(), one.stages.end());
    }
  }
  std::sort(sum.stages.begin(), sum.stages.end());
  sum.stages.erase(std::unique(sum.stages.begin(), sum.stages.end()), sum.stages.end());
  return sum;
}

}  // namespace

std::optional<Finding> FindWastedCompression(const FindingInput& input) {
  if (SettingOf(input.application, kCompress) == std::string_view("false")) return std::nullopt;
  Shuffled shuffled = IncompressibleShuffles(input.application);
  if (shuffled.written_bytes < kLargeShuffle) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Compression saves nothing of {} of shuffle", FormatBytes(shuffled.written_bytes));
  finding.what = fmt::format("Rows of {} make blocks of {}: their values are compressed, encrypted or random already",
                             FormatBytes(shuffled.rows_bytes), FormatBytes(shuffled.written_bytes));
  finding.evidence = "\"data size\" and \"shuffle bytes written\" of the exchanges";
  finding.condition = fmt::format("Exchanges whose blocks have at least {} of the size of their rows write at least {}",
                                  FormatShare(kAsLarge), FormatBytes(kLargeShuffle));
  finding.selection.event = EventName(Event::kCpu);
  finding.change = fmt::format(
      "Set {}=false for such a job, or compress after the shuffle what does not have to be "
      "compressed before",
      kCompress);
  finding.claim = ClaimStages(input, shuffled.stages, shuffled.written_bytes / kBytesPerNs / input.cores, kHalf);
  finding.stages = std::move(shuffled.stages);
  return finding;
}

}  // namespace sparkprof

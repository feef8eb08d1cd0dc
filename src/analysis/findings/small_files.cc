// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/call_site.h"
#include "analysis/findings/plan_walk.h"
#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyFiles = 500;
constexpr int64_t kSmall = int64_t{4} << 20;   // bytes; Spark plans as if opening a file took as long as reading these
constexpr int64_t kGood = int64_t{128} << 20;  // bytes of a good file
constexpr double kSavedOfScan = 0.95;          // the rest reads the same bytes from few files

struct Scan {
  const SqlExecution* sql = nullptr;
  const PlanNode* node = nullptr;
  int64_t files = 0;
  int64_t bytes = 0;
};

// The scan of the most small files.
Scan WorstScan(const Application& application) {
  Scan worst;
  for (const SqlExecution& sql : application.sql_executions) {
    ForEachNode(sql.plan, [&](const PlanNode& node) {
      const int64_t files = MetricOf(node, "number of files read").value_or(0);
      const int64_t bytes = MetricOf(node, "size of files read").value_or(0);
      if (files >= kManyFiles && bytes / files < kSmall && files > worst.files) worst = {&sql, &node, files, bytes};
    });
  }
  return worst;
}

}  // namespace

std::optional<Finding> FindSmallFiles(const FindingInput& input) {
  const Scan worst = WorstScan(input.application);
  if (worst.node == nullptr) return std::nullopt;
  const int64_t time_ns = TimeOfStages(input, worst.node->stages);
  const int64_t listing_ns = MetricOf(*worst.node, "metadata time").value_or(0);
  const int64_t each = worst.bytes / worst.files;
  Finding finding;
  finding.title = fmt::format("A scan reads {} small files of {} on average", worst.files, FormatBytes(each));
  finding.confidence = 0.9;
  finding.what = fmt::format("{} of SQL execution {} ({}) reads {} in {} files", worst.node->name, worst.sql->id,
                             ShortCallSite(worst.sql->description), FormatBytes(worst.bytes), worst.files);
  finding.evidence = fmt::format("its stages take {}, most of it to open files; listing them took {}",
                                 FormatDuration(time_ns), FormatDuration(listing_ns));
  finding.condition =
      fmt::format("A scan reads at least {} files with less than {} on average", kManyFiles, FormatBytes(kSmall));
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.sql = worst.sql->id;
  finding.stages = worst.node->stages;
  if (!worst.sql->description.empty()) finding.frames = {ShortCallSite(worst.sql->description)};
  finding.change = fmt::format(
      "Compact the table into about {} files (repartition or coalesce before it is written, OPTIMIZE for Delta, "
      "rewrite_data_files for Iceberg), and write fewer files per run",
      std::max(input.cores, worst.bytes / kGood));
  finding.gain_ns =
      static_cast<int64_t>(static_cast<double>(time_ns + listing_ns) * (1 - Share(each, kSmall)) * kSavedOfScan);
  finding.gain_low = 0.6;
  finding.gain_high = 1.1;
  finding.severity = std::max(Severity::kMedium, SeverityOf(finding.gain_ns, input.duration_ns));
  return finding;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyTasksPerCore = 4;              // the first tasks of an executor load classes
constexpr int64_t kLongLoadNs = 20 * kNanosPerMilli;  // median task; a small closure needs less

// "; Spark warned: Broadcasting large task binary with size 4.2 MiB" if the logs have it.
std::string WarningOf(const LogRecords& logs) {
  for (size_t row = 0; row < logs.Size(); ++row) {
    const std::string_view text = logs.templates[logs.template_row[row]].text;
    if (text.starts_with("Broadcasting large task binary"))
      return fmt::format("; Spark warned: {}", Shorten(ToOneLine(logs.Text(row)), 100));
  }
  return {};
}

// True if the stage's tasks may carry data of the program: in a function, or as rows. Operators of queries carry
// little.
bool MayCarryData(const Application& application, const Stage& stage) {
  const std::vector<PlanOperator> operators = OperatorsOfStage(application, stage);
  return operators.empty() || std::any_of(operators.begin(), operators.end(), [](const PlanOperator& one) {
           constexpr std::string_view kWithData[] = {"Map",    "ExistingRDD",    "Python",
                                                     "Pandas", "LocalTableScan", "Deserialize"};
           const std::string_view name = one.plan->name;
           return one.plan->text.find("UDF(") != std::string::npos ||
                  std::any_of(std::begin(kWithData), std::end(kWithData),
                              [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
         });
}

}  // namespace

std::optional<Finding> FindLargeClosures(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const auto count = static_cast<int64_t>(summary.tasks.size());
  // Users cannot change a library's function.
  if (count < kManyTasksPerCore * input.cores || !WorkOf(input, stage).library.empty()) return std::nullopt;
  const int64_t median_ns = summary.Of(TaskMetric::kDeserializeTime).p50;
  const int64_t total_ns = summary.Total(TaskMetric::kDuration);
  const int64_t in_jvm_ns = median_ns >= kLongLoadNs ? std::min(median_ns * count, total_ns) : 0;
  const PythonWork work = WorkOfPython(input.application, summary);
  const bool by_jvm =
      in_jvm_ns >= kWorthwhileNs && Share(in_jvm_ns, total_ns) >= kMuchOfCode && MayCarryData(input.application, stage);
  const bool by_python = work.closure_ns >= kWorthwhileNs && Share(work.closure_ns, work.all_cpu_ns) >= kMuchOfCode;
  if (!by_jvm && !by_python) return std::nullopt;
  Finding finding;
  if (by_python) {
    const std::string share = FormatShare(Share(work.closure_ns, work.all_cpu_ns));
    finding.title =
        fmt::format("Stage {}: unpickling the function in each task takes {} of Python's CPU time", stage.id, share);
    finding.what = fmt::format("The Python workers of {} tasks of {} read the function and the data that it refers to",
                               count, StageText(input, stage));
    finding.evidence = fmt::format("{} of {} of CPU samples of the Python workers", FormatDuration(work.closure_ns),
                                   FormatDuration(work.all_cpu_ns));
    finding.claim = ClaimTasks(input, summary, work.closure_ns, kMost);
  } else {
    finding.title = fmt::format("Stage {}: deserializing the function in each task takes {} of task time", stage.id,
                                FormatShare(Share(in_jvm_ns, total_ns)));
    finding.what = fmt::format("Each of the {} tasks of {} deserializes its function and the data that it refers to",
                               count, StageText(input, stage));
    finding.evidence =
        fmt::format("{} for the median task, {} in total of {} task time", FormatDuration(median_ns),
                    FormatDuration(summary.Total(TaskMetric::kDeserializeTime)), FormatDuration(total_ns));
    finding.claim = ClaimTasks(input, summary, in_jvm_ns, kMost, AccountPart::kDeserialization);
  }
  finding.evidence += WarningOf(input.application.logs);
  finding.condition = fmt::format(
      "In a stage with at least {} tasks per core, deserialization takes at least {} of the median task and {} of task "
      "time, or unpickling functions takes at least {} of the CPU time of its Python workers; and at least {}",
      kManyTasksPerCore, FormatDuration(kLongLoadNs), FormatShare(kMuchOfCode), FormatShare(kMuchOfCode),
      FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kCpu);
  finding.change =
      "Do not refer to large data in the function: pass it as a broadcast variable (sc.broadcast), which each executor "
      "reads once, or join with it. Copy the fields that a function needs to local variables, so that it does not "
      "carry "
      "the object around them. Use fewer and longer tasks";
  return finding;
}

}  // namespace sparkprof

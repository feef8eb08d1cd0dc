// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/call_site.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

constexpr size_t kMostFindings = 50;  // sorted by importance; a longer list is not useful

}  // namespace

std::string_view SeverityName(Severity severity) {
  constexpr std::string_view kNames[] = {"low", "medium", "high"};
  return kNames[static_cast<size_t>(severity)];
}

std::vector<Finding> FindAll(const FindingInput& input) {
  std::vector<Finding> findings;
  for (StageRule* rule : kStageRules) {
    for (size_t row = 0; row < input.stages.size(); ++row) {
      std::optional<Finding> finding = rule(input, input.application.stages[row], input.stages[row]);
      if (finding) findings.push_back(std::move(*finding));
    }
  }
  for (ApplicationRule* rule : kApplicationRules) rule(input, &findings);
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tuple(a.severity, a.gain_ns) > std::tuple(b.severity, b.gain_ns);
  });
  if (findings.size() > kMostFindings) findings.resize(kMostFindings);
  return findings;
}

std::string StageText(const Stage& stage) {
  return stage.name.empty() ? fmt::format("stage {}.{}", stage.id, stage.attempt)
                            : fmt::format("stage {}.{} ({})", stage.id, stage.attempt, ShortCallSite(stage.name));
}

std::string StageFindingId(std::string_view rule, const Stage& stage) {
  return fmt::format("{}-{}.{}", rule, stage.id, stage.attempt);
}

Selection SelectStage(const Stage& stage, Event event) {
  Selection selection;
  selection.event = EventName(event);
  selection.stage = stage.id;
  selection.stage_attempt = stage.attempt;
  return selection;
}

Severity SeverityOf(int64_t gain_ns, int64_t duration_ns) {
  const double share = duration_ns <= 0 ? 0 : static_cast<double>(gain_ns) / static_cast<double>(duration_ns);
  if (share >= 0.1) return Severity::kHigh;
  return share >= 0.02 ? Severity::kMedium : Severity::kLow;
}

double Share(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

int64_t TaskSpan(const FindingInput& input, const StageSummary& stage, int64_t* begin_ns, int64_t* end_ns) {
  const Tasks& tasks = input.application.tasks;
  *begin_ns = 0;
  *end_ns = 0;
  for (const uint32_t task : stage.tasks) {
    if (tasks.launch_ns[task] > 0 && (*begin_ns == 0 || tasks.launch_ns[task] < *begin_ns))
      *begin_ns = tasks.launch_ns[task];
    *end_ns = std::max(*end_ns, tasks.finish_ns[task]);
  }
  return std::max<int64_t>(0, *end_ns - *begin_ns);
}

int64_t WallTimeOf(const FindingInput& input, const StageSummary& stage, int64_t task_time_ns) {
  int64_t begin_ns = 0, end_ns = 0;
  const int64_t span_ns = TaskSpan(input, stage, &begin_ns, &end_ns);
  const int64_t total_ns = stage.Total(TaskMetric::kDuration);
  return static_cast<int64_t>(static_cast<double>(span_ns) * std::min(1.0, Share(task_time_ns, total_ns)));
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>

#include "analysis/tables/row_choice.h"

namespace sparkprof {
namespace {

constexpr uint32_t kNoTaskRow = UINT32_MAX;

std::vector<uint32_t> SlowestOfStages(const Application& application) {
  const MetricColumn& duration = application.tasks.Column(TaskMetric::kDuration);
  std::vector<uint32_t> slowest(application.stages.size(), kNoTaskRow);
  for (uint32_t row = 0; row < application.tasks.Size(); ++row) {
    const int32_t stage = application.tasks.stage[row];
    if (stage < 0) continue;
    uint32_t& known = slowest[static_cast<size_t>(stage)];
    if (known == kNoTaskRow || duration[row] > duration[known]) known = row;
  }
  return slowest;
}

}  // namespace

std::vector<uint32_t> ChooseTasks(const Application& application, const std::vector<Finding>& findings,
                                  const std::vector<bool>& stage_shown, size_t most) {
  const Tasks& tasks = application.tasks;
  std::vector<uint32_t> shown;
  for (uint32_t row = 0; row < tasks.Size(); ++row) {
    if (tasks.stage[row] < 0 || stage_shown[static_cast<size_t>(tasks.stage[row])]) shown.push_back(row);
  }
  if (shown.size() <= most) return shown;
  std::vector<bool> chosen(tasks.Size());
  size_t left = most;
  const auto choose = [&](uint32_t row) {
    if (left == 0 || chosen[row]) return;
    chosen[row] = true;
    --left;
  };
  std::unordered_set<int64_t> named;
  for (const Finding& finding : findings) named.insert(finding.selection.tasks.begin(), finding.selection.tasks.end());
  for (const uint32_t row : shown) {
    if (named.contains(tasks.id[row])) choose(row);
  }
  for (const uint32_t row : SlowestOfStages(application)) {
    if (row != kNoTaskRow && stage_shown[static_cast<size_t>(tasks.stage[row])]) choose(row);
  }
  size_t failures_left = most / 4;
  for (const uint32_t row : shown) {
    if (failures_left == 0) break;
    if (tasks.outcome[row] == TaskOutcome::kSucceeded || chosen[row]) continue;
    choose(row);
    --failures_left;
  }
  // Every stage's tasks follow each other more or less: every n-th task of all is every n-th of each.
  const size_t step = (shown.size() + std::max<size_t>(left, 1) - 1) / std::max<size_t>(left, 1);
  for (size_t i = 0; i < shown.size(); i += step) choose(shown[i]);
  std::erase_if(shown, [&](uint32_t row) { return !chosen[row]; });
  return shown;
}

}  // namespace sparkprof

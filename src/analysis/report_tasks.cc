// SPDX-License-Identifier: Apache-2.0
#include "analysis/report_tasks.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace sparkprof {
namespace {

constexpr uint32_t kNoTaskRow = UINT32_MAX;

// The slowest task of each stage.
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

std::vector<uint32_t> ChooseTasks(const Application& application, const std::vector<Finding>& findings, size_t most) {
  const Tasks& tasks = application.tasks;
  std::vector<uint32_t> rows;
  if (tasks.Size() <= most) {
    rows.resize(tasks.Size());
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }
  std::vector<bool> chosen(tasks.Size());
  size_t left = most;
  const auto choose = [&](uint32_t row) {
    if (left == 0 || chosen[row]) return;
    chosen[row] = true;
    --left;
  };
  std::unordered_set<int64_t> named;
  for (const Finding& finding : findings) named.insert(finding.selection.tasks.begin(), finding.selection.tasks.end());
  for (uint32_t row = 0; row < tasks.Size(); ++row) {
    if (named.contains(tasks.id[row])) choose(row);
  }
  for (const uint32_t row : SlowestOfStages(application)) {
    if (row != kNoTaskRow) choose(row);
  }
  size_t failures_left = most / 4;
  for (uint32_t row = 0; row < tasks.Size() && failures_left > 0; ++row) {
    if (tasks.outcome[row] == TaskOutcome::kSucceeded || chosen[row]) continue;
    choose(row);
    --failures_left;
  }
  // Every stage's tasks follow each other more or less: every n-th task of all is every n-th of each.
  const size_t step = (tasks.Size() + std::max<size_t>(left, 1) - 1) / std::max<size_t>(left, 1);
  for (size_t row = 0; row < tasks.Size(); row += step) choose(static_cast<uint32_t>(row));
  for (uint32_t row = 0; row < tasks.Size(); ++row) {
    if (chosen[row]) rows.push_back(row);
  }
  return rows;
}

}  // namespace sparkprof

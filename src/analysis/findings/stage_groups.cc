// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/finding_steps.h"
#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

constexpr size_t kManyStages = 5;
constexpr int64_t kSmallPart = 50;  // a grouped stage takes at most 1/50 of the duration

void AddRows(const std::vector<uint32_t>& from, std::vector<uint32_t>* to) {
  to->insert(to->end(), from.begin(), from.end());
}

void Add(const StageSummary& stage, StageSummary* sum) {
  AddRows(stage.tasks, &sum->tasks);
  AddRows(stage.samples, &sum->samples);
  AddRows(stage.lock_samples, &sum->lock_samples);
  AddRows(stage.python_samples, &sum->python_samples);
  for (size_t metric = 0; metric < kTaskMetricCount; ++metric) AddSaturated(stage.totals[metric], &sum->totals[metric]);
  constexpr int64_t StageSummary::*kSums[] = {
      &StageSummary::failed_tasks,    &StageSummary::wall_ns,           &StageSummary::cpu_samples_ns,
      &StageSummary::wall_samples_ns, &StageSummary::python_wait_ns,    &StageSummary::python_start_ns,
      &StageSummary::engine_wait_ns,  &StageSummary::runnable_ns,       &StageSummary::sleep_ns,
      &StageSummary::lock_ns,         &StageSummary::python_runnable_ns};
  for (int64_t StageSummary::*const member : kSums) AddSaturated(stage.*member, &(sum->*member));
}

}  // namespace

std::vector<StageGroup> GroupsOfStages(const FindingInput& input) {
  const std::vector<Stage>& stages = input.application.stages;
  std::map<std::pair<std::string, int64_t>, std::vector<uint32_t>> rows_of;
  for (uint32_t row = 0; row < stages.size(); ++row) {
    const WorkName& name = input.names.stages[row];
    const bool is_of_library = !name.library.empty();
    const bool is_small = kSmallPart * input.stages[row].wall_ns <= input.duration_ns;
    const std::string& site = is_of_library ? name.line : stages[row].name;
    if ((is_small || is_of_library) && !input.stages[row].tasks.empty() && !site.empty())
      rows_of[{site, stages[row].task_count}].push_back(row);
  }
  std::vector<StageGroup> groups;
  for (auto& [site, rows] : rows_of) {
    if (rows.size() < kManyStages) continue;
    StageGroup& group = groups.emplace_back();
    for (const uint32_t row : rows) Add(input.stages[row], &group.summary);
    group.summary.SetQuantiles(input.application.tasks);
    const auto shorter = [&](uint32_t a, uint32_t b) { return input.stages[a].wall_ns < input.stages[b].wall_ns; };
    group.longest = &stages[*std::ranges::max_element(rows, shorter)];
    group.summary.group = std::move(rows);
  }
  return groups;
}

bool IsOfGroups(std::string_view rule) {
  constexpr std::string_view kOfOneStage[] = {"skew",        "straggler",   "few-partitions", "large-partitions",
                                              "speculation", "failed-work", "large-closure"};
  return !Contains(kOfOneStage, rule);
}

}  // namespace sparkprof

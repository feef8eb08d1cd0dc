// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/row_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <unordered_set>
#include <utility>

namespace sparkprof {
namespace {

struct Candidates {
  size_t size;
  std::function<bool(uint32_t)> is_named;
  std::function<bool(uint32_t)> has_failed;
  std::function<int64_t(uint32_t)> duration_ns;
};

std::vector<uint32_t> Choose(const Candidates& candidates, size_t most) {
  std::vector<uint32_t> rows(candidates.size);
  std::iota(rows.begin(), rows.end(), 0);
  if (rows.size() <= most) return rows;
  std::vector<bool> chosen(rows.size());
  size_t left = most;
  const auto choose = [&](uint32_t row, size_t* room) {
    if (*room == 0 || left == 0 || chosen[row]) return;
    chosen[row] = true;
    --*room;
    if (room != &left) --left;
  };
  for (const uint32_t row : rows) {
    if (candidates.is_named(row)) choose(row, &left);
  }
  size_t room = most / 4;
  for (const uint32_t row : rows) {
    if (candidates.has_failed(row)) choose(row, &room);
  }
  std::vector<uint32_t> longest = rows;
  room = most / 2;
  std::partial_sort(longest.begin(), longest.begin() + static_cast<std::ptrdiff_t>(room), longest.end(),
                    [&](uint32_t a, uint32_t b) {
                      return std::pair(candidates.duration_ns(b), a) < std::pair(candidates.duration_ns(a), b);
                    });
  longest.resize(room);
  for (const uint32_t row : longest) choose(row, &room);
  const size_t step = (rows.size() + std::max<size_t>(left, 1) - 1) / std::max<size_t>(left, 1);
  for (size_t row = 0; row < rows.size(); row += step) choose(static_cast<uint32_t>(row), &left);
  std::erase_if(rows, [&](uint32_t row) { return !chosen[row]; });
  return rows;
}

int64_t Duration(int64_t begin_ns, int64_t end_ns) {
  return begin_ns > 0 ? std::max<int64_t>(0, end_ns - begin_ns) : 0;
}

void NoteLeftOut(size_t shown, size_t all, std::string_view what, std::string* text) {
  if (shown < all) *text += fmt::format("{}{} of {} {}", text->empty() ? "" : ", ", shown, all, what);
}

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

ChosenRows ChooseRows(const Application& application, const std::vector<Finding>& findings, const RowLimits& limits) {
  const auto none = [](uint32_t) { return false; };
  std::set<std::pair<int64_t, int64_t>> named;
  for (const Finding& finding : findings) {
    if (finding.selection.stage) named.emplace(*finding.selection.stage, finding.selection.stage_attempt.value_or(0));
  }
  ChosenRows rows;
  const std::vector<Stage>& stages = application.stages;
  rows.stages = Choose({stages.size(),
                        [&](uint32_t row) {
                          return named.contains({stages[row].id, stages[row].attempt});
                        },
                        [&](uint32_t row) { return stages[row].status == RunStatus::kFailed; },
                        [&](uint32_t row) { return Duration(stages[row].submit_ns, stages[row].end_ns); }},
                       limits.stages);
  const std::vector<Job>& jobs = application.jobs;
  rows.jobs = Choose({jobs.size(), none, [&](uint32_t row) { return jobs[row].status == RunStatus::kFailed; },
                      [&](uint32_t row) { return Duration(jobs[row].submit_ns, jobs[row].end_ns); }},
                     limits.jobs);
  const std::vector<SqlExecution>& queries = application.sql_executions;
  rows.sql_executions =
      Choose({queries.size(), none, [&](uint32_t row) { return queries[row].status == RunStatus::kFailed; },
              [&](uint32_t row) { return Duration(queries[row].start_ns, queries[row].end_ns); }},
             limits.sql_executions);
  rows.executors = std::min(application.executors.size(), limits.executors);
  std::vector<bool> stage_shown(stages.size());
  for (const uint32_t row : rows.stages) stage_shown[row] = true;
  rows.tasks = ChooseTasks(application, findings, stage_shown, limits.tasks);

  NoteLeftOut(rows.tasks.size(), application.tasks.Size(), "tasks", &rows.left_out);
  NoteLeftOut(rows.stages.size(), stages.size(), "stages", &rows.left_out);
  NoteLeftOut(rows.jobs.size(), jobs.size(), "jobs", &rows.left_out);
  NoteLeftOut(rows.sql_executions.size(), queries.size(), "SQL executions", &rows.left_out);
  NoteLeftOut(rows.executors, application.executors.size(), "executors", &rows.left_out);
  if (!rows.left_out.empty()) {
    rows.left_out +=
        " are shown: those named in findings, failed ones, the slowest, and an even selection of the rest. Sums, "
        "quantiles and findings cover all of them.";
  }
  return rows;
}

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

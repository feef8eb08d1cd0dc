// SPDX-License-Identifier: Apache-2.0
#include "server/querier/sample_labels.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/selection/selection.h"
#include "analysis/selection/threads.h"

namespace sparkprof {
namespace {

enum LabelPosition : uint8_t { kJobLabel, kStageLabel, kSqlLabel, kExecutorLabel, kHostLabel, kThreadGroupLabel };

// Collects the distinct values of a label.
class ValueRows {
 public:
  explicit ValueRows(std::vector<std::string>* values) : values_(values) { (void)Add(""); }

  uint32_t Add(const std::string& value) {
    const auto [row, is_new] = rows_.try_emplace(value, static_cast<uint32_t>(values_->size()));
    if (is_new) values_->push_back(value);
    return row->second;
  }
  uint32_t AddId(int64_t id) { return id < 0 ? 0 : Add(std::to_string(id)); }

 private:
  std::vector<std::string>* values_;
  std::unordered_map<std::string, uint32_t> rows_;
};

}  // namespace

std::optional<size_t> FindSampleLabel(std::string_view name) {
  const auto* const found = std::find(std::begin(kSampleLabels), std::end(kSampleLabels), name);
  if (found == std::end(kSampleLabels)) return std::nullopt;
  return static_cast<size_t>(found - std::begin(kSampleLabels));
}

SampleLabels::SampleLabels(const Application& application) {
  std::unordered_map<int64_t, int64_t> query_of_job;
  for (const Job& job : application.jobs) query_of_job[job.id] = job.sql_execution;
  ValueRows jobs(&columns_[kJobLabel].values), stages(&columns_[kStageLabel].values),
      queries(&columns_[kSqlLabel].values);
  const Stage none;
  for (const int32_t task : application.TaskRows()) {
    const int32_t row = task < 0 ? -1 : application.tasks.stage[static_cast<size_t>(task)];
    const Stage& stage = row < 0 ? none : application.stages[static_cast<size_t>(row)];
    columns_[kStageLabel].rows.push_back(stages.AddId(stage.id));
    columns_[kJobLabel].rows.push_back(jobs.AddId(stage.job));
    const auto of_job = query_of_job.find(stage.job);
    const bool is_by_job = stage.sql_execution < 0 && of_job != query_of_job.end();
    columns_[kSqlLabel].rows.push_back(queries.AddId(is_by_job ? of_job->second : stage.sql_execution));
  }
  for (const LabelPosition label : {kExecutorLabel, kHostLabel, kThreadGroupLabel}) columns_[label].is_by_task = false;
  ValueRows executors(&columns_[kExecutorLabel].values), hosts(&columns_[kHostLabel].values),
      groups(&columns_[kThreadGroupLabel].values);
  for (const ProfileThread& thread : application.profile.threads) {
    const bool is_known = thread.executor >= 0;
    const Executor* const executor = is_known ? &application.executors[static_cast<size_t>(thread.executor)] : nullptr;
    columns_[kExecutorLabel].rows.push_back(is_known ? executors.Add(executor->id) : 0);
    columns_[kHostLabel].rows.push_back(is_known ? hosts.Add(executor->host) : 0);
  }
  for (const ThreadKind kind : KindsOfThreads(application)) {
    columns_[kThreadGroupLabel].rows.push_back(groups.Add(std::string(ThreadKindName(kind))));
  }
}

SampleFilter::SampleFilter(const LabelMatchers& matchers, const SampleLabels& labels) : labels_(labels) {
  for (const LabelMatcher& matcher : matchers) {
    const std::optional<size_t> label = FindSampleLabel(matcher.name);
    if (!label) continue;
    Condition& condition = conditions_.emplace_back(Condition{*label, {}});
    for (const std::string& value : labels.Values(*label)) condition.is_match.push_back(matcher.Matches(value));
  }
}

bool SampleFilter::Matches(const Sample& sample) const {
  return std::all_of(conditions_.begin(), conditions_.end(), [&](const Condition& condition) {
    return condition.is_match[labels_.Row(condition.label, sample)];
  });
}

std::vector<uint32_t> FindSamples(const Application& application, const SampleRange& range,
                                  const SampleFilter& filter) {
  Selection selection;
  selection.without_idle = true;
  // Selects nothing else, so neither an expression nor missing data can fail.
  std::vector<uint32_t> rows = SelectSamples(application, selection).value_or(std::vector<uint32_t>());
  std::erase_if(rows, [&](uint32_t row) {
    const Sample& sample = application.profile.samples[row];
    if (range.event && sample.event != *range.event) return true;
    const int64_t time_ns = TimeInRange(application, sample);
    return time_ns < range.from_ns || time_ns > range.to_ns || !filter.Matches(sample);
  });
  return rows;
}

int64_t TimeInRange(const Application& application, const Sample& sample) {
  return sample.time_ns == kNoTime ? application.start_ns : sample.time_ns;
}

}  // namespace sparkprof

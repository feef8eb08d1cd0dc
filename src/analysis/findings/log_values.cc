// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/log_values.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/saturate.h"
#include "base/text/contains.h"

namespace sparkprof {

namespace {

constexpr double kFewTimes = 0.2;  // relative to the stage with the most
constexpr std::string_view kInOrder[] = {"Starting task ", "Finished task ",  "Running task ",
                                         "Got assigned ",  "Added broadcast", "Removed broadcast",
                                         "Added rdd_",     "Block broadcast", "Getting "};

}  // namespace

int64_t ForEachRecord(const LogRecords& logs, std::string_view begin,
                      const std::function<void(std::string_view text, int64_t time_ns)>& visit) {
  std::vector<bool> wanted(logs.templates.size());
  bool any = false;
  int64_t first_ns = 0, last_ns = 0;
  for (size_t row = 0; row < wanted.size(); ++row) {
    wanted[row] = logs.templates[row].text.starts_with(begin);
    any |= wanted[row];
  }
  for (size_t row = 0; any && row < logs.Size(); ++row) {
    if (!wanted[logs.template_row[row]]) continue;
    const int64_t time_ns = logs.time_ns[row];
    visit(logs.Text(row), time_ns);
    if (time_ns > 0 && (first_ns == 0 || time_ns < first_ns)) first_ns = time_ns;
    last_ns = std::max(last_ns, time_ns);
  }
  return last_ns - first_ns;
}

std::vector<bool> TemplatesOfTrouble(const LogRecords& logs) {
  std::vector<bool> of_trouble;
  for (const LogTemplate& one : logs.templates) {
    of_trouble.push_back(
        std::ranges::none_of(kInOrder, [&](std::string_view begin) { return one.text.starts_with(begin); }));
  }
  return of_trouble;
}

std::vector<int64_t> StagesAt(const Application& application, std::vector<int64_t> times_ns) {
  std::ranges::sort(times_ns);
  std::vector<std::pair<int64_t, int64_t>> counts_and_stages;
  for (const Stage& stage : application.stages) {
    if (stage.submit_ns <= 0) continue;
    const auto first = std::lower_bound(times_ns.begin(), times_ns.end(), stage.submit_ns);
    const auto last = stage.end_ns > 0 ? std::upper_bound(first, times_ns.end(), stage.end_ns) : times_ns.end();
    if (first != last) counts_and_stages.emplace_back(last - first, stage.id);
  }
  std::ranges::stable_sort(counts_and_stages, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<int64_t> stages;
  for (const auto& [count, stage] : counts_and_stages) {
    if (static_cast<double>(count) < kFewTimes * static_cast<double>(counts_and_stages.front().first)) break;
    if (!Contains(stages, stage)) stages.push_back(stage);
  }
  return stages;
}

std::vector<int64_t> StagesThatLog(const Application& application, std::string_view begin) {
  std::vector<int64_t> times_ns;
  ForEachRecord(application.logs, begin, [&](std::string_view, int64_t time_ns) { times_ns.push_back(time_ns); });
  return StagesAt(application, std::move(times_ns));
}

bool HasOnlyLogs(const Application& application) {
  const auto is_zero = [](const MetricColumn& column) {
    return std::ranges::all_of(column, [](int64_t value) { return value == 0; });
  };
  return application.logs.Size() > 0 && application.profile.samples.empty() && application.python_samples.empty() &&
         is_zero(application.tasks.Column(TaskMetric::kExecutorRunTime));
}

int64_t TaskTime(const Application& application) {
  int64_t time_ns = 0;
  for (const int64_t duration_ns : application.tasks.Column(TaskMetric::kDuration)) AddSaturated(duration_ns, &time_ns);
  return time_ns;
}

}  // namespace sparkprof

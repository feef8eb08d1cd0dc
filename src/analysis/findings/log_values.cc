// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/log_values.h"

#include <algorithm>
#include <vector>

#include "base/saturate.h"

namespace sparkprof {

int64_t ForEachRecord(const LogRecords& logs, std::string_view begin,
                      const std::function<void(std::string_view text)>& visit) {
  std::vector<bool> wanted(logs.templates.size());
  bool any = false;
  int64_t first_ns = 0, last_ns = 0;
  for (size_t row = 0; row < wanted.size(); ++row) {
    wanted[row] = logs.templates[row].text.starts_with(begin);
    any |= wanted[row];
  }
  for (size_t row = 0; any && row < logs.Size(); ++row) {
    if (!wanted[logs.template_row[row]]) continue;
    visit(logs.Text(row));
    const int64_t time_ns = logs.time_ns[row];
    if (time_ns > 0 && (first_ns == 0 || time_ns < first_ns)) first_ns = time_ns;
    last_ns = std::max(last_ns, time_ns);
  }
  return last_ns - first_ns;
}

bool HasOnlyLogs(const Application& application) {
  const auto is_zero = [](const MetricColumn& column) {
    return std::all_of(column.begin(), column.end(), [](int64_t value) { return value == 0; });
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

// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/scheduling/query_runs.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "analysis/findings/plans/reader_jobs.h"
#include "analysis/findings/rules.h"

namespace sparkprof {

std::vector<QueryRun> QueryRuns(const FindingInput& input) {
  const Application& application = input.application;
  std::unordered_map<int64_t, const SqlExecution*> executions;
  for (const SqlExecution& sql : application.sql_executions) executions[sql.id] = &sql;
  std::map<std::pair<bool, int64_t>, QueryRun> runs;  // by query, or by job without a query
  std::unordered_map<int64_t, QueryRun*> of_job;
  for (const Job& job : application.jobs) {
    if (job.submit_ns <= 0 || job.end_ns <= 0 || IsReaderJob(application, job)) continue;
    const auto sql = executions.find(job.sql_execution);
    const bool is_query = sql != executions.end();
    // Text logs do not mark batches of streams: their call site is DataStreamWriter.start().
    if (!is_query && job.name.starts_with("start at ")) continue;
    QueryRun& run = runs[{is_query, is_query ? sql->first : job.id}];
    if (run.end_ns == 0) {
      run.sql = is_query ? sql->second : nullptr;
      run.call_site = is_query ? sql->second->description : job.name;
      run.first_job_ns = job.submit_ns;
    }
    run.first_job_ns = std::min(run.first_job_ns, job.submit_ns);
    run.end_ns = std::max(run.end_ns, job.end_ns);
    run.stages.insert(run.stages.end(), job.stages.begin(), job.stages.end());
    of_job[job.id] = &run;
  }
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const auto run = of_job.find(application.stages[row].job);
    if (run == of_job.end()) continue;
    run->second->is_of_library |= !WorkOf(input, application.stages[row]).library.empty();
    const std::vector<uint32_t>& tasks = input.stages[row].tasks;
    run->second->tasks.insert(run->second->tasks.end(), tasks.begin(), tasks.end());
  }
  std::vector<QueryRun> in_order;
  for (auto& [id, run] : runs) {
    const bool is_planned = run.sql != nullptr && run.sql->start_ns > 0;
    run.begin_ns = is_planned ? std::min(run.sql->start_ns, run.first_job_ns) : run.first_job_ns;
    in_order.push_back(std::move(run));
  }
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const QueryRun& a, const QueryRun& b) { return a.begin_ns < b.begin_ns; });
  return in_order;
}

}  // namespace sparkprof

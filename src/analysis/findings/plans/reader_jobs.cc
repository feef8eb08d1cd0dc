// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/plans/reader_jobs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "analysis/findings/plans/plan_operator.h"
#include "analysis/plans/call_site.h"
#include "model/plan_operators.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxLinesOfReaders = 3;

bool IsListing(const Job& job) { return job.description.starts_with("Listing leaf files and directories"); }

// True if a query reads only the first lines of text files, such as the header of a CSV file.
bool ReadsHeader(const SqlExecution& sql) {
  const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
  const bool writes =
      std::any_of(operators.begin(), operators.end(), [](const PlanOperator& one) { return IsWrite(one.kind); });
  return !writes && std::any_of(operators.begin(), operators.end(),
                                [](const PlanOperator& one) { return one.plan->name.starts_with("Scan text"); });
}

// True if a query only defines a table or view over files: "create table … using json".
bool DefinesTable(const SqlExecution& sql) {
  constexpr std::string_view kCommands[] = {"CreateTempViewUsing", "CreateDataSourceTableCommand",
                                            "CreateTableCommand"};
  const std::string_view command = sql.plan.name;
  return std::any_of(std::begin(kCommands), std::end(kCommands),
                     [&](std::string_view one) { return command.ends_with(one); });
}

// True if text logs, which have no queries, are the only evidence that the application writes files.
bool WritesInLogs(const Application& application) {
  const std::vector<LogTemplate>& templates = application.logs.templates;
  return application.sql_executions.empty() &&
         std::any_of(templates.begin(), templates.end(), [](const LogTemplate& one) {
           return one.text.starts_with("File Output Committer Algorithm") ||
                  one.text.starts_with("Using output committer");
         });
}

// Readers start such jobs directly; writers have a query.
bool IsSchemaJob(const Application& application, const Job& job) {
  if (IsListing(job)) return false;
  const SqlExecution* const query = ExecutionOf(application, job.sql_execution);
  if (query != nullptr && DefinesTable(*query)) return true;
  const std::string_view method = std::string_view(job.name).substr(0, job.name.find(" at "));
  constexpr std::string_view kReaders[] = {"json", "csv", "xml", "load", "parquet", "orc", "avro", "table"};
  // "select * from json.`data`" infers the schema before its query starts.
  if (method == "sql" && job.sql_execution < 0 && !application.sql_executions.empty()) return true;
  if (std::find(std::begin(kReaders), std::end(kReaders), method) == std::end(kReaders)) return false;
  // Text logs do not distinguish jobs of readers from those of writers.
  if (job.sql_execution < 0 && method != "load" && WritesInLogs(application)) return false;
  return job.sql_execution < 0 || (query != nullptr && ReadsHeader(*query));
}

template <typename IsOne>
ReaderJobs ReaderJobsWhere(const FindingInput& input, IsOne is_one) {
  const Application& application = input.application;
  std::unordered_map<int64_t, const Job*> jobs;
  std::set<int64_t> counted;
  std::map<std::string_view, int64_t> listings;
  ReaderJobs found;
  for (const Job& job : application.jobs) {
    if (!is_one(application, job)) continue;
    jobs[job.id] = &job;
    if (IsListing(job)) found.repeats = std::max(found.repeats, ++listings[job.description]);
    std::string line = ShortCallSite(job.name);
    const bool is_known = std::find(found.lines.begin(), found.lines.end(), line) != found.lines.end();
    if (found.lines.size() < kMaxLinesOfReaders && !is_known) found.lines.push_back(std::move(line));
  }
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const Stage& stage = application.stages[row];
    const StageSummary& summary = input.stages[row];
    if (!jobs.contains(stage.job) || summary.tasks.empty()) continue;
    // The first job waits for executors and loads classes, which the next one would do otherwise.
    const bool is_first = stage.job == application.jobs.front().id;
    if (is_first && summary.Total(TaskMetric::kInputBytes) == 0) continue;
    counted.insert(stage.job);
    found.time_ns += summary.wall_ns;
    found.input_bytes += summary.Total(TaskMetric::kInputBytes);
    found.tasks += static_cast<int64_t>(summary.tasks.size());
    found.stages.push_back(stage.id);
  }
  found.count = static_cast<int64_t>(counted.size());
  return found;
}

}  // namespace

bool IsReaderJob(const Application& application, const Job& job) {
  return IsListing(job) || IsSchemaJob(application, job);
}

bool IsOfReaderJob(const Application& application, const Stage& stage) {
  return std::any_of(application.jobs.begin(), application.jobs.end(),
                     [&](const Job& job) { return job.id == stage.job && IsReaderJob(application, job); });
}

ReaderJobs SchemaJobsOf(const FindingInput& input) { return ReaderJobsWhere(input, IsSchemaJob); }

ReaderJobs ListingJobsOf(const FindingInput& input) {
  return ReaderJobsWhere(input, [](const Application&, const Job& job) { return IsListing(job); });
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/findings/failures/failure_cause.h"
#include "analysis/findings/finding_steps.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/plans/call_site.h"
#include "analysis/plans/datasets.h"
#include "analysis/python/driver_lines.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxLines = 3;

// The first attempt of a stage; null if unknown.
const Stage* StageOf(const Application& application, int64_t id) {
  const auto found = std::find_if(application.stages.begin(), application.stages.end(),
                                  [id](const Stage& stage) { return stage.id == id; });
  return found == application.stages.end() ? nullptr : &*found;
}

// The innermost line of the program in a stack that Spark recorded with a stage or query: "run (Job.scala:12)"; empty
// if there is none.
std::string LineInStack(std::string_view details) { return CauseOfFailure(details).line; }

// The line of the program that runs a stage: "collect at job.py:60"; empty if there is none. Adaptive execution runs
// stages on its own threads, so their stacks lack the program's line, but the query's stack has it.
std::string LineOfStage(const Application& application, const WorkNames& names, const Stage& stage) {
  std::vector<std::string_view> sites = {stage.name};
  for (const Job& job : application.jobs) {
    if (job.id != stage.job) continue;
    if (std::string step = StepOf(job); !step.empty()) return step;
    sites.insert(sites.end(), {job.call_site, job.name});
  }
  const SqlExecution* const sql = ExecutionOfStage(application, stage);
  if (sql != nullptr) sites.push_back(sql->description);
  // Spark does not distinguish the code of a library from the program's.
  const auto row = static_cast<size_t>(&stage - application.stages.data());
  if (!names.stages[row].library.empty()) sites.clear();
  const auto site = std::find_if(sites.begin(), sites.end(), IsOfProgram);
  if (site != sites.end()) return ShortCallSite(*site);
  const std::string of_query = sql != nullptr ? LineInStack(sql->details) : std::string();
  return of_query.empty() ? LineInStack(stage.details) : of_query;
}

// True if the line belongs to the script that starts a tool: "<module> (dbt:6)". Such files have no extension.
bool IsOfConsoleScript(std::string_view line) {
  const size_t file = line.rfind('(');
  return line.starts_with("<module> (") && line.find('.', file) == std::string_view::npos;
}

// "writes shop.sales" for a query that Spark got as text, otherwise "reads shop.orders" for what the stage scans; empty
// if there is neither.
std::string DatasetOfStage(const Application& application, const Stage& stage) {
  const SqlExecution* const sql = ExecutionOfStage(application, stage);
  if (sql == nullptr) return {};
  for (const PlanOperator& one : OperatorsOf(sql->plan)) {
    if (const std::optional<Dataset> written = DatasetWritten(one)) return "writes " + TextOf(*written);
  }
  for (const PlanOperator& one : OperatorsOfStage(application, stage)) {
    if (const std::optional<Dataset> read = DatasetRead(one)) return "reads " + TextOf(*read);
  }
  return {};
}

}  // namespace

void NameLines(const Application& application, const WorkNames& names, Finding* finding) {
  // Rules use the call site of a query unchanged.
  std::erase_if(finding->frames,
                [](const std::string& line) { return line.find(" at ") != std::string::npos && !IsOfProgram(line); });
  if (!finding->frames.empty()) return;
  for (const int64_t id : finding->stages) {
    if (finding->frames.size() == kMaxLines) return;
    const Stage* const stage = StageOf(application, id);
    std::string line = stage == nullptr ? std::string() : LineOfStage(application, names, *stage);
    const bool is_known = std::find(finding->frames.begin(), finding->frames.end(), line) != finding->frames.end();
    if (!line.empty() && !is_known) finding->frames.push_back(std::move(line));
  }
  if (!finding->frames.empty() || finding->stages.empty()) return;
  // Spark's call site for a Python program's write is a line of Py4J. Samples show the waiting line of the program.
  const Stage* const stage = StageOf(application, finding->stages.front());
  if (stage == nullptr) return;
  const int64_t end_ns = stage->end_ns > 0 ? stage->end_ns : application.end_ns;
  std::string line =
      LineThatCallsSpark(application, [&](int64_t time_ns) { return time_ns >= stage->submit_ns && time_ns < end_ns; });
  if (line.empty() || IsOfConsoleScript(line)) {
    if (std::string dataset = DatasetOfStage(application, *stage); !dataset.empty()) line = std::move(dataset);
  }
  if (!line.empty()) finding->frames.push_back(std::move(line));
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/operator_costs.h"
#include "analysis/stitch.h"
#include "base/text.h"
#include "event_applications.h"
#include "input_options.h"
#include "loader/application_loader.h"
#include "print_problems.h"
#include "progress.h"
#include "recording_options.h"
#include "table_options.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct OperatorsOptions {
  std::vector<std::string> paths;
  InputOptions inputs;
  TableOptions table;
};

// Lines below the table: where the rest of the CPU time is. Empty if no task counted any.
std::string CpuNote(const std::vector<Application>& applications, const std::vector<OperatorCosts>& costs) {
  int64_t cpu_ns = 0, unassigned_ns = 0, counted_ns = 0;
  for (size_t i = 0; i < costs.size(); ++i) {
    cpu_ns += costs[i].cpu_ns;
    unassigned_ns += costs[i].unassigned_cpu_ns;
    if (costs[i].cpu_ns > 0 || costs[i].operators.empty()) continue;
    const MetricColumn& counted = applications[i].tasks.Column(TaskMetric::kExecutorCpuTime);
    for (size_t row = 0; row < counted.size(); ++row) counted_ns += counted[row];
  }
  std::string note;
  if (cpu_ns > 0) {
    note = fmt::format(
        "{} of the {} of CPU time of SQL tasks ({}) is outside the operators' code: starting tasks, compiling "
        "generated "
        "code, sending results.\n",
        FormatDuration(unassigned_ns), FormatDuration(cpu_ns),
        FormatShare(static_cast<double>(unassigned_ns) / static_cast<double>(cpu_ns)));
  }
  if (counted_ns > 0) {
    note += fmt::format(
        "The tasks used {} of CPU time. Event logs do not divide it among operators: cpuMs requires a recording with "
        "CPU samples.\n",
        FormatDuration(counted_ns));
  }
  return note;
}

// The text shows times that are known for at least one operator, and always the CPU time.
std::vector<std::string_view> ShownColumns(const std::vector<OperatorCosts>& costs) {
  const auto knows = [&costs](std::optional<int64_t> OperatorCost::*time) {
    return std::any_of(costs.begin(), costs.end(), [time](const OperatorCosts& of) {
      return std::any_of(of.costs.begin(), of.costs.end(), [time](const OperatorCost& cost) { return cost.*time; });
    });
  };
  std::vector<std::string_view> shown = {"sql", "node", "name", "stages", "cpuMs", "waitMs"};
  if (knows(&OperatorCost::elapsed_ns)) shown.push_back("elapsedMs");
  if (knows(&OperatorCost::gpu_ns)) shown.push_back("gpuMs");
  if (knows(&OperatorCost::native_ns)) shown.push_back("nativeMs");
  shown.insert(shown.end(), {"rowsIn", "rowsOut", "spillBytes", "text"});
  return shown;
}

// The applications of all inputs, also of those that have no plans; none after a message that no input can be used.
Result<std::vector<Application>> LoadAll(const OperatorsOptions& options) {
  const Progress progress("reading");
  const Result<std::optional<LogZone>> zone = options.inputs.Zone();
  if (!zone) return tl::unexpected(zone.error());
  Result<ApplicationLoader> loader = ApplicationLoader::Find(options.paths, {.limits = options.inputs.Limits(),
                                                                             .event_logs = options.inputs.EventLog(),
                                                                             .zone = *zone,
                                                                             .log_records = false});
  if (!loader) return tl::unexpected(loader.error());
  std::vector<Application> applications;
  std::vector<InputOutcome> outcomes;
  for (size_t row = 0; row < loader->applications().size(); ++row) {
    for (Application& application : loader->Read(row, &outcomes)) applications.push_back(std::move(application));
  }
  const InputProblems problems = ProblemsOf(loader->inputs(), loader->recording_status(), outcomes);
  if (applications.empty()) {
    ComplainNothingUsable(options.paths, problems);
  } else {
    PrintProblems(problems);
  }
  return applications;
}

int RunOperators(const OperatorsOptions& options) {
  const Result<TableQuery> query = TableQuery::Parse(options.table);
  if (!query) return Complain(query.error().message);
  Result<std::vector<Application>> applications = LoadAll(options);
  if (!applications) return Complain(applications.error().message);
  if (applications->empty()) return kExitNo;
  std::vector<OperatorCosts> costs;
  for (Application& application : *applications) {
    ChooseLanguage(&application, Language::kMerged, false);
    costs.push_back(CostOfOperators(application));
  }
  std::vector<Table> tables;
  for (size_t i = 0; i < costs.size(); ++i) {
    tables.push_back(OperatorTable((*applications)[i], costs[i]));
    if (costs.size() > 1) AddApplicationColumns((*applications)[i], &tables.back());
  }
  const bool is_text = !options.table.json && !options.table.csv;
  if (is_text && std::all_of(tables.begin(), tables.end(), [](const Table& table) { return table.rows == 0; })) {
    return Complain("no SQL execution with a plan in the inputs", kExitNo);
  }
  const Result<void> printed = query->Print(std::move(tables), ShownColumns(costs));
  if (!printed) return Complain(printed.error().message);
  if (!is_text) return kExitSuccess;
  const Result<void> written = WriteOutput("-", CpuNote(*applications, costs));
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace

std::function<int()> DefineOperators(CLI::App& command) {
  const auto options = std::make_shared<OperatorsOptions>();
  command.add_option("PATH", options->paths, "Recordings, event logs, folders and archives of them")->required();
  options->inputs.AddZoneTo(command);
  options->inputs.AddThreadsTo(command);
  options->inputs.AddLimitsTo(command);
  options->table.AddTo(command);
  command.footer(
      "Prints the own CPU time (JVM and Python), waiting time, rows in and out, and spill of each operator of each "
      "SQL\n"
      "plan, without the operators above and below it and the code generation around it. Nodes have the numbers of\n"
      "Spark's REST API. CPU time requires samples. Elapsed times that Spark, RAPIDS (gpuMs) and native engines\n"
      "(nativeMs) measure have columns of their own. Unknown values are null.\n"
      "Exits with code 1 if there is no plan; --json then prints an empty list.\n"
      "Examples:\n"
      "  sparkprof operators sparkprof-output/recording.sprof --sort cpuMs:desc --limit 10\n"
      "  sparkprof operators eventlogs/ --where 'name = Sort' --json\n"
      "  sparkprof flame recording.sprof --sql 3 --node 7");
  return [options] { return RunOperators(*options); };
}

}  // namespace sparkprof

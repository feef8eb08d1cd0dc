// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/answers.h"
#include "analysis/costs/costs.h"
#include "analysis/python/stitch.h"
#include "analysis/selection/time_range.h"
#include "analysis/tables/application_tables.h"
#include "inputs/application_input.h"
#include "inputs/shared_options.h"
#include "option_flags.h"
#include "output/table_output.h"
#include "pictures/selection_options.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct ShowOptions {
  std::string table;
  ApplicationInput input;
  SelectionOptions selection;
  std::string prices;
  TableOutput output;
};

struct ShownData {
  std::vector<Application> applications;
  std::optional<ProfilerRecords> records;
  std::optional<PriceList> prices = {};

  TableData Select(const ShowOptions& options, const Selection& selection) const {
    TableData data{.sources = {}, .records = records ? &*records : nullptr};
    data.verdict = [](const Application& application) { return Answer(application).verdict; };
    if (prices) {
      data.extend = [this](const Application& application, Table* table) {
        const Costs costs(application, *prices);
        if (costs.IsKnown()) AddCostColumn(application, costs, table);
      };
    }
    for (const Application& application : applications) {
      TableSource& source = data.sources.emplace_back(TableSource{&application, selection});
      options.selection.AnchorTimes(RangeOf(application), &source.selection);
    }
    return data;
  }
};

bool UsesRecords(const ApplicationTable& table) { return table.name == "metrics" || table.name == "series"; }

Result<ShownData> LoadShown(const ApplicationTable& table, const ApplicationInput& input) {
  if (UsesRecords(table)) {
    Result<RecordedMetrics> metrics = LoadMetrics(input);
    if (!metrics) return tl::unexpected(metrics.error());
    return ShownData{std::move(metrics->applications), std::move(metrics->records)};
  }
  Result<std::vector<Application>> applications = LoadApplications(input);
  if (!applications) return tl::unexpected(applications.error());
  return ShownData{std::move(*applications), std::nullopt};
}

// Formats "app.log: no heap summaries recorded; it has jobs, stages, tasks".
std::string ExplainMissing(const ApplicationTable& table, const ShowOptions& options, const ShownData& data) {
  std::vector<std::string_view> others;
  for (const ApplicationTable& other : ApplicationTables()) {
    if (&other == &table || (data.applications.empty() && !UsesRecords(other))) continue;
    const Result<Table> made = other.make(data.Select(options, {}));
    if (made && made->rows > 0) others.push_back(other.name);
  }
  const std::string paths = fmt::format("{}", fmt::join(options.input.paths, ", "));
  if (others.empty()) return fmt::format("{}: {}", paths, table.missing);
  return fmt::format("{}: {}; tables with rows: {}", paths, table.missing, fmt::join(others, ", "));
}

// Prints why no rows are left, after an empty list for programs.
int ComplainNoRows(const TableOutput& output, const Table& empty, const std::string& reason) {
  const bool is_for_people = output.IsText() || !output.IsStandardOutput();
  const Result<void> written = is_for_people ? Result<void>() : output.Write(empty);
  return written ? Complain(reason, kExitNo) : Complain(written.error().message);
}

int RunShow(ShowOptions* options) {
  const Result<const ApplicationTable*> table = FindApplicationTable(options->table);
  if (!table) return Complain(table.error().message);
  const Result<TableQuery> query = options->output.Parse();
  if (!query) return Complain(query.error().message);
  const Result<Selection> selection = options->selection.Parse();
  if (!selection) return Complain(selection.error().message);
  Result<ShownData> data = LoadShown(**table, options->input);
  if (!data) return Complain(data.error().message);
  Result<std::optional<PriceList>> prices = ReadPrices(options->prices);
  if (!prices) return Complain(prices.error().message);
  data->prices = std::move(*prices);
  if (data->applications.empty() && !data->records) {
    // The reason is on standard error.
    const Result<void> written =
        options->output.json && options->output.IsStandardOutput() ? options->output.Write({}) : Result<void>();
    return written ? kExitNo : Complain(written.error().message);
  }
  if ((*table)->samples == TableSamples::kMerged) {
    for (Application& application : data->applications) ChooseLanguage(&application, Language::kMerged, /*fold=*/false);
  }
  Result<Table> rows = (*table)->make(data->Select(*options, *selection));
  if (!rows) return Complain(rows.error().message);
  const bool has_rows = rows->rows > 0;
  rows = query->Apply(std::move(*rows));
  if (!rows) return Complain(rows.error().message);
  if (!has_rows) {
    const std::string wanted = Describe(*selection);
    const Result<Table> whole = wanted.empty() ? Table() : (*table)->make(data->Select(*options, {}));
    return ComplainNoRows(options->output, *rows,
                          whole && whole->rows > 0 ? fmt::format("no rows of {} match {}", (*table)->name, wanted)
                                                   : ExplainMissing(**table, *options, *data));
  }
  if (rows->rows == 0 && !options->output.where.empty()) {
    return ComplainNoRows(options->output, *rows,
                          fmt::format("no rows of {} match {}", (*table)->name, options->output.where));
  }
  const Result<void> written = options->output.Write(*rows);
  return written ? kExitSuccess : Complain(written.error().message);
}

// Formats "jobs (Spark's jobs), stages (…)".
std::string TablesAndPurposes() {
  std::vector<std::string> tables;
  for (const ApplicationTable& table : ApplicationTables())
    tables.push_back(fmt::format("{} ({})", table.name, table.purpose));
  return fmt::format("{}", fmt::join(tables, ", "));
}

// A type with allowed values, for help and completion.
std::string TableType() {
  std::vector<std::string_view> names;
  for (const ApplicationTable& table : ApplicationTables()) names.push_back(table.name);
  return fmt::format("TABLE:{{{}}}", fmt::join(names, ","));
}

// Checked before CLI11 reports a missing INPUT.
void CheckTable(const std::string& name) {
  const Result<const ApplicationTable*> table = FindApplicationTable(name);
  if (table) return;
  std::error_code error;
  throw CLI::ValidationError(
      std::filesystem::exists(name, error)
          ? fmt::format("{} is an input; name a table before it: `sparkprof show stages {}`", name, name)
          : table.error().message);
}

}  // namespace

std::function<int()> DefineShow(CLI::App& command) {
  const auto options = std::make_shared<ShowOptions>();
  const auto take_table = [options](const std::string& name) {
    CheckTable(name);
    options->table = name;
  };
  command.add_option_function<std::string>("TABLE", take_table, "The table")->required()->type_name(TableType());
  options->input.AddTo(command);
  options->output.AddTo(command);
  AddOptions(command, options->selection.WorkAndTimeOptions());
  AddPricesTo(command, &options->prices);
  command.footer(
      "Tables: " + TablesAndPurposes() +
      ".\n\n"
      "Text is for people: values have units, and on a terminal the columns fit its width. --json, --csv and\n"
      "--parquet have every column with exact values: times in ms since the epoch, sizes in bytes, durations in ms, "
      "CPU\n"
      "times in ns. Columns have the names of Spark's REST API where it has them; unknown values are null.\n\n"
      "--prices adds a column to jobs, stages, tasks and sql: what the cores and the memory of their tasks cost.\n\n"
      "--where compares with = != < <= > >= and ~ (RE2 regular expression); combine with and, or, not and "
      "parentheses.\n"
      "--parquet requires DuckDB's library.\n\n"
      "Exits with code 1 if there are no such rows; --json then prints an empty list.\n"
      "Examples:\n"
      "  sparkprof show stages eventlog_v2_app-1/ --sort executorRunTime:desc --limit 10\n"
      "  sparkprof show tasks logs.zip --where 'status = FAILED' --json\n"
      "  sparkprof show operators recording.sprof --sql 3\n"
      "  sparkprof show processes nodes/ --where 'type = python_worker' --sort maxRssBytes:desc\n"
      "  sparkprof show tasks eventlogs/ -o tasks.parquet");
  return [options] { return RunShow(options.get()); };
}

}  // namespace sparkprof

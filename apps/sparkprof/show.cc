// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/answers.h"
#include "analysis/costs/costs.h"
#include "analysis/python/stitch.h"
#include "analysis/selection/time_range.h"
#include "analysis/tables/application_tables.h"
#include "analysis/tables/table.h"
#include "analysis/tables/table_query.h"
#include "base/result.h"
#include "capture/recording_options.h"
#include "collector_parts.h"
#include "inputs/application_input.h"
#include "inputs/shared_options.h"
#include "number_checks.h"
#include "option_flags.h"
#include "output/terminal_style.h"
#include "pictures/selection_options.h"
#include "render/writers/table_writers.h"
#include "verb.h"

namespace sparkprof {
namespace {

// Options of commands that print tables: which rows and columns, and how.
struct TableOutput {
  std::string where, sort, columns;
  int64_t limit = -1;
  bool json = false, csv = false, raw_csv = false, parquet = false;
  std::string output;  // file; its name determines the format

  void AddTo(CLI::App& command);

  // Resolves the format. Errors include the option's name.
  Result<TableQuery> Parse();
  bool IsText() const { return !json && !csv && !parquet; }
  bool IsStandardOutput() const { return output.empty() || output == "-"; }

  // Writes the table to the file or standard output; text is fitted to a terminal.
  Result<void> Write(const Table& table) const;
};

TableTextStyle StyleFor(const TableOutput& output) {
  const std::optional<size_t> width = TerminalWidth(output.output);
  return {.width = width, .color = width && HasColors(), .keep_columns = !output.columns.empty()};
}

void TableOutput::AddTo(CLI::App& command) {
  AddOption(command, "--where EXPRESSION", &where, "Select rows: status = FAILED and duration > 1000");
  AddOption(command, "--sort COLUMN,…", &sort, "Sort by these columns; COLUMN:desc for descending order");
  AddOption(command, "--limit NUMBER", &limit, "Maximum number of rows")->check(AtLeast(0));
  AddOption(command, "--columns COLUMN,…", &columns, "Columns to print, in this order; all = every column");
  command.add_flag("--json", json, "Print JSON");
  command.add_flag("--csv", csv, "Print CSV with all columns; texts that a spreadsheet would run get a ' in front");
  command.add_flag("--raw-csv", raw_csv,
                   "Write texts to CSV as they are, without the ' in front of those that a spreadsheet would run");
  command.add_flag("--parquet", parquet, "Write a Parquet file with all columns");
  AddOption(command, "-o,--output FILE", &output, "Output file; .json, .csv and .parquet give the format");
  AddShareTo(command);
}

Result<TableQuery> TableOutput::Parse() {
  csv = csv || raw_csv;
  if (json + csv + parquet > 1) return Fail("--json, --csv and --parquet are mutually exclusive");
  std::string_view name = output;
  if (name.ends_with(kGzipSuffix)) name.remove_suffix(kGzipSuffix.size());
  if (IsText()) {
    json = name.ends_with(".json");
    csv = name.ends_with(".csv");
    parquet = output.ends_with(".parquet");
  }
  if (parquet && IsStandardOutput() && isatty(STDOUT_FILENO) == 1)
    return Fail("--parquet writes no terminal; name a file with -o FILE");
  return TableQuery::Parse(where, sort, columns, limit);
}

Result<void> TableOutput::Write(const Table& table) const {
  // Before the file is opened: an error leaves an older file unchanged.
  const Result<std::string> parquet_file = parquet ? ParquetOf(table) : Result<std::string>();
  if (!parquet_file) return tl::unexpected(parquet_file.error());
  Result<OutputFile> file = CreateOutput(output, nullptr);
  if (!file) return tl::unexpected(file.error());
  const TextSink sink = [&file](std::string_view piece) { file->Append(piece); };
  if (json) {
    WriteJson(table, sink);
  } else if (csv) {
    WriteCsv(table, sink, raw_csv ? CsvTexts::kRaw : CsvTexts::kGuarded);
  } else if (parquet) {
    sink(*parquet_file);
  } else {
    WriteText(table, StyleFor(*this), sink);
  }
  return file->Commit();
}

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

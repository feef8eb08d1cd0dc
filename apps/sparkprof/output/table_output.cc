// SPDX-License-Identifier: Apache-2.0
#include "output/table_output.h"

#include <unistd.h>

#include <string_view>

#include "capture/recording_options.h"
#include "collector_parts.h"
#include "inputs/shared_options.h"
#include "number_checks.h"
#include "output/terminal_style.h"
#include "render/writers/table_writers.h"
#include "verb.h"

namespace sparkprof {
namespace {

TableTextStyle StyleFor(const TableOutput& output) {
  const std::optional<size_t> width = TerminalWidth(output.output);
  return {.width = width, .color = width && HasColors(), .keep_columns = !output.columns.empty()};
}

}  // namespace

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

}  // namespace sparkprof

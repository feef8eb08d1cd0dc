// SPDX-License-Identifier: Apache-2.0
#include "catalogue/duckdb/duckdb_parquet.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <filesystem>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "catalogue/duckdb/duckdb_library.h"
#include "catalogue/duckdb/duckdb_scratch.h"
#include "catalogue/duckdb/duckdb_session.h"
#include "render/writers/table_writers.h"

namespace sparkprof {
namespace {

constexpr size_t kLinesPiece = size_t{1} << 20;

const char* SqlTypeOf(ParquetType type) {
  constexpr const char* kTypes[] = {"VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN", "BIGINT"};
  return kTypes[static_cast<size_t>(type)];
}

ParquetType ParquetTypeOf(const Table& table, const TableColumn& column) {
  switch (column.type) {
    case ColumnType::kText:
    case ColumnType::kLongText:
    case ColumnType::kJson:
      return ParquetType::kText;
    case ColumnType::kBoolean:
      return ParquetType::kBoolean;
    case ColumnType::kTime:
      return ParquetType::kTimeMillis;
    default:
      break;
  }
  for (size_t row = 0; row < table.rows; ++row) {
    if (std::holds_alternative<double>(column.cell(row))) return ParquetType::kReal;
  }
  return ParquetType::kInteger;
}

}  // namespace

Result<std::string> JsonLinesToParquet(const std::string& path, const std::vector<ParquetColumn>& columns) {
  Result<ScratchDatabase> database = ScratchDatabase::Open();
  if (!database) return tl::unexpected(database.error());
  std::string target = path;
  if (const auto file = CreateUnguessableFile(&target, ".parquet", O_WRONLY); !file)
    return tl::unexpected(file.error());
  std::string types, selected;
  for (const ParquetColumn& column : columns) {
    const char* const comma = types.empty() ? "" : ", ";
    types += fmt::format("{}\"{}\": '{}'", comma, column.name, SqlTypeOf(column.type));
    selected += column.type == ParquetType::kTimeMillis
                    ? fmt::format("{}make_timestamp(\"{}\" * 1000) AS \"{}\"", comma, column.name, column.name)
                    : fmt::format("{}\"{}\"", comma, column.name);
  }
  const Result<void> done = database->Run(
      {"SET threads = 1", "SET memory_limit = '512MB'",
       fmt::format(
           "COPY (SELECT {} FROM read_json({}, format = 'newline_delimited', ignore_errors = true, columns = {{{}}})) "
           "TO {} (FORMAT parquet, COMPRESSION zstd)",
           selected, QuotedPath(path), types, QuotedText(target))});
  Result<std::string> bytes = done ? ReadFile(target) : tl::unexpected(done.error());
  std::error_code error;
  std::filesystem::remove(target, error);
  return bytes;
}

Result<std::string> TableToParquet(const Table& table) {
  // Checked before rows are written, so there is nothing to clean up.
  if (const Result<const DuckdbLibrary*> library = LoadDuckdb(); !library) return tl::unexpected(library.error());
  std::vector<ParquetColumn> columns;
  for (const TableColumn& column : table.columns) columns.push_back({column.name, ParquetTypeOf(table, column)});
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "sparkprof-rows").string();
  if (error) return Fail(fmt::format("no folder for temporary files: {}", error.message()));
  Result<FileDescriptor> file = CreateUnguessableFile(&path, ".jsonl", O_WRONLY);
  if (!file) return tl::unexpected(file.error());
  Result<void> written;
  std::string lines;
  for (size_t row = 0; row < table.rows && written; ++row) {
    lines += RowJson(table, row, /*flat=*/true) + "\n";
    if (lines.size() < kLinesPiece && row + 1 < table.rows) continue;
    written = WriteAll(file->Get(), lines, path);
    lines.clear();
  }
  Result<std::string> parquet = written ? JsonLinesToParquet(path, columns) : tl::unexpected(written.error());
  std::filesystem::remove(path, error);
  return parquet;
}

}  // namespace sparkprof

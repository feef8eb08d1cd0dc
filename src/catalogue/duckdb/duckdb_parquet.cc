// SPDX-License-Identifier: Apache-2.0
#include "catalogue/duckdb/duckdb_parquet.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/private_file.h"
#include "catalogue/duckdb/duckdb_session.h"
#include "catalogue/sql.h"

namespace sparkprof {
namespace {

// A database in memory, closed with the object.
class ScratchDatabase {
 public:
  static Result<ScratchDatabase> Open() {
    const Result<const DuckdbLibrary*> library = LoadDuckdb();
    if (!library) return tl::unexpected(library.error());
    ScratchDatabase scratch(**library);
    char* message = nullptr;
    if ((*library)->open_ext(nullptr, &scratch.database_, nullptr, &message) == DuckDBError) {
      const std::string text = message == nullptr ? "cannot open a database in memory" : message;
      (*library)->free(message);
      return Fail(text);
    }
    return scratch;
  }

  ScratchDatabase(ScratchDatabase&& other) noexcept
      : library_(other.library_), database_(std::exchange(other.database_, nullptr)) {}
  ScratchDatabase& operator=(ScratchDatabase&&) = delete;
  ~ScratchDatabase() {
    if (database_ != nullptr) library_.close(&database_);
  }

  Result<void> Run(const std::vector<std::string>& statements) {
    duckdb_connection handle = nullptr;
    if (library_.connect(database_, &handle) == DuckDBError) return Fail("cannot connect to a database in memory");
    DuckdbConnection connection(library_, handle, "export");
    for (const std::string& statement : statements) {
      if (Result<void> done = connection.Run({statement}); !done) return done;
    }
    return {};
  }

 private:
  explicit ScratchDatabase(const DuckdbLibrary& library) : library_(library) {}

  const DuckdbLibrary& library_;
  duckdb_database database_ = nullptr;
};

}  // namespace

Result<std::string> JsonLinesToParquet(const std::string& path, const std::vector<ParquetColumn>& columns) {
  Result<ScratchDatabase> database = ScratchDatabase::Open();
  if (!database) return tl::unexpected(database.error());
  std::string target = path;
  if (const auto file = CreateUnguessableFile(&target, ".parquet", O_WRONLY); !file)
    return tl::unexpected(file.error());
  std::string types;
  for (const ParquetColumn& column : columns) {
    types +=
        fmt::format("{}\"{}\": '{}'", types.empty() ? "" : ", ", column.name, column.is_text ? "VARCHAR" : "DOUBLE");
  }
  const Result<void> done = database->Run(
      {"SET threads = 1", "SET memory_limit = '512MB'",
       fmt::format(
           "COPY (SELECT * FROM read_json({}, format = 'newline_delimited', ignore_errors = true, columns = {{{}}})) "
           "TO {} (FORMAT parquet, COMPRESSION zstd)",
           QuotedText(path), types, QuotedText(target))});
  Result<std::string> bytes = done ? ReadFile(target) : tl::unexpected(done.error());
  std::error_code error;
  std::filesystem::remove(target, error);
  return bytes;
}

}  // namespace sparkprof

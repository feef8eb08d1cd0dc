// SPDX-License-Identifier: Apache-2.0
#include "catalogue/duckdb/duckdb_scratch.h"

#include <utility>

namespace sparkprof {

Result<ScratchDatabase> ScratchDatabase::Open() {
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

ScratchDatabase::ScratchDatabase(ScratchDatabase&& other) noexcept
    : library_(other.library_), database_(std::exchange(other.database_, nullptr)) {}

ScratchDatabase::~ScratchDatabase() {
  if (database_ != nullptr) library_.close(&database_);
}

Result<std::unique_ptr<DuckdbConnection>> ScratchDatabase::Connect() {
  duckdb_connection handle = nullptr;
  if (library_.connect(database_, &handle) == DuckDBError) return Fail("cannot connect to a database in memory");
  return std::make_unique<DuckdbConnection>(library_, handle, "in memory");
}

Result<void> ScratchDatabase::Run(const std::vector<std::string>& statements) {
  const Result<std::unique_ptr<DuckdbConnection>> connection = Connect();
  if (!connection) return tl::unexpected(connection.error());
  for (const std::string& statement : statements) {
    if (Result<void> done = (*connection)->Run({statement}); !done) return done;
  }
  return {};
}

Result<std::vector<std::string>> ScratchDatabase::Texts(const std::string& statement) {
  const Result<std::unique_ptr<DuckdbConnection>> connection = Connect();
  if (!connection) return tl::unexpected(connection.error());
  std::vector<std::string> texts;
  const Result<void> done = (*connection)->Query({statement}, [&](const SqlChunk& rows) {
    for (size_t row = 0; row < rows.Size(); ++row) texts.emplace_back(rows.Text(0, row));
  });
  return done.map([&] { return std::move(texts); });
}

}  // namespace sparkprof

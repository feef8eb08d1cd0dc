// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/duckdb/duckdb_library.h"
#include "catalogue/duckdb/duckdb_session.h"

namespace sparkprof {

// An in-memory database for statements over files. Not thread-safe.
class ScratchDatabase {
 public:
  static Result<ScratchDatabase> Open();

  ScratchDatabase(ScratchDatabase&& other) noexcept;
  ScratchDatabase& operator=(ScratchDatabase&&) = delete;
  ~ScratchDatabase();

  Result<void> Run(const std::vector<std::string>& statements);

  // The first column of the result, which must be VARCHAR without NULLs.
  Result<std::vector<std::string>> Texts(const std::string& statement);

 private:
  explicit ScratchDatabase(const DuckdbLibrary& library) : library_(library) {}
  Result<std::unique_ptr<DuckdbConnection>> Connect();

  const DuckdbLibrary& library_;
  duckdb_database database_ = nullptr;
};

}  // namespace sparkprof

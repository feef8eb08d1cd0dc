// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "catalogue/catalogue_sql.h"
#include "catalogue/duckdb/duckdb_library.h"

namespace sparkprof {

// C++ wrapper of DuckDB's C API. Errors are DuckDB's messages, prefixed with the path of the catalogue.

// Formats `text` as an SQL literal, for statements without parameters.
std::string QuotedText(const std::string& text);

// Formats the path of a file to read. DuckDB interprets such a path as a glob pattern: escapes `path` and appends
// `pattern`.
std::string QuotedPath(std::string_view path, std::string_view pattern = {});

// Rows of a result, at most 2,048. Columns are BIGINT, INTEGER, DOUBLE or VARCHAR without NULLs; the caller must use
// the right type.
class SqlChunk {
 public:
  size_t Size() const { return size_; }
  template <typename T>
  const T* Column(size_t column) const {
    return static_cast<const T*>(Data(column));
  }
  int64_t Integer(size_t column, size_t row) const { return Column<int64_t>(column)[row]; }
  // Valid while the chunk exists.
  std::string_view Text(size_t column, size_t row) const;

 private:
  friend class DuckdbConnection;
  SqlChunk(const DuckdbLibrary& library, duckdb_data_chunk chunk)
      : library_(library), chunk_(chunk), size_(library.data_chunk_get_size(chunk)) {}
  void* Data(size_t column) const {
    return library_.vector_get_data(library_.data_chunk_get_vector(chunk_, static_cast<idx_t>(column)));
  }

  const DuckdbLibrary& library_;
  duckdb_data_chunk chunk_;
  size_t size_;
};

// A connection, for one thread at a time.
class DuckdbConnection {
 public:
  DuckdbConnection(const DuckdbLibrary& library, duckdb_connection connection, std::string path)
      : library_(library), connection_(connection), path_(std::move(path)) {}
  ~DuckdbConnection() { library_.disconnect(&connection_); }
  DuckdbConnection(const DuckdbConnection&) = delete;
  DuckdbConnection& operator=(const DuckdbConnection&) = delete;

  // Runs one statement and passes its rows to `use`.
  Result<void> Query(const Sql& sql, const std::function<void(const SqlChunk&)>& use);
  Result<void> Run(const Sql& sql) {
    return Query(sql, [](const SqlChunk&) {});
  }

  const DuckdbLibrary& library() const { return library_; }
  duckdb_connection handle() const { return connection_; }
  Error ErrorOf(const char* message) const;

 private:
  const DuckdbLibrary& library_;
  duckdb_connection connection_;
  std::string path_;
};

// Appends rows to a table within the connection's transaction. Errors are reported by Finish.
class DuckdbAppender {
 public:
  DuckdbAppender(DuckdbConnection* connection, const char* table);
  ~DuckdbAppender();
  DuckdbAppender(const DuckdbAppender&) = delete;
  DuckdbAppender& operator=(const DuckdbAppender&) = delete;

  template <typename... Values>
  void Row(const Values&... values) {
    if (failed_) return;
    (Append(values), ...);
    Check(library_.appender_end_row(appender_));
  }
  Result<void> Finish();

 private:
  void Append(int32_t value) { Check(library_.append_int32(appender_, value)); }
  void Append(int64_t value) { Check(library_.append_int64(appender_, value)); }
  void Append(double value) { Check(library_.append_double(appender_, value)); }
  void Append(std::string_view value) { Check(library_.append_varchar_length(appender_, value.data(), value.size())); }
  void Append(const std::string& value) { Append(std::string_view(value)); }
  void Check(duckdb_state state) { failed_ = failed_ || state == DuckDBError; }

  DuckdbConnection* connection_;
  const DuckdbLibrary& library_;
  duckdb_appender appender_ = nullptr;
  bool failed_ = false;
};

// A transaction that is rolled back unless committed.
class DuckdbTransaction {
 public:
  static Result<DuckdbTransaction> Begin(DuckdbConnection* connection);
  DuckdbTransaction(DuckdbTransaction&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  DuckdbTransaction& operator=(DuckdbTransaction&&) = delete;
  ~DuckdbTransaction();
  Result<void> Commit();

 private:
  explicit DuckdbTransaction(DuckdbConnection* connection) : connection_(connection) {}

  DuckdbConnection* connection_;
};

}  // namespace sparkprof

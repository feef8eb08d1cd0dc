// SPDX-License-Identifier: Apache-2.0
#include "catalogue/duckdb/duckdb_session.h"

#include <fmt/format.h>

#include "base/text/text.h"

namespace sparkprof {
namespace {

class PreparedStatement {
 public:
  explicit PreparedStatement(const DuckdbLibrary& library) : library_(library) {}
  ~PreparedStatement() { library_.destroy_prepare(&statement); }
  PreparedStatement(const PreparedStatement&) = delete;
  PreparedStatement& operator=(const PreparedStatement&) = delete;

  duckdb_prepared_statement statement = nullptr;

 private:
  const DuckdbLibrary& library_;
};

class QueryResult {
 public:
  explicit QueryResult(const DuckdbLibrary& library) : library_(library) {}
  ~QueryResult() { library_.destroy_result(&result); }
  QueryResult(const QueryResult&) = delete;
  QueryResult& operator=(const QueryResult&) = delete;

  duckdb_result result{};

 private:
  const DuckdbLibrary& library_;
};

duckdb_state Bind(const DuckdbLibrary& library, duckdb_prepared_statement statement, idx_t position,
                  const SqlValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return library.bind_int64(statement, position, *number);
  const auto& text = std::get<std::string>(value);
  return library.bind_varchar_length(statement, position, text.data(), text.size());
}

}  // namespace

std::string_view SqlChunk::Text(size_t column, size_t row) const {
  const duckdb_string_t& text = Column<duckdb_string_t>(column)[row];
  const uint32_t length = text.value.inlined.length;
  return {length <= sizeof(text.value.inlined.inlined) ? text.value.inlined.inlined : text.value.pointer.ptr, length};
}

Error DuckdbConnection::ErrorOf(const char* message) const {
  return {fmt::format("catalogue {}: {}", path_, ToOneLine(message == nullptr ? "unknown error of DuckDB" : message))};
}

Result<void> DuckdbConnection::Query(const Sql& sql, const std::function<void(const SqlChunk&)>& use) {
  PreparedStatement prepared(library_);
  if (library_.prepare(connection_, sql.text.c_str(), &prepared.statement) == DuckDBError) {
    return tl::unexpected(ErrorOf(library_.prepare_error(prepared.statement)));
  }
  idx_t position = 0;
  for (const SqlValue& value : sql.values) {
    if (Bind(library_, prepared.statement, ++position, value) == DuckDBError) {
      return tl::unexpected(ErrorOf(library_.prepare_error(prepared.statement)));
    }
  }
  QueryResult result(library_);
  if (library_.execute_prepared_streaming(prepared.statement, &result.result) == DuckDBError) {
    return tl::unexpected(ErrorOf(library_.result_error(&result.result)));
  }
  while (duckdb_data_chunk chunk = library_.fetch_chunk(result.result)) {
    use(SqlChunk(library_, chunk));
    library_.destroy_data_chunk(&chunk);
  }
  // End of the result, or an error after the first rows.
  if (const char* const error = library_.result_error(&result.result); error != nullptr) {
    return tl::unexpected(ErrorOf(error));
  }
  return {};
}

DuckdbAppender::DuckdbAppender(DuckdbConnection* connection, const char* table)
    : connection_(connection), library_(connection->library()) {
  Check(library_.appender_create(connection->handle(), nullptr, table, &appender_));
}

DuckdbAppender::~DuckdbAppender() { library_.appender_destroy(&appender_); }

Result<void> DuckdbAppender::Finish() {
  if (!failed_) Check(library_.appender_flush(appender_));
  if (failed_) return tl::unexpected(connection_->ErrorOf(library_.appender_error(appender_)));
  return {};
}

Result<DuckdbTransaction> DuckdbTransaction::Begin(DuckdbConnection* connection) {
  return connection->Run({"BEGIN TRANSACTION"}).map([&] { return DuckdbTransaction(connection); });
}

DuckdbTransaction::~DuckdbTransaction() {
  // Fails only if the database is broken; then there is nothing to roll back.
  if (connection_ != nullptr) static_cast<void>(connection_->Run({"ROLLBACK"}));
}

Result<void> DuckdbTransaction::Commit() { return std::exchange(connection_, nullptr)->Run({"COMMIT"}); }

std::string QuotedText(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

std::string QuotedPath(std::string_view path, std::string_view pattern) {
  std::string escaped;
  for (const char c : path) {
    const bool is_mark = c == '*' || c == '?' || c == '[';
    escaped += is_mark ? fmt::format("[{}]", c) : std::string(1, c);
  }
  return QuotedText(escaped.append(pattern));
}

}  // namespace sparkprof

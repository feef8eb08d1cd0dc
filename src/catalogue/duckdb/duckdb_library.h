// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"

namespace sparkprof {

// The part of the C API of DuckDB 1.4.4 that sparkprof uses, as its duckdb.h declares it.
using idx_t = uint64_t;
enum duckdb_state { DuckDBSuccess = 0, DuckDBError = 1 };
using duckdb_appender = struct DuckdbAppenderHandle*;
using duckdb_config = struct DuckdbConfigHandle*;
using duckdb_connection = struct DuckdbConnectionHandle*;
using duckdb_data_chunk = struct DuckdbDataChunkHandle*;
using duckdb_database = struct DuckdbDatabaseHandle*;
using duckdb_prepared_statement = struct DuckdbPreparedStatementHandle*;
using duckdb_vector = struct DuckdbVectorHandle*;

// Passed by value, and read by DuckDB alone.
struct duckdb_result {
  idx_t deprecated_counts[3];
  void* deprecated_columns;
  char* deprecated_error_message;
  void* internal_data;
};

// A text in a vector: in place up to 12 bytes, else behind a pointer.
struct duckdb_string_t {
  union {
    struct {
      uint32_t length;
      char prefix[4];
      char* ptr;
    } pointer;
    struct {
      uint32_t length;
      char inlined[12];
    } inlined;
  } value;
};

// Name without "duckdb_", type of the result, types of the parameters.
#define SPARKPROF_DUCKDB_FUNCTIONS(X)                                                             \
  X(append_double, duckdb_state, duckdb_appender, double)                                         \
  X(append_int32, duckdb_state, duckdb_appender, int32_t)                                         \
  X(append_int64, duckdb_state, duckdb_appender, int64_t)                                         \
  X(append_varchar_length, duckdb_state, duckdb_appender, const char*, idx_t)                     \
  X(appender_create, duckdb_state, duckdb_connection, const char*, const char*, duckdb_appender*) \
  X(appender_destroy, duckdb_state, duckdb_appender*)                                             \
  X(appender_end_row, duckdb_state, duckdb_appender)                                              \
  X(appender_error, const char*, duckdb_appender)                                                 \
  X(appender_flush, duckdb_state, duckdb_appender)                                                \
  X(bind_int64, duckdb_state, duckdb_prepared_statement, idx_t, int64_t)                          \
  X(bind_varchar_length, duckdb_state, duckdb_prepared_statement, idx_t, const char*, idx_t)      \
  X(close, void, duckdb_database*)                                                                \
  X(connect, duckdb_state, duckdb_database, duckdb_connection*)                                   \
  X(create_config, duckdb_state, duckdb_config*)                                                  \
  X(data_chunk_get_size, idx_t, duckdb_data_chunk)                                                \
  X(data_chunk_get_vector, duckdb_vector, duckdb_data_chunk, idx_t)                               \
  X(destroy_config, void, duckdb_config*)                                                         \
  X(destroy_data_chunk, void, duckdb_data_chunk*)                                                 \
  X(destroy_prepare, void, duckdb_prepared_statement*)                                            \
  X(destroy_result, void, duckdb_result*)                                                         \
  X(disconnect, void, duckdb_connection*)                                                         \
  X(execute_prepared_streaming, duckdb_state, duckdb_prepared_statement, duckdb_result*)          \
  X(fetch_chunk, duckdb_data_chunk, duckdb_result)                                                \
  X(free, void, void*)                                                                            \
  X(open_ext, duckdb_state, const char*, duckdb_database*, duckdb_config, char**)                 \
  X(prepare, duckdb_state, duckdb_connection, const char*, duckdb_prepared_statement*)            \
  X(prepare_error, const char*, duckdb_prepared_statement)                                        \
  X(result_error, const char*, duckdb_result*)                                                    \
  X(set_config, duckdb_state, duckdb_config, const char*, const char*)                            \
  X(vector_get_data, void*, duckdb_vector)

// libduckdb, loaded on first use so that everything else works without it. Never unloaded.
struct DuckdbLibrary {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declared name has none
#define SPARKPROF_DUCKDB_MEMBER(name, result, ...) result (*name)(__VA_ARGS__) = nullptr;
  SPARKPROF_DUCKDB_FUNCTIONS(SPARKPROF_DUCKDB_MEMBER)
#undef SPARKPROF_DUCKDB_MEMBER
};

// Searches libduckdb.so at SPARKPROF_DUCKDB (if set, only there), beside the executable, in ../lib, and in the dynamic
// loader's path. The error lists all of these places. Thread-safe.
Result<const DuckdbLibrary*> LoadDuckdb();

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <duckdb.h>

#include "base/result.h"

namespace sparkprof {

// Functions of libduckdb that sparkprof calls, without the prefix "duckdb_".
#define SPARKPROF_DUCKDB_FUNCTIONS(X) \
  X(append_double)                    \
  X(append_int32)                     \
  X(append_int64)                     \
  X(append_varchar_length)            \
  X(appender_create)                  \
  X(appender_destroy)                 \
  X(appender_end_row)                 \
  X(appender_error)                   \
  X(appender_flush)                   \
  X(bind_int64)                       \
  X(bind_varchar_length)              \
  X(close)                            \
  X(connect)                          \
  X(create_config)                    \
  X(data_chunk_get_size)              \
  X(data_chunk_get_vector)            \
  X(destroy_config)                   \
  X(destroy_data_chunk)               \
  X(destroy_prepare)                  \
  X(destroy_result)                   \
  X(disconnect)                       \
  X(execute_prepared_streaming)       \
  X(fetch_chunk)                      \
  X(free)                             \
  X(open_ext)                         \
  X(prepare)                          \
  X(prepare_error)                    \
  X(result_error)                     \
  X(set_config)                       \
  X(vector_get_data)

// libduckdb, loaded on first use so that everything else works without it. Never unloaded.
struct DuckdbLibrary {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declared name has none
#define SPARKPROF_DUCKDB_MEMBER(name) decltype(&duckdb_##name) name = nullptr;
  SPARKPROF_DUCKDB_FUNCTIONS(SPARKPROF_DUCKDB_MEMBER)
#undef SPARKPROF_DUCKDB_MEMBER
};

// Searches libduckdb.so at SPARKPROF_DUCKDB (if set, only there), beside the executable, in ../lib, and in the dynamic
// loader's path. The error lists all of these places. Thread-safe.
Result<const DuckdbLibrary*> LoadDuckdb();

}  // namespace sparkprof

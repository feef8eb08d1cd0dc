// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/io/byte_source.h"
#include "base/result.h"
#include "history/history.h"

namespace sparkprof {

struct HistorySource {
  std::vector<std::string> files;  // one file, or the parts of a rolled log in order; compressed or not
  int64_t modified_ns = 0;         // assumed end of tasks without an end
  std::function<std::unique_ptr<ByteSource>()> open_lines{};  // source to use instead of `files`
};

// Reads an event log with all cores. A damaged or truncated file is read up to the damage, as in Spark's History
// Server. Fails if no file can be read.
Result<History> LoadHistory(const HistorySource& source, size_t threads = 0);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "analysis/costs/price_list.h"
#include "base/byte_source.h"
#include "base/result.h"
#include "fleet/fleet_filter.h"
#include "fleet/fleet_log.h"

namespace sparkprof {

struct FleetEngineOptions {
  std::optional<PriceList> prices;
  FleetFilter filter;            // others have no rows
  int64_t max_memory_bytes = 0;  // of the process; 0 = no limit
};

// The last line of the answer about a log, after its rows: "done\t" and this as JSON.
struct FleetLogDone {
  int64_t applications = 0;
  bool failed = false;       // has a row in failures
  bool try_again = false;    // it could not be opened: a later run may be able to
  bool is_other = false;     // no event log, but a file of a known kind: has no rows
  bool is_filtered = false;  // the filter left applications out
};
inline constexpr std::string_view kDoneTable = "done";
std::string FormatDone(const FleetLogDone& done);
Result<FleetLogDone> ParseDone(std::string_view json);

// Opens the bytes of file `row` of a log, as stored. Called in order, each file once; the one before is closed then.
using OpenLogFile = std::function<Result<std::unique_ptr<ByteSource>>(size_t row)>;

// The rows of one log (see fleet_rows.h) and the line "done". Never fails: what cannot be read has a row in failures.
std::string ReadFleetLog(const FleetLog& log, const OpenLogFile& open, const FleetEngineOptions& options);

// Serves an input of logs until its end: a line of FormatFleetLog, answered by what ReadFleetLog returns. The content
// of a log without a root follows its line: for each file, pieces of a length (4 bytes, the highest first) and so many
// bytes, up to a piece of length 0. A length of 2^32 - 1 and a last piece say that the file could not be read, and why.
// Fails if the input breaks these rules.
Result<void> ServeFleetLogs(int input, int output, const FleetEngineOptions& options);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "analysis/costs/price_list.h"
#include "base/io/byte_source.h"
#include "base/result.h"
#include "fleet/fleet_filter.h"
#include "fleet/fleet_log.h"

namespace sparkprof {

struct FleetEngineOptions {
  std::optional<PriceList> prices;
  FleetFilter filter;            // applications that do not match have no rows
  int64_t max_memory_bytes = 0;  // limit of the process; 0 = none
};

// Last line of the answer about a log, after its rows: "done\\t" and this structure as JSON.
struct FleetLogDone {
  int64_t applications = 0;
  bool failed = false;       // has a row in failures
  bool try_again = false;    // could not be opened; a later run may succeed
  bool is_other = false;     // a file of a known kind other than event logs: has no rows
  bool is_filtered = false;  // the filter excluded applications
};
inline constexpr std::string_view kDoneTable = "done";
std::string FormatDone(const FleetLogDone& done);
Result<FleetLogDone> ParseDone(std::string_view json);

// Opens file `row` of a log, as stored. Called in order, once per file; the previous file is closed then.
using OpenLogFile = std::function<Result<std::unique_ptr<ByteSource>>(size_t row)>;

// Returns the rows of one log (fleet_rows.h) and the line "done". Never fails: an unreadable log has a row in failures.
std::string ReadFleetLog(const FleetLog& log, const OpenLogFile& open, const FleetEngineOptions& options);

// Serves logs until the end of the input: answers each line of FormatFleetLog with the result of ReadFleetLog. The
// content of a log without a root follows its line: for each file, pieces of a length (4 bytes, big-endian) and so many
// bytes, ending with a piece of length 0. A length of 2^32 - 1 and a last piece report that the file could not be read,
// and why. Fails if the input violates this protocol.
Result<void> ServeFleetLogs(int input, int output, const FleetEngineOptions& options);

}  // namespace sparkprof

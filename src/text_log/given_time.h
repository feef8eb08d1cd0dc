// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "text_log/log_time.h"

namespace sparkprof {

// A time in an option or a request: a duration, "2h" or a bare number of seconds, or else a date with or without a time
// and a zone, or milliseconds (from 2017 on also seconds) since the Unix epoch.
struct GivenTime {
  std::optional<int64_t> duration_ns;
  LogTime time;  // without a duration

  // ns since the Unix epoch of a date; without a zone, in that of this machine.
  int64_t ToUtc() const;
};

// The error names the option and what is expected. `takes_time_of_day`: "11:59" alone is a time, too, as in logs.
Result<GivenTime> ParseGivenTime(std::string_view option, std::string_view text, bool takes_time_of_day = false);

}  // namespace sparkprof

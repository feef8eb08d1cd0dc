// SPDX-License-Identifier: Apache-2.0
#include "model/log_records.h"

namespace sparkprof {

std::string_view LogLevelName(LogLevel level) {
  constexpr std::array<std::string_view, kLogLevelCount> kNames = {"",     "TRACE", "DEBUG", "INFO",
                                                                   "WARN", "ERROR", "FATAL"};
  return kNames[static_cast<size_t>(level)];
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/io/byte_source.h"
#include "base/result.h"

namespace sparkprof {

// The application according to the first events of its log, redacted.
struct EventLogHead {
  std::string id;  // empty for Spark before 1.4
  std::string attempt;
  std::string name;
  std::string user;
  std::string spark_version;
  int64_t start_ns = 0;
  std::string viewers;  // result of ViewersOf
};

// Reads `log` (decompressed) up to the application start event. nullopt = the content is not Spark's events. Fails if
// it cannot be read, or if that event is not within the first kMaxEventLogHeadBytes.
inline constexpr size_t kMaxEventLogHeadBytes = size_t{32} << 20;
Result<std::optional<EventLogHead>> ReadEventLogHead(ByteSource* log, const std::string& name);

struct EventLogTail {
  bool ended = false;       // whether there is an application end event
  bool has_failed = false;  // whether the last job failed
  int64_t end_ns = 0;       // end of the application, or time of the last event; 0 = unknown
};
// `lines`: complete lines, except possibly the first and the last.
inline constexpr size_t kEventLogTailBytes = size_t{64} << 10;
EventLogTail ReadEventLogTail(std::string_view lines);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/text_cache.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Output of etsy's statsd-jvm-profiler as text: StatsD datagrams, one per line, or InfluxDB's line protocol:
//     PREFIX.cpu.trace.java-lang-Object-wait--2.java-lang-Thread-run-745:7|g
//     cpu.trace.java-lang-Object-wait--2.java-lang-Thread-run-745,pid=42,… value=7 1795256429005000000
// A key is a stack, leaf first; the last number of a frame is the line. Values are samples and are summed. Other
// metrics and depth limits (cpu.trace.12) are skipped. The output of influxdb_dump.py is collapsed text.
class StatsdReader {
 public:
  explicit StatsdReader(ProfileBuilder* builder) : builder_(builder) { builder->AddEvent("samples", "count"); }

  Result<void> AddLines(std::string_view lines);

  static bool LooksLike(std::string_view head);

 private:
  Result<void> AddLine(std::string_view line);
  FrameId Frame(std::string_view text);

  ProfileBuilder* builder_;
  TextCache<FrameId> frames_;
  uint64_t line_number_ = 0;
};

}  // namespace sparkprof

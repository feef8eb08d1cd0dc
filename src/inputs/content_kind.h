// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "inputs/inputs.h"

namespace sparkprof {

// What the first bytes of a file tell.
struct ContentKind {
  InputKind kind = InputKind::kUnknown;
  LineWrapping wrapping = LineWrapping::kNone;
  bool is_yarn_text = false;            // what `yarn logs` prints: many logs in one
  std::optional<int64_t> utc_offset_s;  // see Input
  std::string problem;                  // why kUnknown
};

// The kind of content that begins with `head` (decompressed, up to kContentHeadBytes). `log_name` says that a text
// without a single line that looks like a log's is taken for one all the same: its name is a log's, or the user named
// it.
inline constexpr size_t kContentHeadBytes = size_t{64} << 10;
ContentKind DetectContent(std::string_view head, bool log_name);

// Whether a file of this name ("stderr.gz", "log4j-active.log", "syslog.1") is a log's.
bool IsLogName(std::string_view file_name);

}  // namespace sparkprof

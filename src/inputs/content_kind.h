// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "inputs/inputs.h"

namespace sparkprof {

// Result of inspecting the first bytes of a file.
struct ContentKind {
  InputKind kind = InputKind::kUnknown;
  LineWrapping wrapping = LineWrapping::kNone;
  bool is_yarn_text = false;               // what `yarn logs` prints: many logs in one
  std::optional<int64_t> utc_offset_s;     // see Input
  const FragmentType* fragment = nullptr;  // see Input
  std::string_view seems;                  // see Input
  std::string problem;                     // why kUnknown
};

// The kind of content that starts with `head` (decompressed, up to kContentHeadBytes). `log_name`: accept a text
// without a single log-like line as a log, because of its name or because the user named it.
inline constexpr size_t kContentHeadBytes = size_t{64} << 10;
ContentKind DetectContent(std::string_view head, bool log_name);

// Whether a file of this name ("stderr.gz", "log4j-active.log", "syslog.1") is a log's.
bool IsLogName(std::string_view file_name);

}  // namespace sparkprof

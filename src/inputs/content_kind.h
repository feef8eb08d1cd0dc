// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "inputs/inputs.h"

namespace sparkprof {

// Result of inspecting the first bytes of a file.
struct ContentKind {
  InputKind kind = InputKind::kUnknown;
  LineWrapping wrapping = LineWrapping::kNone;
  bool is_yarn_text = false;               // what `yarn logs` prints: many logs in one
  const FragmentType* fragment = nullptr;  // see Input
  std::string_view seems;                  // see Input
  std::string problem;                     // why kUnknown
};

// Detects the kind of content that starts with `head` (decompressed, up to kContentHeadBytes). `log_name`: accept text
// without log-like lines as a log, because of its name or because the user named it.
inline constexpr size_t kContentHeadBytes = size_t{64} << 10;
ContentKind DetectContent(std::string_view head, bool log_name);

// Whether the file name is that of a log: "stderr.gz", "log4j-active.log", "syslog.1".
bool IsLogName(std::string_view file_name);

}  // namespace sparkprof

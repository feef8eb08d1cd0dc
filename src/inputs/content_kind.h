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
  bool is_yarn_text = false;               // output of `yarn logs`: many logs in one
  bool is_notebook = false;                // Jupyter's, with the outputs of its cells
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

// The format of a file that sparkprof does not read, by its first bytes, with the fix if there is one: "a PNG image".
// Empty if unknown. 512 bytes are enough.
std::string_view NameOfOtherFormat(std::string_view head);

// Returns "an XML or HTML document", "an unknown JSON document", or empty.
std::string_view NameOfDocument(std::string_view head);

// The likely contents of text without a line of a log: "Python code", "a table of comma-separated values", "plain
// text".
std::string_view DescribeText(std::string_view head);

// Whether the first bytes are not text.
bool IsBinary(std::string_view head);

// One of the above, or "text", …; never empty. For content that no reader recognized.
std::string_view DescribeUnread(std::string_view head);

// Whether sparkprof wrote the file beside recordings: in the output folder of `run`, a spool, a suite's folder, or a
// collector's data. Recordings contain all of its data, so it is skipped in folders. `head`: start of its content.
bool IsOwnFile(std::string_view path, std::string_view head);

}  // namespace sparkprof

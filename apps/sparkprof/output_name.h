// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// What is written into a file with this ending.
struct OutputEnding {
  std::string_view ending;  // ".html"
  std::string_view content;
};

inline constexpr OutputEnding kPageEnding{".html", "a page"};
inline constexpr OutputEnding kReportEnding{".html", "the report"};
inline constexpr OutputEnding kRecordingEnding{".sprof", "a recording"};

// Fails unless `path` ends in one of `endings`. Standard output ("-"), pipes and devices have no ending to check.
Result<void> CheckEnding(std::string_view option, const std::string& path, std::initializer_list<OutputEnding> endings);

// For verbs that write collapsed stacks to any name: fails when the ending belongs to a format that they do not write.
Result<void> RefuseForeignEnding(const std::string& path);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/current_work.h"

namespace sparkprof {

// Sorts by number of running tasks, elapsed time, or start.
enum class StageOrder { kRunning, kElapsed, kLatest };
std::string_view StageOrderName(StageOrder order);  // "running tasks", "elapsed time", "latest"

struct WorkTextStyle {
  size_t width = 100;  // columns
  size_t height = 0;   // lines; 0 = unlimited
  bool color = false;
  StageOrder order = StageOrder::kRunning;
};

// A column of ColumnLines, which makes columns as wide as their contents and truncates the last one. Numbers are
// right-aligned.
struct PlainColumn {
  std::string_view title;
  bool is_number = false;
};
std::vector<std::string> ColumnLines(const std::vector<PlainColumn>& columns,
                                     const std::vector<std::vector<std::string>>& rows, const WorkTextStyle& style);

// A title, bold if the terminal supports it.
std::string TitleLine(std::string_view text, const WorkTextStyle& style);

// The output of `sparkprof top`: the application, its stages, consumers of CPU, lines of user code, findings. Without
// line ends.
std::vector<std::string> WorkLines(const CurrentWork& work, const WorkTextStyle& style);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/current_work.h"

namespace sparkprof {

// By the most running tasks, the longest time, the latest.
enum class StageOrder { kRunning, kElapsed, kLatest };
std::string_view StageOrderName(StageOrder order);  // "running tasks", "elapsed time", "latest"

struct WorkTextStyle {
  size_t width = 100;  // columns
  size_t height = 0;   // lines; 0 = any number
  bool color = false;
  StageOrder order = StageOrder::kRunning;
};

// `cells` in columns as wide as their contents; the last one ends where the line does. Numbers align at their right.
struct PlainColumn {
  std::string_view title;
  bool is_number = false;
};
std::vector<std::string> ColumnLines(const std::vector<PlainColumn>& columns,
                                     const std::vector<std::vector<std::string>>& rows, const WorkTextStyle& style);

// A bold title, in a terminal that shows it.
std::string TitleLine(std::string_view text, const WorkTextStyle& style);

// The picture of `sparkprof top`: the application, its stages, owners of CPU, lines of the user's code, findings.
// Without line ends.
std::vector<std::string> WorkLines(const CurrentWork& work, const WorkTextStyle& style);

}  // namespace sparkprof

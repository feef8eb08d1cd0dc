// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/findings/finding.h"

namespace sparkprof {

// Columns of the terminal on standard output, from the terminal or COLUMNS; `otherwise` where it is a file or a pipe.
size_t OutputWidth(size_t otherwise, int descriptor = STDOUT_FILENO);

// Columns of the terminal that gets what is written to `output` ("-" or nothing is standard output); none for files
// and pipes.
std::optional<size_t> TerminalWidth(const std::string& output);

// Whether standard output is a terminal that shows colors: NO_COLOR and TERM=dumb switch them off.
bool HasColors(int descriptor = STDOUT_FILENO);

// How text looks on standard output: wrapped to a terminal's width, and in color where it has colors. Files and pipes
// get the text as it is.
class TerminalStyle {
 public:
  explicit TerminalStyle(int descriptor = STDOUT_FILENO);

  // `text` in lines, each with its end; see WrapText.
  std::string Wrap(std::string_view text, size_t first, size_t indent) const;
  std::string Bold(std::string_view text) const;
  // The name of the severity, at least `width` columns wide.
  std::string Name(Severity severity, size_t width) const;

 private:
  std::string Sequence(std::string_view code, std::string_view text) const;

  size_t width_;
  bool has_colors_;
};

// Text with labels and tables: on a terminal, lines that are wider than it are broken at blanks. What follows starts
// behind the label, or further right than the line.
std::string WrapForTerminal(std::string_view text);

// ForTerminal, which leaves the styles above where the output has colors. Names from a job can at most look like one.
std::string StyledForTerminal(std::string_view text, int descriptor = STDOUT_FILENO);

}  // namespace sparkprof

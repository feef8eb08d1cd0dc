// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/findings/finding.h"

namespace sparkprof {

// Width of standard output, from the terminal or COLUMNS; `otherwise` for a file or a pipe.
size_t OutputWidth(size_t otherwise, int descriptor = STDOUT_FILENO);

// Width of the terminal that receives `output` ("-" or empty = standard output); nullopt for files and pipes.
std::optional<size_t> TerminalWidth(const std::string& output);

// Whether standard output is a terminal with colors; NO_COLOR and TERM=dumb disable them.
bool HasColors(int descriptor = STDOUT_FILENO);

// Style of text on standard output: wrapped to a terminal's width, and in color if supported. Files and pipes get plain
// text.
class TerminalStyle {
 public:
  explicit TerminalStyle(int descriptor = STDOUT_FILENO);

  // Wraps `text` to lines, each with its end; see WrapText.
  std::string Wrap(std::string_view text, size_t first, size_t indent) const;
  std::string Bold(std::string_view text) const;
  // Padded to at least `width` columns.
  std::string Name(Severity severity, size_t width) const;

 private:
  std::string Sequence(std::string_view code, std::string_view text) const;

  size_t width_;
  bool has_colors_;
};

// Wraps text with labels and tables at spaces if lines are wider than the terminal. Continuation lines are indented to
// the text after the label, or further than the line itself.
std::string WrapForTerminal(std::string_view text);

// ForTerminal, but keeps the styles above if the output has colors. A job's names can at most imitate one.
std::string StyledForTerminal(std::string_view text, int descriptor = STDOUT_FILENO);

}  // namespace sparkprof

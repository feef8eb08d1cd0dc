// SPDX-License-Identifier: Apache-2.0
#include "output/terminal_style.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstdlib>

#include "base/text/escaped_text.h"
#include "base/text/text.h"
#include "render/writers/display_width.h"

namespace sparkprof {
namespace {

constexpr size_t kNarrowest = 40;
constexpr size_t kWidestText = 120;  // longer lines are hard to read
constexpr std::string_view kBold = "\033[1m", kRed = "\033[1;31m", kYellow = "\033[33m", kPlain = "\033[0m";

}  // namespace

size_t OutputWidth(size_t otherwise, int descriptor) {
  if (isatty(descriptor) != 1) return otherwise;
  winsize size{};
  size_t columns = ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
  if (columns == 0) {
    const char* const variable = std::getenv("COLUMNS");
    columns = variable == nullptr ? 0 : static_cast<size_t>(ParseInteger(variable).value_or(0));
  }
  constexpr size_t kUsual = 80, kWidest = 10'000;
  if (columns == 0 || columns > kWidest) return kUsual;
  return columns < kNarrowest ? kNarrowest : columns;
}

std::optional<size_t> TerminalWidth(const std::string& output) {
  const size_t width = output.empty() || output == "-" ? OutputWidth(0) : 0;
  return width == 0 ? std::nullopt : std::optional(width);
}

bool HasColors(int descriptor) {
  if (isatty(descriptor) != 1) return false;
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') && terminal != nullptr && std::string_view(terminal) != "dumb";
}

TerminalStyle::TerminalStyle(int descriptor)
    : width_(std::min(OutputWidth(0, descriptor), kWidestText)), has_colors_(HasColors(descriptor)) {}

std::string TerminalStyle::Wrap(std::string_view text, size_t first, size_t indent) const {
  return WrapText(text, width_, first, indent);
}

std::string TerminalStyle::Bold(std::string_view text) const { return Sequence(kBold, text); }

std::string TerminalStyle::Name(Severity severity, size_t width) const {
  const std::string name = fmt::format("{:<{}}", SeverityName(severity), width);
  if (severity == Severity::kHigh) return Sequence(kRed, name);
  return severity == Severity::kMedium ? Sequence(kYellow, name) : name;
}

std::string TerminalStyle::Sequence(std::string_view code, std::string_view text) const {
  if (!has_colors_) return std::string(text);
  const bool ends_line = text.ends_with('\n');
  if (ends_line) text.remove_suffix(1);
  return fmt::format("{}{}{}{}", code, text, kPlain, ends_line ? "\n" : "");
}

std::string WrapForTerminal(std::string_view text) {
  constexpr size_t kWidestLabel = 30, kIndent = 2;
  const size_t width = OutputWidth(0);
  if (width == 0) return std::string(text);
  std::string wrapped;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (DisplayWidth(line) <= width) {
      wrapped.append(line).append(1, '\n');
      continue;
    }
    const size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const size_t label = line.find("  ", begin);
    const size_t behind = label == std::string_view::npos ? label : line.find_first_not_of(' ', label);
    const bool has_label = behind != std::string_view::npos && behind <= std::min(kWidestLabel, width / 2);
    const size_t kept = has_label ? behind : begin;
    wrapped.append(line.substr(0, kept));
    wrapped += WrapText(line.substr(kept), width, kept, has_label ? kept : kept + kIndent);
  }
  return wrapped;
}

std::string StyledForTerminal(std::string_view text, int descriptor) {
  if (!HasColors(descriptor)) return ForTerminal(text);
  std::string shown;
  while (!text.empty()) {
    size_t at = std::string_view::npos;
    std::string_view next;
    for (const std::string_view style : {kBold, kRed, kYellow, kPlain}) {
      if (const size_t found = text.find(style); found < at) at = found, next = style;
    }
    shown += ForTerminal(text.substr(0, at));
    if (next.empty()) break;
    shown += next;
    text.remove_prefix(at + next.size());
  }
  return shown;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "text_wrap.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "base/text.h"

namespace sparkprof {
namespace {

constexpr size_t kNarrowest = 40;

}  // namespace

size_t OutputWidth(size_t otherwise) {
  if (isatty(STDOUT_FILENO) != 1) return otherwise;
  winsize size{};
  size_t columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
  if (columns == 0) {
    const char* const variable = std::getenv("COLUMNS");
    columns = variable == nullptr ? 0 : static_cast<size_t>(ParseInteger(variable).value_or(0));
  }
  constexpr size_t kUsual = 80, kWidest = 10'000;
  if (columns == 0 || columns > kWidest) return kUsual;
  return columns < kNarrowest ? kNarrowest : columns;
}

bool HasColors() {
  if (isatty(STDOUT_FILENO) != 1) return false;
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') && terminal != nullptr && std::string_view(terminal) != "dumb";
}

size_t ColumnsOf(std::string_view text) {
  size_t columns = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\033') {
      at = text.find('m', at);
      if (at == std::string_view::npos) break;
    } else if ((static_cast<unsigned char>(text[at]) & 0xc0U) != 0x80U) {
      ++columns;
    }
  }
  return columns;
}

std::string WrapText(std::string_view text, size_t width, size_t first, size_t indent) {
  std::string lines;
  size_t column = first;
  bool at_start = true;
  for (const std::string_view word : Split(text, ' ')) {
    if (word.empty()) continue;
    const size_t columns = ColumnsOf(word);
    if (!at_start && width > 0 && column + 1 + columns > width) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
      at_start = true;
    }
    if (!at_start) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += columns;
    at_start = false;
  }
  return lines + "\n";
}

}  // namespace sparkprof

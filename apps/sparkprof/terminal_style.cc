// SPDX-License-Identifier: Apache-2.0
#include "terminal_style.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

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

}  // namespace sparkprof

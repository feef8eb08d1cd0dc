// SPDX-License-Identifier: Apache-2.0
#include "help_format.h"

#include <algorithm>
#include <string_view>

namespace sparkprof {

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  std::string text = CLI::Formatter::make_option_opts(option);
  for (const char* list : {" Needs:", " Excludes:"}) text.resize(std::min(text.find(list), text.size()));
  constexpr std::string_view kAnyText = " TEXT";
  if (option->get_positional() && text.starts_with(kAnyText) &&
      (text.size() == kAnyText.size() || text[kAnyText.size()] == ' ')) {
    text.erase(0, kAnyText.size());
  }
  return text;
}

}  // namespace sparkprof

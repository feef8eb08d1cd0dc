// SPDX-License-Identifier: Apache-2.0
#include "model/table_name.h"

namespace sparkprof {

std::string TableNameIn(std::string_view text) {
  constexpr std::string_view kBetween = "`.`";
  const size_t between = text.find(kBetween);
  if (between == std::string_view::npos || between == 0) return {};
  const size_t open = text.rfind('`', between - 1);
  if (open == std::string_view::npos) return {};
  std::string name;
  for (std::string_view rest = text.substr(open + 1);;) {
    const size_t end = rest.find('`');
    if (end == std::string_view::npos) return {};
    name += rest.substr(0, end);
    rest.remove_prefix(end);
    if (!rest.starts_with(kBetween)) return name;
    name += '.';
    rest.remove_prefix(kBetween.size());
  }
}

}  // namespace sparkprof

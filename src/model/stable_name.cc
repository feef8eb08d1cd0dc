// SPDX-License-Identifier: Apache-2.0
#include "model/stable_name.h"

#include "base/text/characters.h"

namespace sparkprof {
namespace {

// Length of the run at `start` for which `is` holds.
template <typename Is>
size_t RunLength(std::string_view text, size_t start, Is is) {
  size_t end = start;
  while (end < text.size() && is(text[end])) ++end;
  return end - start;
}

}  // namespace

std::string StableName(std::string_view name) {
  constexpr std::string_view kLambda = "$$Lambda", kAccessor = "Accessor";
  constexpr size_t kShortestAddress = 8;
  std::string stable;
  stable.reserve(name.size());
  for (size_t i = 0; i < name.size();) {
    const std::string_view rest = name.substr(i);
    if ((rest[0] == '.' || rest[0] == '/') && rest.substr(1, 2) == "0x") {
      const size_t digits = RunLength(rest, 3, IsHexDigit);
      if (digits >= kShortestAddress) {
        i += 3 + digits;
        continue;
      }
    }
    if (rest[0] == '$' && stable.ends_with(kLambda)) {
      i += 1 + RunLength(rest, 1, IsDigit);
      continue;
    }
    if (IsDigit(rest[0]) && stable.ends_with(kAccessor)) {
      i += RunLength(rest, 0, IsDigit);
      continue;
    }
    stable += rest[0];
    ++i;
  }
  return stable;
}

}  // namespace sparkprof

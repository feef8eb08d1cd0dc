// SPDX-License-Identifier: Apache-2.0
#include "base/masked_numbers.h"

#include "base/characters.h"

namespace sparkprof {

std::string MaskNumbers(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (!IsDigit(c)) {
      result += c;
    } else if (result.empty() || result.back() != '#') {
      result += '#';
    }
  }
  return result;
}

}  // namespace sparkprof

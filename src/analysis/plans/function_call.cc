// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/function_call.h"

#include <cctype>

namespace sparkprof {
namespace {

bool IsPartOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

bool CallsFunction(std::string_view text, const std::string& function) {
  const std::string call = function + "(";
  for (size_t at = text.find(call); at != std::string_view::npos; at = text.find(call, at + 1)) {
    if (at == 0 || !IsPartOfName(text[at - 1])) return true;
  }
  return false;
}

}  // namespace sparkprof

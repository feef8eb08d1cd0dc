// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// The name of a function as its author wrote it, of a symbol of C, C++ or Rust: without parameters, and without what
// the compiler adds to its parts and copies (".cold", ".constprop.0").
std::string FunctionOfSymbol(std::string_view symbol);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Converts a symbol of C, C++ or Rust to the function's name in source code: without parameters and without suffixes of
// compiler-generated parts and copies (".cold", ".constprop.0").
std::string FunctionOfSymbol(std::string_view symbol);

}  // namespace sparkprof

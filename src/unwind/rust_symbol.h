// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sparkprof {

// The path of a symbol of Rust's mangling scheme v0 (RFC 2603: "_R…"), without lifetimes, hashes of crates, and the
// type arguments of functions. Nothing if the symbol is of another scheme or damaged. Bounded work.
std::optional<std::string> RustPathOfSymbol(std::string_view symbol);

}  // namespace sparkprof

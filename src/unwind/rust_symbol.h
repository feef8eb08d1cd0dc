// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sparkprof {

// Demangles a symbol of Rust's mangling scheme v0 (RFC 2603: "_R…") to a path without lifetimes, crate hashes and type
// arguments of functions. nullopt if the symbol has another scheme or is damaged. Bounded work.
std::optional<std::string> RustPathOfSymbol(std::string_view symbol);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Names of functions as inferno-collapse-perf has them. stackcollapse-perf.pl differs in that it cuts at the first
// parenthesis even in a template, "std::function<void" for "std::function<void (int)>::operator()", keeps Rust's hashes
// and drops quotes.

// "main" of "main+0x1f".
std::string_view WithoutPerfOffset(std::string_view symbol);

// "core::fmt::Formatter<T>::pad" of "core::fmt::Formatter$LT$T$GT$::pad::h0123456789abcdef". True if `symbol` is one of
// Rust's that perf left so; other symbols leave `name` alone.
bool DemangleRust(std::string_view symbol, std::string* name);

// Cuts the arguments off: the first parenthesis outside of brackets that belongs neither to "(anonymous namespace)" nor
// to a receiver of Go, "net/http.(*Client).Do". Semicolons become colons.
void TidyPerfName(std::string* name);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// The version of this build: that of CMakeLists.txt, or the one of `make release VERSION=…`.
std::string_view Version();

// "sparkprof 1.0.0", as other tools' formats name the program that wrote a file.
std::string NamedVersion();

}  // namespace sparkprof

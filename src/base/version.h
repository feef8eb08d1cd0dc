// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// The version of this build, from CMakeLists.txt or `make release VERSION=…`.
std::string_view Version();

// "sparkprof 1.0.0": name of the writing program in other tools' formats.
std::string NamedVersion();

}  // namespace sparkprof

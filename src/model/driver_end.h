// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparkprof {

// Notice about a killed driver, followed by the reason if known: "exit code 137 of spark-submit". The driver itself
// could not record its end.
inline constexpr std::string_view kDriverEndNotice = "The driver ended without an application end event";

}  // namespace sparkprof

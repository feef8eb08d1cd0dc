// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "number_checks.h"

namespace sparkprof {

// Texts for options of `compare` that `diff` also has (pictures/picture_options.cc).
inline constexpr const char* kTopPurpose = "Number of rows in the text";
inline constexpr const char* kFailAbovePurpose = "Exit with code 1 if AFTER is more than this percentage above BEFORE";

// Parses "10%" or "10" as a non-negative number.
inline CLI::Validator Percentage() {
  return CLI::Validator(
      [](std::string& text) {
        if (text.ends_with('%')) text.pop_back();
        return AtLeast(0)(text);
      },
      "");
}

}  // namespace sparkprof

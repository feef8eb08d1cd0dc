// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace sparkprof {

// Validators for numbers. CLI11's would print an upper bound of 309 digits, and would not report that a text is not a
// number.

namespace internal {

template <typename IsAllowed>
CLI::Validator CheckNumber(const std::string& expected, IsAllowed is_allowed) {
  const auto check = [expected, is_allowed](const std::string& text) -> std::string {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const bool is_number = end != text.c_str() && *end == '\0' && std::isfinite(number);
    if (!is_number) return fmt::format("\"{}\" is not a number", text);
    return is_allowed(number) ? "" : fmt::format("{} must be {}", text, expected);
  };
  return CLI::Validator(check, "");
}

}  // namespace internal

inline CLI::Validator AtLeast(int least) {
  return internal::CheckNumber(fmt::format("at least {}", least), [least](double number) { return number >= least; });
}

inline CLI::Validator Between(int64_t least, int64_t most) {
  return internal::CheckNumber(fmt::format("from {} to {}", least, most), [=](double number) {
    return number >= static_cast<double>(least) && number <= static_cast<double>(most);
  });
}

// Checks numbers with a fraction.
inline CLI::Validator MoreThanZero() {
  return internal::CheckNumber("greater than 0", [](double number) { return number > 0; });
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

inline constexpr std::string_view kWildcard = "<*>";

// Puts `message` into `masked` with "<*>" for what looks like a parameter: numbers, with their unit of size or time
// ("366.3 MB", "12 ms"), hexadecimal numbers, ids (rdd_42_20, broadcast_9_piece0, application_…), host:port, paths and
// addresses, names with two dots or more (classes, hosts, settings), file names, quoted text, true and false, and what
// stands in parentheses or braces right behind a capitalised name (List(…), BlockManagerId(…)). A list of parameters is
// one. Words that only happen to have a digit (log4j, S3A, UTF-8) stay. One pass, no allocation once `masked` has
// grown.
void MaskMessage(std::string_view message, std::string* masked);

}  // namespace sparkprof

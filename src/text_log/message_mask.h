// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

inline constexpr std::string_view kWildcard = "<*>";

// Replaces parameters of `message` by "<*>": numbers, with a unit of size or time ("366.3 MB", "12 ms"), hexadecimal
// numbers, IDs (rdd_42_20, broadcast_9_piece0, application_…), host:port, paths and addresses, names with two dots or
// more (classes, hosts, settings), file names, quoted text, true and false, and text in parentheses or braces directly
// after a capitalized name (List(…), BlockManagerId(…)). A list of parameters is one. Words that contain a digit
// (log4j, S3A, UTF-8) are kept. One pass, no allocation once `masked` has grown.
void MaskMessage(std::string_view message, std::string* masked);

}  // namespace sparkprof

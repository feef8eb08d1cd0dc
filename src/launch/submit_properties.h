// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace sparkprof {

// Parses a spark-defaults.conf or --properties-file like Spark: the syntax of java.util.Properties (comments,
// continuation lines, escapes, "=", ":" or whitespace as separator), trimmed values, only keys that start with
// "spark.", last duplicate wins. The syntax has no errors; an invalid \\u escape is taken literally.
std::map<std::string, std::string> ParseProperties(std::string_view text);

}  // namespace sparkprof

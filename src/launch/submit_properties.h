// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace sparkprof {

// The settings in a spark-defaults.conf or --properties-file, read as Spark does: java.util.Properties' syntax
// (comments, continued lines, escapes, "=", ":" or white space as separator), values trimmed, keys outside "spark."
// left out, the last of equal keys kept. The syntax has no errors; a \u escape that is not one is taken literally.
std::map<std::string, std::string> ParseProperties(std::string_view text);

}  // namespace sparkprof

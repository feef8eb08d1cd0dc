// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Names of a jar's entries, from its central directory (PKWARE's APPNOTE.TXT, sections 4.3.12 and 4.3.16). Jars of 4
// GiB and more (zip64) are refused. Errors name the file and what was expected.
Result<std::vector<std::string>> ListJar(const std::string& path);

// What of the plugin is missing in its jar for this machine's architecture: names of entries. The error is ListJar's.
Result<std::vector<std::string>> MissingInPluginJar(const std::string& path);

}  // namespace sparkprof

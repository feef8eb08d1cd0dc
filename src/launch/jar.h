// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Names of a jar's entries, from its central directory (PKWARE's APPNOTE.TXT, sections 4.3.12 and 4.3.16). Jars of 4
// GiB and more (zip64) are refused. Errors name the file and what was expected.
Result<std::vector<std::string>> ListJar(const std::string& path);

// The content of a jar's entry. Errors name the file and what was expected; an entry above 64 MiB is refused.
Result<std::string> ReadJarEntry(const std::string& path, const std::string& name);

// The jar's name for this machine's native libraries: "linux-x64".
std::string_view JarArchitecture();

// The entries for this machine's architecture that are missing in the plugin's jar. The error is ListJar's.
Result<std::vector<std::string>> MissingInPluginJar(const std::string& path);

}  // namespace sparkprof

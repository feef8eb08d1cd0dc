// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Absolute path of the Spark plugin's jar: `chosen` (--plugin-jar), else SPARKPROF_PLUGIN_JAR, else
// ../lib/sparkprof-spark.jar relative to this program's folder, else spark-plugin/target of the source tree it was
// built in. The error lists the tried paths.
Result<std::string> FindPluginJar(const std::string& chosen);

// Lists a jar's entries from its central directory (PKWARE's APPNOTE.TXT, sections 4.3.12 and 4.3.16). Rejects jars of
// 4 GiB and more (zip64). Errors name the file and what was expected.
Result<std::vector<std::string>> ListJar(const std::string& path);

// Reads a jar's entry. Errors name the file and what was expected. Rejects entries above 64 MiB.
Result<std::string> ReadJarEntry(const std::string& path, const std::string& name);

// The jar's name for this machine's architecture: "linux-x64".
std::string_view JarArchitecture();

// Entries for this machine's architecture that are missing in the plugin's jar. Fails if ListJar does.
Result<std::vector<std::string>> MissingInPluginJar(const std::string& path);

}  // namespace sparkprof

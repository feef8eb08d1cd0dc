// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace sparkprof {

// Absolute path of the Spark plugin's jar: `chosen` (--plugin-jar), else SPARKPROF_PLUGIN_JAR, else
// ../lib/sparkprof-spark.jar relative to this program's folder, else spark-plugin/target of the source tree it was
// built in. The error lists the tried paths.
Result<std::string> FindPluginJar(const std::string& chosen);

}  // namespace sparkprof

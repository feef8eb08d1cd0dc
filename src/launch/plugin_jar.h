// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace sparkprof {

// Absolute path of the Spark plugin's jar: `chosen` (--plugin-jar), else the environment's SPARKPROF_PLUGIN_JAR, else
// ../lib/sparkprof-spark.jar beside this program's folder, else spark-plugin/target of the source tree that this
// program was built in. The error says where it was looked for.
Result<std::string> FindPluginJar(const std::string& chosen);

}  // namespace sparkprof

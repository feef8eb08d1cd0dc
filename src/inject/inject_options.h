// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparkprof {

// The plugin's jar in the image of the init container, and the folder of Spark's container that has a copy of it.
inline constexpr const char* kJarInImage = "/opt/sparkprof/lib/sparkprof-spark.jar";
inline constexpr const char* kPluginFolder = "/opt/sparkprof-plugin";

struct InjectOptions {
  std::string image;   // of the init container
  std::string server;  // URL of the collector, as pods reach it
  std::string secret;  // Secret in the pod's namespace whose key "ingest" is the collector's token; empty = none
  double share = 1;    // of the applications, 0 to 1
};

}  // namespace sparkprof

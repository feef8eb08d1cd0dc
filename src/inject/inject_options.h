// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparkprof {

// The plugin's jar in the image of the init container, and the folder of Spark's container that gets a copy.
inline constexpr const char* kJarInImage = "/opt/sparkprof/lib/sparkprof-spark.jar";
inline constexpr const char* kPluginFolder = "/opt/sparkprof-plugin";

struct InjectOptions {
  std::string image;   // image of the init container
  std::string server;  // collector's URL inside the cluster
  std::string secret;  // Secret in the pod's namespace with the collector's token under "ingest"; empty = none
  double share = 1;    // share of applications to profile, 0 to 1
};

}  // namespace sparkprof

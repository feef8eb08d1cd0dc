// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparkprof {

// Text of --plugin-jar.
inline constexpr const char* kPluginJarPurpose =
    "The Spark plugin's jar, which holds async-profiler (default: the one installed with sparkprof)";

}  // namespace sparkprof

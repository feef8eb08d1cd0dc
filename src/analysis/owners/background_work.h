// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparkprof {

// The work of a thread of a Spark JVM that is neither a task's nor the driver program's, by the name that Spark, Hadoop
// or HotSpot gives it: "garbage collection", "event bus". Empty for other threads.
std::string_view BackgroundWorkOf(std::string_view thread_name);

}  // namespace sparkprof

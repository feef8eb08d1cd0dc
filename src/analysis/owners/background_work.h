// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparkprof {

// The work of a Spark JVM's thread that belongs neither to a task nor to the driver program, from its name set by
// Spark, Hadoop or HotSpot: "garbage collection", "event bus". Empty for other threads.
std::string_view BackgroundWorkOf(std::string_view thread_name);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// The tags of a job from its property spark.job.tags: those of SparkContext.addJobTag as they are, and those of Spark
// Connect as "user:NAME", "session:ID", "operation:ID" and the tags of SparkSession.addTag. Without what Spark adds for
// itself.
std::vector<std::string> JobTags(std::string_view property);

}  // namespace sparkprof

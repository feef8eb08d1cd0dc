// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// The tags in a job's property spark.job.tags: those of SparkContext.addJobTag unchanged, and those of Spark Connect as
// "user:NAME", "session:ID", "operation:ID" and the tags of SparkSession.addTag. Without Spark's internal tags.
std::vector<std::string> JobTags(std::string_view property);

}  // namespace sparkprof

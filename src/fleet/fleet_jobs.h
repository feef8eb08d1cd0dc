// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sparkprof {

// All rows of a table in the result of `sparkprof fleet analyze`, for FROM.
std::string FleetFilesSql(const std::string& folder, const std::string& table);

// Statements that create the table `jobs` (id, attempt, source, job): the job that each application of the result is a
// run of. That is its name with dates, numbers and UUIDs replaced by '*'. Where runs of one name alternate between
// queries with different plans, they are several jobs: "etl * · plan 3f2a1c". A plan that follows another for good is
// the same job, which has changed.
std::vector<std::string> JobTableSql(const std::string& folder);

}  // namespace sparkprof

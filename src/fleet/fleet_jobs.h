// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sparkprof {

// All rows of a table in the result of `sparkprof fleet analyze`, as an expression for FROM.
std::string FleetFilesSql(const std::string& folder, const std::string& table);

// Statements that create the table `jobs` (id, attempt, source, job), which maps each application of the result to its
// job: the application's name with dates, numbers and UUIDs replaced by '*'. If runs of one name alternate between
// queries with different plans, they are several jobs: "etl * · plan 3f2a1c". A plan that permanently replaces another
// one is the same job after a change.
std::vector<std::string> JobTableSql(const std::string& folder);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/costs/price_list.h"
#include "base/result.h"

namespace sparkprof {

// Questions about the result of `sparkprof fleet analyze`.

// Locations whose logs are in a fleet's result, so that a collector can open them there:
// OUT/_sparkprof/locations.jsonl, one string per line.

// Adds new locations, local ones with their absolute path. For one process at a time; see FleetStore.
Result<void> AddFleetLocations(const std::string& output, const std::vector<std::string>& locations);

// In the order in which they were added; empty if the file does not exist.
std::vector<std::string> FleetLocations(const std::string& output);

// All rows of a table in the result of `sparkprof fleet analyze`, as an expression for FROM.
std::string FleetFilesSql(const std::string& folder, const std::string& table);

// Statements that create the table `jobs` (id, attempt, source, job), which maps each application of the result to its
// job: the application's name with dates, numbers and UUIDs replaced by '*'. If runs of one name alternate between
// queries with different plans, they are several jobs: "etl * · plan 3f2a1c". A plan that permanently replaces another
// one is the same job after a change.
std::vector<std::string> JobTableSql(const std::string& folder);

// Event logs of a job's last runs in the result of `sparkprof fleet analyze`, latest first. `job` is a name as in
// JobTableSql, or an application's name. Fails if there are none; the error lists the existing jobs.
Result<std::vector<std::string>> LogsOfJob(const std::string& folder, const std::string& job);

// A page about the result of `sparkprof fleet analyze` in `folder`: one HTML file. `prices` replace those stored with
// the rows. Fails if the folder has no such result.
Result<std::string> FleetReport(const std::string& folder, const std::optional<PriceList>& prices);

// The page's data as JSON, in the shape of web/src/fleet/contract.ts.
Result<std::string> FleetReportData(const std::string& folder, const std::optional<PriceList>& prices);

}  // namespace sparkprof

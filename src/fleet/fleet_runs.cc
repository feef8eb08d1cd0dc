// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "catalogue/duckdb/duckdb_scratch.h"
#include "fleet/fleet_result.h"

namespace sparkprof {
namespace {

constexpr int kMaxRuns = 20;
constexpr int kMaxNamed = 20;

}  // namespace

Result<std::vector<std::string>> LogsOfJob(const std::string& folder, const std::string& job) {
  std::error_code error;
  if (!std::filesystem::exists(folder + "/_sparkprof", error))
    return Fail(fmt::format("{}: not the output of sparkprof fleet analyze", folder));
  Result<ScratchDatabase> database = ScratchDatabase::Open();
  if (!database) return tl::unexpected(database.error());
  if (Result<void> prepared = database->Run(JobTableSql(folder)); !prepared) return tl::unexpected(prepared.error());
  const std::string from =
      fmt::format("FROM {} a JOIN jobs USING (id, attempt, source)", FleetFilesSql(folder, "applications"));
  // The name matches all runs, or those with one of several plans.
  Result<std::vector<std::string>> logs = database->Texts(
      fmt::format("SELECT source {} WHERE (job = {} OR split_part(job, ' · plan ', 1) = {} OR name = {}) AND "
                  "\"coreHours\" IS NOT NULL ORDER BY a.start DESC LIMIT {}",
                  from, QuotedText(job), QuotedText(job), QuotedText(job), kMaxRuns));
  if (!logs || !logs->empty()) return logs;
  const Result<std::vector<std::string>> jobs = database->Texts(
      fmt::format("SELECT job {} WHERE job IS NOT NULL GROUP BY 1 ORDER BY sum(\"coreHours\") DESC NULLS LAST LIMIT {}",
                  from, kMaxNamed));
  if (!jobs) return tl::unexpected(jobs.error());
  return Fail(fmt::format("{}: no run of job '{}' with executors; the largest jobs: {}", folder, job,
                          jobs->empty() ? "none" : fmt::format("{}", fmt::join(*jobs, ", "))));
}

}  // namespace sparkprof

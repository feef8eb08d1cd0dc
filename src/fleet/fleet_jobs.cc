// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "catalogue/duckdb/duckdb_session.h"
#include "fleet/fleet_result.h"

namespace sparkprof {
namespace {

// A plan with fewer runs is not a separate job, and plans with fewer changes between them do not count as alternating.
constexpr int kFewestRuns = 3, kFewestChanges = 4;

std::string TemplateSql(const std::string& name) {
  constexpr std::string_view kUuid = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";
  constexpr std::string_view kNumbers = "[0-9]+([-_:.T ]?[0-9]+)*";
  return fmt::format("regexp_replace(regexp_replace({}, '{}', '*', 'g'), '{}', '*', 'g')", name, kUuid, kNumbers);
}

}  // namespace

std::string FleetFilesSql(const std::string& folder, const std::string& table) {
  return fmt::format("read_parquet({}, union_by_name = true, hive_partitioning = false)",
                     QuotedPath(fmt::format("{}/{}", folder, table), "/**/*.parquet"));
}

std::vector<std::string> JobTableSql(const std::string& folder) {
  // The plan of the most expensive query.
  const std::string plans = fmt::format(
      "SELECT id, attempt, source, arg_max(plan, \"taskHours\") AS plan FROM {} WHERE plan IS NOT NULL GROUP BY ALL",
      FleetFilesSql(folder, "queries"));
  return {
      fmt::format("CREATE TABLE jobs AS SELECT a.id, a.attempt, a.source, a.start, {} AS job, plan FROM {} a LEFT JOIN "
                  "({}) USING (id, attempt, source)",
                  TemplateSql("a.name"), FleetFilesSql(folder, "applications"), plans),
      fmt::format(
          "UPDATE jobs SET job = job || ' · plan ' || left(plan, 6) WHERE (job, plan) IN (SELECT (job, plan) "
          "FROM jobs WHERE plan IS NOT NULL GROUP BY job, plan HAVING count(*) >= {}) AND job IN (SELECT job "
          "FROM (SELECT job, plan <> lag(plan) OVER (PARTITION BY job ORDER BY start, id) AS is_other FROM jobs "
          "WHERE plan IS NOT NULL) GROUP BY job HAVING count(*) FILTER (is_other) >= {})",
          kFewestRuns, kFewestChanges)};
}

}  // namespace sparkprof

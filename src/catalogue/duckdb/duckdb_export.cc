// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "catalogue/duckdb/duckdb_catalogue.h"
#include "catalogue/duckdb/duckdb_database.h"

namespace sparkprof {
namespace {

struct ExportedTable {
  const char* name;
  const char* query;
};

// Rows name their application, ns become timestamps, unknown values become NULL.
constexpr ExportedTable kExportedTables[] = {
    {"applications",
     "SELECT id AS application, attempt, name, user_name AS user, group_name AS \"group\", "
     "['running', 'finished', 'failed', 'incomplete'][status + 1] AS status, time_of(start_ns) AS start_time, "
     "time_of(end_ns) AS end_time, nullif(tasks, -1) AS tasks, nullif(cpu_ns, -1) AS cpu_ns, nullif(findings, -1) AS "
     "findings, nullif(core_ms, -1) AS core_ms, nullif(memory_mib_s, -1) AS memory_mib_s, nullif(saving_ns, -1) AS "
     "saving_ns, is_node = 1 AS is_node, job_version, spark_version, top_finding "
     "FROM applications ORDER BY start_ns"},
    {"stages",
     "SELECT a.id AS application, a.attempt, s.stage, s.attempt AS stage_attempt, s.name, s.status, "
     "time_of(s.start_ns) AS start_time, time_of(s.end_ns) AS end_time, s.tasks, s.failed_tasks, s.run_ns, s.cpu_ns "
     "FROM stages s JOIN applications a USING (entry)"},
    {"executors",
     "SELECT a.id AS application, a.attempt, e.id AS executor, e.host, e.cores, time_of(e.add_ns) AS add_time, "
     "time_of(e.remove_ns) AS remove_time FROM executors e JOIN applications a USING (entry)"},
    {"findings",
     "SELECT a.id AS application, a.attempt, f.rule, f.severity, f.title, f.gain_ns FROM findings f "
     "JOIN applications a USING (entry)"},
    {"series",
     "SELECT a.id AS application, a.attempt, m.series, make_timestamp(m.hour * 3600000000) AS hour, m.value AS maximum "
     "FROM maxima m JOIN applications a USING (entry)"},
    {"stack_totals",
     "SELECT a.id AS application, a.attempt, a.group_name AS \"group\", e.name AS event, e.unit, "
     "make_timestamp(t.hour::BIGINT * 3600000000) AS hour, t.stack, t.weight, t.count FROM totals t "
     "JOIN applications a USING (entry) JOIN events e ON e.number = t.event"},
    {"stacks",
     "SELECT s.number AS stack, s.parent, f.function, f.file FROM stacks s JOIN frames f ON f.number = s.frame"},
};

}  // namespace

Result<std::vector<std::string>> ExportDuckdbCatalogue(const std::string& path, const std::string& folder) {
  CatalogueProblem problem = CatalogueProblem::kNone;
  const Result<std::unique_ptr<DuckdbDatabase>> database = DuckdbDatabase::Open(path, {}, &problem);
  if (!database) return tl::unexpected(database.error());
  DuckdbConnection* const connection = (*database)->Writer();
  Result<void> done = connection->Run(
      {"CREATE TEMP MACRO time_of(ns) AS CASE WHEN ns = 0 THEN NULL ELSE make_timestamp(ns // 1000) END"});
  std::vector<std::string> files;
  for (const ExportedTable& table : kExportedTables) {
    files.push_back(fmt::format("{}/{}.parquet", folder, table.name));
    const std::string copy =
        fmt::format("COPY ({}) TO {} (FORMAT parquet, COMPRESSION zstd)", table.query, QuotedText(files.back()));
    if (done) done = connection->Run({copy});
  }
  return done.map([&] { return files; });
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "catalogue/duckdb/duckdb_rows.h"

#include <string>

#include "base/text/text.h"
#include "catalogue/catalogue_sql.h"

namespace sparkprof {

ApplicationRow RowOf(const SqlChunk& rows, size_t row) {
  const auto text = [&](size_t column) { return std::string(rows.Text(column, row)); };
  return {.key = {text(0), text(1)},
          .name = text(2),
          .user = text(3),
          .group = text(4),
          .status = static_cast<ApplicationStatus>(rows.Column<int32_t>(5)[row]),
          .start_ns = rows.Integer(6, row),
          .end_ns = rows.Integer(7, row),
          .tasks = rows.Integer(8, row),
          .cpu_ns = rows.Integer(9, row),
          .findings = rows.Integer(10, row),
          .core_ms = rows.Integer(11, row),
          .memory_mib_s = rows.Integer(12, row),
          .saving_ns = rows.Integer(13, row),
          .is_node = rows.Integer(14, row) != 0,
          .job_version = text(15),
          .spark_version = text(16),
          .location = text(17),
          .version = text(18),
          .viewers = text(19),
          .verdict = text(20),
          .top_finding = text(21)};
}

void AppendRow(int32_t entry, const ApplicationRow& row, DuckdbAppender* rows) {
  rows->Row(entry, ToUtf8(row.key.id), ToUtf8(row.key.attempt), ToUtf8(row.name), ToUtf8(row.user), ToUtf8(row.group),
            static_cast<int32_t>(row.status), row.start_ns, row.end_ns, row.tasks, row.cpu_ns, row.findings,
            row.core_ms, row.memory_mib_s, row.saving_ns, int64_t{row.is_node}, ToUtf8(row.job_version),
            ToUtf8(row.spark_version), ToUtf8(row.location), ToUtf8(row.version), ToUtf8(row.viewers),
            ToUtf8(row.verdict), ToUtf8(row.top_finding));
}

void AppendLists(int32_t entry, const CatalogueEntry& content, EntryAppenders* to) {
  for (const StageRow& stage : content.stages) {
    to->stages.Row(entry, stage.stage, stage.attempt, ToUtf8(stage.name), ToUtf8(stage.status), stage.start_ns,
                   stage.end_ns, stage.tasks, stage.failed_tasks, stage.run_ns, stage.cpu_ns);
  }
  for (const ExecutorRow& executor : content.executors) {
    to->executors.Row(entry, ToUtf8(executor.id), ToUtf8(executor.host), executor.cores, executor.add_ns,
                      executor.remove_ns);
  }
  for (const FindingRow& finding : content.findings) {
    to->findings.Row(entry, ToUtf8(finding.rule), ToUtf8(finding.severity), ToUtf8(finding.title), finding.gain_ns);
  }
  for (const SeriesMaximum& maximum : content.maxima) {
    to->maxima.Row(entry, ToUtf8(maximum.series), HourOf(maximum.hour_ns), maximum.value);
  }
}

}  // namespace sparkprof

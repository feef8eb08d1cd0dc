// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalogue/application_cursor.h"
#include "catalogue/catalogue.h"
#include "catalogue/sql.h"

namespace sparkprof {

// The questions to a catalogue as SQL that DuckDB and ClickHouse (from 18.16) answer alike. Tables and columns:
//   applications  entry, id, attempt, name, user_name, group_name, status, start_ns, end_ns, tasks, cpu_ns, findings,
//                 core_ms, memory_mib_s, job_version, spark_version, location, version, viewers, verdict
//   findings      entry, rule, severity, title, gain_ns
//   maxima        entry, series, hour, value
//   totals        entry, group_id, hour, event, stack, weight, count
// `entry` is the number of an application's current content. Hours are since the Unix epoch.

// Differences between the databases' dialects.
struct SqlDialect {
  const char* applications;  // the table
  const char* current;       // true for its rows that count
  const char* findings;
  const char* maxima;
  const char* contains;  // true if the column {} has the text of the next `?`, whatever the case
  const char* has;       // the same, and the case matters
  const char* sum;       // of {}, as a 64-bit integer
};

inline constexpr int64_t kHourNs = 3'600'000'000'000;

// Hours that overlap a range: [first, end).
struct HourRange {
  int64_t first = INT64_MIN;
  int64_t end = INT64_MAX;
};
HourRange HoursOf(const GroupRange& range);
int64_t HourOf(int64_t time_ns);  // rounded down

// The columns of ApplicationRow, in its order.
inline constexpr const char* kApplicationColumns =
    "id, attempt, name, user_name, group_name, status, start_ns, end_ns, tasks, cpu_ns, findings, core_ms, "
    "memory_mib_s, job_version, spark_version, location, version, viewers, verdict";

// Rows of kApplicationColumns, at most `limit` of them. `cursor` is that of `query`, null for the first page.
Sql ApplicationsSql(const SqlDialect& dialect, const ApplicationQuery& query, const ApplicationCursor* cursor,
                    size_t limit);
Sql CountSql(const SqlDialect& dialect, const ApplicationQuery& query);
// Rows of kApplicationColumns: the one of that attempt, or of the latest.
Sql FindSql(const SqlDialect& dialect, const std::string& id, const std::optional<std::string>& attempt);
// Cuts a page that was read with one row more than `query.limit`, and sets its cursor.
void EndPage(const ApplicationQuery& query, ApplicationPage* page);
// The columns of GroupRow.
Sql GroupsSql(const SqlDialect& dialect, const std::optional<Viewer>& viewer);
// Adds FROM and WHERE: the applications of a range. `ran` restricts them to those that ran in its hours.
void AddRangeApplications(const SqlDialect& dialect, const GroupRange& range, bool ran, Sql* sql);
// Entry, ID, attempt and start of the applications that ran in the range.
Sql RangeApplicationsSql(const SqlDialect& dialect, const GroupRange& range);
// Entry, rule, severity, title and gain of their findings. See GroupFindingSums.
Sql RangeFindingsSql(const SqlDialect& dialect, const GroupRange& range);
// Series, hour, value.
Sql GroupMaximaSql(const SqlDialect& dialect, const GroupRange& range);

}  // namespace sparkprof

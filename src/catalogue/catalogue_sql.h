// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "catalogue/application_cursor.h"
#include "catalogue/catalogue.h"

namespace sparkprof {

using SqlValue = std::variant<int64_t, std::string>;

// A statement with a value for each `?`. The text consists of constants of this program only.
struct Sql {
  std::string text;
  std::vector<SqlValue> values = {};

  void Add(std::string_view more, std::initializer_list<SqlValue> more_values = {}) {
    text += more;
    values.insert(values.end(), more_values);
  }
};

// The questions to a catalogue as SQL that DuckDB and ClickHouse (from 18.16) answer alike. Tables and columns:
//   applications  entry, id, attempt, name, user_name, group_name, status, start_ns, end_ns, tasks, cpu_ns, findings,
//                 core_ms, memory_mib_s, saving_ns, is_node, job_version, spark_version, location, version, viewers,
//                 verdict, top_finding
//   findings      entry, rule, severity, title, gain_ns
//   maxima        entry, series, hour, value
//   totals        entry, group_id, hour, event, stack, weight, count
// `entry` is the number of an application's current content. Hours are since the Unix epoch.

// Differences between the databases' dialects.
struct SqlDialect {
  const char* applications;
  const char* current;  // condition for current rows
  const char* findings;
  const char* maxima;
  const char* contains;  // condition: column {} contains the text of the next `?`, case-insensitive
  const char* has;       // the same, case-sensitive
  const char* sum;       // sum of {} as a 64-bit integer
};

inline constexpr int64_t kHourNs = 3'600'000'000'000;

// Hours that overlap a range: [first, end).
struct HourRange {
  int64_t first = INT64_MIN;
  int64_t end = INT64_MAX;
};
HourRange HoursOf(const GroupRange& range);
int64_t HourOf(int64_t time_ns);  // rounded down

// The columns of ApplicationRow in its order.
inline constexpr const char* kApplicationColumns =
    "id, attempt, name, user_name, group_name, status, start_ns, end_ns, tasks, cpu_ns, findings, core_ms, "
    "memory_mib_s, saving_ns, is_node, job_version, spark_version, location, version, viewers, verdict, top_finding";

// Selects at most `limit` rows of kApplicationColumns. `cursor` is the parsed `query.cursor`, null for the first page.
Sql ApplicationsSql(const SqlDialect& dialect, const ApplicationQuery& query, const ApplicationCursor* cursor,
                    size_t limit);
Sql CountSql(const SqlDialect& dialect, const ApplicationQuery& query);
// Selects entry, ID and attempt of all matching applications.
Sql EntriesSql(const SqlDialect& dialect, const ApplicationQuery& query);
// Selects a row of kApplicationColumns: that attempt, or the latest.
Sql FindSql(const SqlDialect& dialect, const std::string& id, const std::optional<std::string>& attempt);
// Removes the extra row (query.limit + 1) that shows whether there is another page, and sets the cursor.
void EndPage(const ApplicationQuery& query, ApplicationPage* page);
// Selects the columns of GroupRow.
Sql GroupsSql(const SqlDialect& dialect, const std::optional<Viewer>& viewer);
// Adds FROM and WHERE for the applications of a range. `ran` restricts them to those that ran in its hours.
void AddRangeApplications(const SqlDialect& dialect, const GroupRange& range, bool ran, Sql* sql);
// Selects entry, ID, attempt and start of the applications that ran in the range.
Sql RangeApplicationsSql(const SqlDialect& dialect, const GroupRange& range);
// Selects entry, rule, severity, title and gain of their findings, for GroupFindingSums.
Sql RangeFindingsSql(const SqlDialect& dialect, const GroupRange& range);
// Selects series, hour and value.
Sql GroupMaximaSql(const SqlDialect& dialect, const GroupRange& range);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "catalogue/catalogue_sql.h"

#include <fmt/format.h>

#include "base/text/text.h"

namespace sparkprof {
namespace {

const char* OrderColumn(ApplicationOrder order) {
  switch (order) {
    case ApplicationOrder::kStart:
      return "start_ns";
    case ApplicationOrder::kEnd:
      return "end_ns";
    case ApplicationOrder::kDuration:
      return "(end_ns - start_ns)";
    case ApplicationOrder::kTasks:
      return "tasks";
    case ApplicationOrder::kCpu:
      return "cpu_ns";
    case ApplicationOrder::kFindings:
      return "findings";
    case ApplicationOrder::kSaving:
      return "saving_ns";
    case ApplicationOrder::kName:
      return "name";
    case ApplicationOrder::kUser:
      return "user_name";
    case ApplicationOrder::kGroup:
      return "group_name";
    case ApplicationOrder::kStatus:
      break;
  }
  return "status";
}

// A running application has no end yet. An unknown start precedes every range; an unknown end equals the start.
void AddRange(const std::optional<int64_t>& from_ns, const std::optional<int64_t>& to_ns, Sql* sql) {
  if (from_ns) {
    sql->Add(" AND (status = 0 OR end_ns >= ? OR start_ns >= ?)", {*from_ns, *from_ns});
  }
  if (to_ns) sql->Add(" AND start_ns < ?", {*to_ns});
}

void AddViewer(const SqlDialect& dialect, const std::optional<Viewer>& viewer, Sql* sql) {
  if (!viewer) return;
  const std::string has = fmt::format(fmt::runtime(dialect.has), "viewers");
  const std::vector<std::string> terms = ViewerTerms(*viewer);
  if (terms.empty()) sql->Add(fmt::format(" AND NOT ({})", has), {std::string(kTenantMark)});
  const char* separator = " AND (";
  for (const std::string& term : terms) {
    sql->Add(separator);
    sql->Add(has, {ToUtf8(term)});
    separator = " OR ";
  }
  if (!terms.empty()) sql->Add(")");
}

void AddFilter(const SqlDialect& dialect, const ApplicationQuery& query, Sql* sql) {
  sql->Add(fmt::format(" WHERE {}", dialect.current));
  if (query.id) sql->Add(" AND id = ?", {ToUtf8(*query.id)});
  if (!query.in_location.empty()) {
    sql->Add(" AND " + fmt::format(fmt::runtime(dialect.has), "location"), {ToUtf8(query.in_location)});
  }
  if (!query.search.empty()) {
    const std::string search = ToUtf8(query.search);
    const char* separator = " AND (";
    for (const char* column : {"id", "name", "user_name", "group_name"}) {
      sql->Add(separator);
      sql->Add(fmt::format(fmt::runtime(dialect.contains), column), {search});
      separator = " OR ";
    }
    sql->Add(")");
  }
  if (query.group) sql->Add(" AND group_name = ?", {ToUtf8(*query.group)});
  if (query.user) sql->Add(" AND user_name = ?", {ToUtf8(*query.user)});
  if (query.status) sql->Add(" AND status = ?", {static_cast<int64_t>(*query.status)});
  if (query.finding) {
    sql->Add(fmt::format(" AND entry IN (SELECT entry FROM {} WHERE rule = ?)", dialect.findings),
             {ToUtf8(*query.finding)});
  }
  if (query.without_nodes) sql->Add(" AND is_node = 0");
  AddRange(query.from_ns, query.to_ns, sql);
  AddViewer(dialect, query.viewer, sql);
}

}  // namespace

int64_t HourOf(int64_t time_ns) { return time_ns / kHourNs - (time_ns % kHourNs < 0 ? 1 : 0); }

HourRange HoursOf(const GroupRange& range) {
  HourRange hours;
  if (range.from_ns) hours.first = HourOf(*range.from_ns);
  if (range.to_ns) hours.end = HourOf(*range.to_ns) + (*range.to_ns % kHourNs == 0 ? 0 : 1);
  // An empty range contains no hours, not even the one that it lies in.
  if (range.from_ns && range.to_ns && *range.to_ns <= *range.from_ns) hours.end = hours.first;
  return hours;
}

Sql ApplicationsSql(const SqlDialect& dialect, const ApplicationQuery& query, const ApplicationCursor* cursor,
                    size_t limit) {
  const char* const column = OrderColumn(query.order);
  Sql sql{fmt::format("SELECT {} FROM {}", kApplicationColumns, dialect.applications)};
  AddFilter(dialect, query, &sql);
  if (cursor != nullptr) {
    const SqlValue value = std::visit([](const auto& of_row) { return SqlValue(of_row); }, cursor->value);
    const char* const after = query.descending ? "<" : ">";
    sql.Add(fmt::format(" AND ({0} {1} ? OR ({0} = ? AND (id {1} ? OR (id = ? AND attempt {1} ?))))", column, after),
            {value, value, cursor->key.id, cursor->key.id, cursor->key.attempt});
  }
  const char* const direction = query.descending ? "DESC" : "ASC";
  sql.Add(fmt::format(" ORDER BY {0} {1}, id {1}, attempt {1} LIMIT {2}", column, direction, limit));
  return sql;
}

Sql CountSql(const SqlDialect& dialect, const ApplicationQuery& query) {
  Sql sql{fmt::format("SELECT count(*) FROM {}", dialect.applications)};
  AddFilter(dialect, query, &sql);
  return sql;
}

Sql EntriesSql(const SqlDialect& dialect, const ApplicationQuery& query) {
  Sql sql{fmt::format("SELECT entry, id, attempt FROM {}", dialect.applications)};
  AddFilter(dialect, query, &sql);
  return sql;
}

Sql FindSql(const SqlDialect& dialect, const std::string& id, const std::optional<std::string>& attempt) {
  Sql sql{
      fmt::format("SELECT {} FROM {} WHERE {} AND id = ?", kApplicationColumns, dialect.applications, dialect.current),
      {ToUtf8(id)}};
  if (attempt) sql.Add(" AND attempt = ?", {ToUtf8(*attempt)});
  // Attempts are numbers: "10" is later than "9".
  sql.Add(" ORDER BY start_ns DESC, length(attempt) DESC, attempt DESC LIMIT 1");
  return sql;
}

void EndPage(const ApplicationQuery& query, ApplicationPage* page) {
  if (page->applications.size() <= query.limit) return;
  page->applications.resize(query.limit);
  if (query.limit > 0) page->next = CursorText(CursorOf(page->applications.back(), query.order), query);
}

Sql GroupsSql(const SqlDialect& dialect, const std::optional<Viewer>& viewer) {
  const auto sum = [&](const char* of) { return fmt::format(fmt::runtime(dialect.sum), of); };
  Sql sql{
      fmt::format("SELECT group_name, {}, {}, {}, min(start_ns), max(start_ns), {}, {}, {} FROM {} WHERE {} "
                  "AND is_node = 0",
                  sum("1"), sum("CASE WHEN status = 0 THEN 1 ELSE 0 END"),
                  sum("CASE WHEN status = 2 THEN 1 ELSE 0 END"), sum("CASE WHEN cpu_ns > 0 THEN cpu_ns ELSE 0 END"),
                  sum("CASE WHEN core_ms > 0 AND memory_mib_s > 0 THEN core_ms ELSE 0 END"),
                  sum("CASE WHEN core_ms > 0 AND memory_mib_s > 0 THEN memory_mib_s ELSE 0 END"), dialect.applications,
                  dialect.current)};
  AddViewer(dialect, viewer, &sql);
  sql.Add(" GROUP BY group_name ORDER BY group_name");
  return sql;
}

void AddRangeApplications(const SqlDialect& dialect, const GroupRange& range, bool ran, Sql* sql) {
  sql->Add(fmt::format(" FROM {} WHERE {} AND group_name = ?", dialect.applications, dialect.current),
           {ToUtf8(range.group)});
  if (range.application) {
    sql->Add(" AND id = ? AND attempt = ?", {ToUtf8(range.application->id), ToUtf8(range.application->attempt)});
  }
  AddViewer(dialect, range.viewer, sql);
  if (!ran) return;
  const HourRange hours = HoursOf(range);
  const auto time = [](int64_t hour) { return hour * kHourNs; };
  AddRange(range.from_ns ? std::optional(time(hours.first)) : std::nullopt,
           range.to_ns ? std::optional(time(hours.end)) : std::nullopt, sql);
}

Sql RangeApplicationsSql(const SqlDialect& dialect, const GroupRange& range) {
  Sql sql{"SELECT entry, id, attempt, start_ns"};
  AddRangeApplications(dialect, range, /*ran=*/true, &sql);
  return sql;
}

Sql RangeFindingsSql(const SqlDialect& dialect, const GroupRange& range) {
  Sql sql{fmt::format("SELECT entry, rule, severity, title, gain_ns FROM {} WHERE entry IN (SELECT entry",
                      dialect.findings)};
  AddRangeApplications(dialect, range, /*ran=*/true, &sql);
  sql.Add(")");
  return sql;
}

Sql GroupMaximaSql(const SqlDialect& dialect, const GroupRange& range) {
  const HourRange hours = HoursOf(range);
  Sql sql{fmt::format("SELECT series, hour, max(value) FROM {} WHERE hour >= ? AND hour < ? AND entry IN (SELECT entry",
                      dialect.maxima),
          {hours.first, hours.end}};
  AddRangeApplications(dialect, range, /*ran=*/false, &sql);
  sql.Add(") GROUP BY series, hour ORDER BY series, hour");
  return sql;
}

}  // namespace sparkprof

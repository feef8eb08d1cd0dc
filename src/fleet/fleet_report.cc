// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/json_writer.h"
#include "base/time.h"
#include "catalogue/duckdb/duckdb_scratch.h"
#include "fleet/fleet_result.h"
#include "render/report/embedded_file.h"

namespace sparkprof {
namespace {

constexpr std::string_view kFleetDataPlace = R"(<script id="sparkprof-data" type="application/octet-stream">)";
constexpr size_t kMaxQueries = 300;
constexpr size_t kMaxSources = 200;
constexpr size_t kMaxFailures = 200;
// Maximum number of values per setting.
constexpr size_t kMaxValues = 8;

// Costs of core-hours and GB-hours; without prices, the column `kept` of the rows.
std::string MoneySql(const std::optional<PriceList>& prices, std::string_view core_hours, std::string_view gb_hours,
                     std::string_view kept) {
  if (!prices) return std::string(kept);
  return fmt::format("(\"{}\" * {} + coalesce(\"{}\", 0) * {})", core_hours, prices->core_hour, gb_hours,
                     prices->gb_hour);
}

struct NamedSql {
  std::string_view name;
  std::string sql;  // query for one text, which is JSON
};

// Replaces the texts of a column by numbers of a list of its values.
std::vector<std::string> DictionarySql(std::string_view column) {
  return {fmt::format("CREATE TABLE values_{0} AS SELECT value, row_number() OVER (ORDER BY value) - 1 AS number FROM "
                      "(SELECT DISTINCT coalesce(\"{0}\", '') AS value FROM apps)",
                      column),
          fmt::format("CREATE TABLE numbers_{0} AS SELECT n, number FROM apps JOIN values_{0} ON value = "
                      "coalesce(\"{0}\", '')",
                      column)};
}

constexpr std::string_view kTextColumns[] = {"user", "queue", "job", "engine", "sparkVersion"};

// Tables and paths by application, named as in TextOf(Dataset). Output of earlier versions has none until the next run
// of `fleet analyze`.
std::string DatasetsSql(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder + "/datasets", error)) {
    return "CREATE TABLE datasets AS SELECT '' AS dataset, 0 AS reads, 0 AS \"bytesRead\", 0.0 AS core, n, money, "
           "\"coreHours\" FROM apps WHERE false";
  }
  return fmt::format(
      "CREATE TABLE datasets AS SELECT coalesce(\"catalogName\", CASE WHEN coalesce(namespace, 'file') = 'file' THEN "
      "d.name ELSE namespace || CASE WHEN d.name LIKE '/%' THEN '' ELSE '/' END || d.name END) AS dataset, reads, "
      "\"bytesRead\", \"readMs\" / 3600000 AS core, apps.n, apps.money, apps.\"coreHours\" FROM {} d JOIN apps USING "
      "(id, attempt, source)",
      FleetFilesSql(folder, "datasets"));
}

std::vector<std::string> PreparationSql(const std::string& folder, const std::optional<PriceList>& prices) {
  std::vector<std::string> statements = JobTableSql(folder);
  for (std::string& statement : std::vector<std::string>{
           "SET memory_limit = '4GB'",
           fmt::format(
               "CREATE TABLE apps AS SELECT row_number() OVER (ORDER BY a.start, id, source) - 1 AS n, jobs.job, "
               "{} AS money, a.* FROM {} a JOIN jobs USING (id, attempt, source)",
               MoneySql(prices, "coreHours", "gbHours", "cost"), FleetFilesSql(folder, "applications")),
           fmt::format("CREATE TABLE found AS SELECT apps.n, f.rule, f.title, f.change, f.\"savedCoreHours\" AS core, "
                       "f.\"savedGbHours\" AS gb, {} AS money FROM {} f JOIN apps USING (id, attempt, source)",
                       MoneySql(prices, "savedCoreHours", "savedGbHours", "f.\"savedCost\""),
                       FleetFilesSql(folder, "findings")),
           fmt::format(
               "CREATE TABLE reads AS SELECT apps.n, sum(s.\"inputBytes\") AS bytes FROM {} s JOIN apps USING (id, "
               "attempt, source) GROUP BY 1",
               FleetFilesSql(folder, "stages")),
           fmt::format("CREATE TABLE queries AS SELECT apps.n, apps.job, q.*, apps.money * q.\"taskHours\" / "
                       "nullif(apps.\"coreHours\", 0) AS money FROM {} q JOIN apps USING (id, attempt, source)",
                       FleetFilesSql(folder, "queries")),
           DatasetsSql(folder),
           "CREATE TABLE rules AS SELECT rule, row_number() OVER (ORDER BY rule) - 1 AS number, arg_max(title, core) "
           "AS "
           "title, arg_max(change, core) AS change FROM found GROUP BY rule"}) {
    statements.push_back(std::move(statement));
  }
  for (const std::string_view column : kTextColumns) {
    for (std::string& statement : DictionarySql(column)) statements.push_back(std::move(statement));
  }
  return statements;
}

std::string ColumnSql(std::string_view value) {
  return fmt::format("SELECT coalesce(to_json(list({} ORDER BY n)), '[]')::VARCHAR FROM apps", value);
}

// A bit per application, by its number, most significant bit first. The page uses it to select the applications of a
// row.
std::string BitsSql(uint64_t applications) {
  const uint64_t bytes = std::max<uint64_t>(1, (applications + 7) / 8);
  return fmt::format("base64(bitstring_agg(n::BIGINT, 0::BIGINT, {}::BIGINT)::BLOB) AS bits", 8 * bytes - 1);
}

std::string RowsSql(std::string_view query) {
  return fmt::format("SELECT coalesce(to_json(list(rows)), '[]')::VARCHAR FROM ({}) rows", query);
}

std::vector<NamedSql> DataSql(const std::string& folder, uint64_t applications) {
  const std::string bits = BitsSql(applications);
  std::vector<NamedSql> data;
  for (const std::string_view column : kTextColumns) {
    data.push_back({column, fmt::format("SELECT coalesce(to_json(list(number ORDER BY n)), '[]')::VARCHAR FROM "
                                        "numbers_{}",
                                        column)});
  }
  data.push_back({"id", ColumnSql("id")});
  data.push_back({"source", ColumnSql("source")});
  data.push_back({"start", ColumnSql("epoch_ms(start)")});
  data.push_back({"durationMs", ColumnSql("\"durationMs\"")});
  data.push_back({"core", ColumnSql("round(\"coreHours\", 4)")});
  data.push_back({"wasted", ColumnSql("round(\"wastedCoreHours\", 4)")});
  data.push_back({"gb", ColumnSql("round(\"gbHours\", 4)")});
  data.push_back({"cost", ColumnSql("round(money, 4)")});
  data.push_back(
      {"inputBytes",
       "SELECT coalesce(to_json(list(bytes ORDER BY n)), '[]')::VARCHAR FROM apps LEFT JOIN reads USING (n)"});
  for (const auto& [name, value] : {std::pair("findingApplication", "n"), std::pair("findingRule", "number"),
                                    std::pair("findingCore", "round(core, 5)"), std::pair("findingGb", "round(gb, 5)"),
                                    std::pair("findingCost", "round(money, 5)")}) {
    data.push_back({name, fmt::format("SELECT coalesce(to_json(list({} ORDER BY n, number)), '[]')::VARCHAR FROM found "
                                      "JOIN rules USING (rule)",
                                      value)});
  }
  data.push_back({"rules", RowsSql("SELECT rule, title, change FROM rules ORDER BY number")});
  data.push_back(
      {"queries",
       RowsSql(fmt::format(
           "SELECT job, any_value(description) AS description, count(*) AS runs, sum(\"taskHours\") AS core, "
           "sum(money) AS cost, median(\"durationMs\") AS medianMs, max(\"durationMs\") AS longestMs, "
           "sum(\"spilledBytes\") AS spilledBytes, count(failure) AS failed, sum(fallbacks) AS fallbacks, "
           "any_value(engine) AS engine FROM queries GROUP BY job, coalesce(plan, description) ORDER BY core "
           "DESC NULLS LAST LIMIT {}",
           kMaxQueries))});
  data.push_back(
      {"tables",
       RowsSql(fmt::format("SELECT dataset AS name, sum(reads)::BIGINT AS queries, count(DISTINCT n) AS "
                           "applications, sum(core) AS core, sum(money * core / nullif(\"coreHours\", 0)) AS cost, "
                           "sum(\"bytesRead\")::BIGINT AS bytes, {} FROM datasets WHERE reads > 0 GROUP BY 1 "
                           "ORDER BY core DESC NULLS LAST LIMIT {}",
                           bits, kMaxSources))});
  data.push_back({"settings",
                  RowsSql(fmt::format(
                      "SELECT key, value, count(*) AS applications, sum(apps.\"coreHours\") AS core, {} FROM {} s JOIN "
                      "apps USING (id, attempt, source) WHERE regexp_matches(key, "
                      "'^spark\\.(executor\\.(memory|cores|instances|memoryOverhead.*)|driver\\.memory|"
                      "dynamicAllocation\\..*|memory\\..*|serializer|speculation|shuffle\\.service.*|"
                      "sql\\.(adaptive.*|shuffle\\.partitions|autoBroadcastJoinThreshold|files\\.maxPartitionBytes|"
                      "execution\\.arrow.*)|plugins|eventLog\\.(compress|rolling).*)$') GROUP BY 1, 2 QUALIFY "
                      "row_number() OVER (PARTITION BY key ORDER BY count(*) DESC) <= {} ORDER BY key, "
                      "applications DESC",
                      bits, FleetFilesSql(folder, "settings"), kMaxValues))});
  data.push_back({"failures", RowsSql(fmt::format("SELECT source, reason FROM {} ORDER BY source LIMIT {}",
                                                  FleetFilesSql(folder, "failures"), kMaxFailures))});
  data.push_back({"failed", fmt::format("SELECT count(*)::VARCHAR FROM {}", FleetFilesSql(folder, "failures"))});
  return data;
}

// Escapes JSON so that it cannot end the surrounding HTML element.
void AppendEscaped(std::string_view json, std::string* html) {
  for (const char c : json) {
    if (c == '<') {
      *html += "\\u003c";
    } else {
      *html += c;
    }
  }
}

}  // namespace

Result<std::string> FleetReportData(const std::string& folder, const std::optional<PriceList>& prices) {
  std::error_code error;
  if (!std::filesystem::exists(folder + "/_sparkprof", error))
    return Fail(fmt::format("{}: not the output of sparkprof fleet analyze", folder));
  Result<ScratchDatabase> database = ScratchDatabase::Open();
  if (!database) return tl::unexpected(database.error());
  if (Result<void> prepared = database->Run(PreparationSql(folder, prices)); !prepared)
    return tl::unexpected(prepared.error());
  const Result<std::vector<std::string>> applications = database->Texts("SELECT count(*)::VARCHAR FROM apps");
  if (!applications) return tl::unexpected(applications.error());
  JsonWriter json;
  json.BeginObject().Member("currency", prices ? prices->currency : std::string());
  json.Member("generated", EpochNanos() / kNanosPerMilli);
  const auto add = [&](std::string_view name, const std::string& sql) -> Result<void> {
    const Result<std::vector<std::string>> texts = database->Texts(sql);
    if (!texts) return tl::unexpected(texts.error());
    json.Key(name).Raw(texts->front());
    return {};
  };
  json.Key("values").BeginObject();
  for (const std::string_view column : kTextColumns) {
    if (Result<void> added = add(column, fmt::format("SELECT coalesce(to_json(list(value ORDER BY number)), "
                                                     "'[]')::VARCHAR FROM values_{}",
                                                     column));
        !added) {
      return tl::unexpected(added.error());
    }
  }
  json.EndObject();
  for (const NamedSql& one : DataSql(folder, std::stoull(applications->front()))) {
    if (Result<void> added = add(one.name, one.sql); !added) return tl::unexpected(added.error());
  }
  return json.EndObject().Take();
}

Result<std::string> FleetReport(const std::string& folder, const std::optional<PriceList>& prices) {
  const Result<std::string> data = FleetReportData(folder, prices);
  if (!data) return data;
  const std::string_view page = FleetPage();
  const size_t place = page.find(kFleetDataPlace) + kFleetDataPlace.size();
  std::string html(page.substr(0, place));
  html.reserve(page.size() + data->size() + data->size() / 64);
  AppendEscaped(*data, &html);
  html += page.substr(place);
  return html;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include "base/redaction/redaction.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "catalogue/duckdb/duckdb_parquet.h"
#include "server/responses.h"
#include "server/routes/answers.h"
#include "server/routes/query.h"
#include "server/runs/run_rows.h"
#include "server/runs/run_store.h"

namespace sparkprof {
namespace {

constexpr int64_t kMaxListed = 1'000;
constexpr size_t kMaxRows = 200'000;  // maximum per answer

std::optional<SuiteRun> FindRun(ServerParts* parts, const std::string& id) {
  const std::optional<int64_t> number = ParseInteger(id);
  return number ? parts->runs->Get(*number) : std::nullopt;
}

HttpResponse NoSuchRun(const std::string& id) {
  return ErrorResponse(404, fmt::format("run {} not found", ToOneLine(id)));
}

HttpResponse RunResponse(unsigned status, const SuiteRun& run, const std::string& results = "") {
  JsonWriter json;
  json.BeginObject();
  WriteRun(run, &json);
  if (!results.empty()) json.Key("results").Raw(results);
  return MakeResponse(status, "application/json", json.EndObject().Take() + "\n");
}

RecordRun Recorder(ServerParts* parts, const HttpRequest& request, std::string_view what) {
  return [parts, &request, what](const SuiteRun& run, const Change& change) {
    JsonWriter json;
    json.BeginObject();
    WriteRun(run, &json);
    return parts->audit->Add(request.peer, RoleName(parts->options.access.RoleOf(request)), what,
                             fmt::format("run {}", run.id), "", json.EndObject().Text(), change);
  };
}

// The member "results" of a body that ParseRunRows accepted, without secrets; empty if missing.
Result<std::string> ResultsIn(const std::string& body) {
  simdjson::dom::parser parser;
  simdjson::dom::element results;
  if (parser.parse(body)["results"].get(results) != simdjson::SUCCESS || results.is_null()) return std::string();
  if (!results.is_object()) return Fail("results: expected the summary of a suite");
  const std::string text(simdjson::minify(results));
  std::optional<std::string> redacted = RedactIfNeeded(text);
  if (!redacted) return text;
  if (parser.parse(*redacted).error() != simdjson::SUCCESS) return Fail("results: contain secrets");
  return *redacted;
}

std::span<const RunColumn> ColumnsOf(RunTable table) {
  return table == RunTable::kLog ? LogColumns() : ProcessColumns();
}

HttpResponse ParquetResponse(ServerParts* parts, int64_t id, RunTable table) {
  std::vector<ParquetColumn> columns;
  for (const RunColumn& column : ColumnsOf(table))
    columns.push_back({column.name, column.cell == RunCell::kText ? ParquetType::kText : ParquetType::kReal});
  // DuckDB needs a file, which an empty table does not have yet.
  if (const Result<void> there = parts->runs->Append(id, table, {}); !there)
    return ErrorResponse(503, there.error().message);
  Result<std::string> parquet = JsonLinesToParquet(parts->runs->PathOf(id, table), columns);
  if (!parquet) return ErrorResponse(503, parquet.error().message);
  return MakeResponse(200, "application/vnd.apache.parquet", std::move(*parquet));
}

HttpResponse AppendRows(ServerParts* parts, const HttpRequest& request, const std::string& id, RunTable table) {
  const std::optional<SuiteRun> run = FindRun(parts, id);
  if (!run) return NoSuchRun(id);
  const auto lines = ParseRunRows(ColumnsOf(table), request.body);
  if (!lines) return ErrorResponse(400, lines.error().message);
  if (const Result<void> added = parts->runs->Append(run->id, table, *lines); !added) {
    return ErrorResponse(503, added.error().message);
  }
  JsonWriter json;
  json.BeginObject().Member("rows", lines->size()).EndObject();
  return JsonResponse(std::move(json));
}

HttpResponse RowsResponse(ServerParts* parts, const HttpRequest& request, const std::string& id, RunTable table) {
  if (const Result<void> known = CheckParametersAndValues(request, "format"); !known)
    return ErrorResponse(400, known.error().message);
  const std::string_view format = request.Parameter("format");
  if (!format.empty() && format != "json" && format != "csv" && format != "parquet") {
    return ErrorResponse(400, "format: expected json, csv or parquet");
  }
  const std::optional<SuiteRun> run = FindRun(parts, id);
  if (!run) return NoSuchRun(id);
  if (format == "parquet") return ParquetResponse(parts, run->id, table);
  const Result<std::vector<std::string>> lines = parts->runs->Read(run->id, table);
  if (!lines) return ErrorResponse(503, lines.error().message);
  if (format == "csv") {
    return MakeResponse(200, "text/csv; charset=utf-8", RunRowsCsv(ColumnsOf(table), *lines));
  }
  JsonWriter json;
  json.BeginObject().Member("total", lines->size()).Key("rows").BeginArray();
  for (size_t i = 0; i < lines->size() && i < kMaxRows; ++i) json.Raw((*lines)[i]);
  json.EndArray().EndObject();
  return JsonResponse(std::move(json));
}

}  // namespace

HttpResponse PostRun(ServerParts* parts, const HttpRequest& request, const Captured&) {
  const auto rows = ParseRunRows(RunColumns(), request.body);
  if (!rows) return ErrorResponse(400, rows.error().message);
  if (rows->size() != 1) return ErrorResponse(400, "expected one run");
  // The results of a run arrive after it has ended.
  if (const Result<std::string> results = ResultsIn(request.body); !results) {
    return ErrorResponse(400, results.error().message);
  }
  SuiteRun run;
  run.start_ms = EpochNanos() / kNanosPerMilli;
  RunStore::Apply(rows->front(), &run);
  const Result<SuiteRun> created = parts->runs->Create(std::move(run), Recorder(parts, request, "create"));
  return created ? RunResponse(201, *created) : ErrorResponse(503, created.error().message);
}

HttpResponse PatchRun(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  const std::optional<SuiteRun> run = FindRun(parts, captured[0]);
  if (!run) return NoSuchRun(captured[0]);
  const auto rows = ParseRunRows(RunColumns(), request.body);
  if (!rows) return ErrorResponse(400, rows.error().message);
  if (rows->size() != 1) return ErrorResponse(400, "expected one run");
  const Result<std::string> results = ResultsIn(request.body);
  if (!results) return ErrorResponse(400, results.error().message);
  const Result<std::optional<SuiteRun>> changed =
      parts->runs->Update(run->id, rows->front(), *results, Recorder(parts, request, "change"));
  return changed ? RunResponse(200, **changed) : ErrorResponse(503, changed.error().message);
}

HttpResponse ListRuns(ServerParts* parts, const HttpRequest& request, const Captured&) {
  if (const Result<void> known = CheckParametersAndValues(request, "suite results limit"); !known) {
    return ErrorResponse(400, known.error().message);
  }
  const std::string_view suite = request.Parameter("suite"), limit_text = request.Parameter("limit");
  const std::optional<int64_t> limit = limit_text.empty() ? kMaxListed : ParseInteger(limit_text);
  if (!limit || *limit < 1 || *limit > kMaxListed)
    return ErrorResponse(400, fmt::format("limit: expected 1 to {}", kMaxListed));
  const std::string_view wanted = request.Parameter("results");
  if (!wanted.empty() && wanted != "true" && wanted != "false") {
    return ErrorResponse(400, "results: expected true or false");
  }
  const bool with_results = wanted == "true";
  int64_t total = 0;
  JsonWriter json;
  json.BeginObject().Key("runs").BeginArray();
  for (const SuiteRun& run : parts->runs->List()) {
    if (!suite.empty() && run.suite_name != suite) continue;
    if (++total > *limit) continue;
    json.BeginObject();
    WriteRun(run, &json);
    const Result<std::string> results = with_results ? parts->runs->ResultsOf(run.id) : Result<std::string>("");
    if (!results) return ErrorResponse(503, results.error().message);
    if (!results->empty()) json.Key("results").Raw(*results);
    json.EndObject();
  }
  json.EndArray().Member("total", total).EndObject();
  return JsonResponse(std::move(json));
}

HttpResponse GetRun(ServerParts* parts, const HttpRequest&, const Captured& captured) {
  const std::optional<SuiteRun> run = FindRun(parts, captured[0]);
  if (!run) return NoSuchRun(captured[0]);
  const Result<std::string> results = parts->runs->ResultsOf(run->id);
  return results ? RunResponse(200, *run, *results) : ErrorResponse(503, results.error().message);
}

HttpResponse PostRunLog(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  return AppendRows(parts, request, captured[0], RunTable::kLog);
}
HttpResponse GetRunLog(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  return RowsResponse(parts, request, captured[0], RunTable::kLog);
}
HttpResponse PostRunProcesses(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  return AppendRows(parts, request, captured[0], RunTable::kProcesses);
}
HttpResponse GetRunProcesses(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  return RowsResponse(parts, request, captured[0], RunTable::kProcesses);
}

}  // namespace sparkprof

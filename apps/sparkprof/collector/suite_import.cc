// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/io/file.h"
#include "base/text/csv_record.h"
#include "base/text/json_writer.h"
#include "suite_server.h"

namespace sparkprof {
namespace {

constexpr size_t kBatchBytes = size_t{4} << 20;

using Record = std::vector<std::string>;

struct CsvTable {
  std::string path;
  Record names;
  std::vector<Record> rows;

  std::optional<size_t> Column(std::string_view name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::nullopt : std::optional(static_cast<size_t>(found - names.begin()));
  }
};

Result<CsvTable> ReadTable(const std::string& path) {
  const Result<std::string> text = ReadFile(path);
  if (!text) return tl::unexpected(text.error());
  CsvTable table{path, {}, {}};
  std::string_view rest = *text;
  table.names = TakeCsvRecord(&rest);
  while (!rest.empty()) {
    Record row = TakeCsvRecord(&rest);
    if (row.size() == 1 && row[0].empty()) continue;
    if (row.size() != table.names.size()) {
      return Fail(fmt::format("{}: row {}: {} columns, expected {}", path, table.rows.size() + 1, row.size(),
                              table.names.size()));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string RowJson(const CsvTable& table, const Record& row) {
  JsonWriter json;
  json.BeginObject();
  for (size_t i = 0; i < row.size(); ++i) {
    if (!row[i].empty() && table.names[i] != "id" && table.names[i] != "run_id") json.Member(table.names[i], row[i]);
  }
  return json.EndObject().Take();
}

class Importer {
 public:
  explicit Importer(const ServerClient& client) : client_(client) {}

  Result<void> AddRuns(const CsvTable& table) {
    const auto id = table.Column("id");
    if (!id) return Fail(fmt::format("{}: no column id", table.path));
    for (const Record& row : table.rows) {
      const Result<std::string> answer = Send("/runs", RowJson(table, row));
      if (!answer) return Fail(fmt::format("{}: run {}: {}", table.path, row[*id], answer.error().message));
      simdjson::dom::parser parser;
      int64_t created = 0;
      if (parser.parse(*answer)["id"].get(created) != simdjson::SUCCESS) return Fail("the answer is not a run");
      new_ids_[row[*id]] = created;
      summary_ += fmt::format("{} → {}\n", row[*id], created);
    }
    return {};
  }

  Result<void> AddRows(const CsvTable& table, std::string_view below) {
    const auto run = table.Column("run_id");
    if (!run) return Fail(fmt::format("{}: no column run_id", table.path));
    std::map<int64_t, std::string> bodies;
    for (const Record& row : table.rows) {
      const auto known = new_ids_.find(row[*run]);
      if (known == new_ids_.end())
        return Fail(fmt::format("{}: run {} is not in the table of runs", table.path, row[*run]));
      std::string& body = bodies[known->second];
      body += (body.empty() ? "" : ",") + RowJson(table, row);
      if (body.size() < kBatchBytes) continue;
      if (Result<void> sent = Flush(table, known->second, below, &body); !sent) return sent;
    }
    for (auto& [id, body] : bodies) {
      if (Result<void> sent = Flush(table, id, below, &body); !sent) return sent;
    }
    return {};
  }

  const std::string& Summary() const { return summary_; }

 private:
  Result<std::string> Send(const std::string& path, const std::string& body) const {
    const Result<HttpResponse> response = client_.Send("POST", path, body, {{"content-type", "application/json"}});
    if (!response) return tl::unexpected(response.error());
    if (response->status >= 300) return Fail(ServerClient::Describe(*response));
    return std::string(response->Body());
  }

  Result<void> Flush(const CsvTable& table, int64_t run, std::string_view below, std::string* body) const {
    if (body->empty()) return {};
    const Result<std::string> sent = Send(fmt::format("/runs/{}/{}", run, below), "[" + *body + "]");
    body->clear();
    return sent ? Result<void>() : Fail(fmt::format("{}: {}", table.path, sent.error().message));
  }

  const ServerClient& client_;
  std::map<std::string, int64_t> new_ids_;
  std::string summary_;
};

}  // namespace

Result<std::string> ImportTables(const ServerClient& client, const std::vector<std::string>& paths) {
  std::vector<CsvTable> runs, others;
  for (const std::string& path : paths) {
    Result<CsvTable> table = ReadTable(path);
    if (!table) return tl::unexpected(table.error());
    const bool is_runs = table->Column("suite_name") || table->Column("overall_status");
    (is_runs ? runs : others).push_back(std::move(*table));
  }
  if (runs.empty()) return Fail("no table of runs: one of the files must have the column suite_name");
  Importer importer(client);
  for (const CsvTable& table : runs) {
    if (Result<void> added = importer.AddRuns(table); !added) return tl::unexpected(added.error());
  }
  for (const CsvTable& table : others) {
    const std::string_view below = table.Column("pid") ? "processes" : "log";
    if (Result<void> added = importer.AddRows(table, below); !added) return tl::unexpected(added.error());
  }
  return importer.Summary();
}

}  // namespace sparkprof

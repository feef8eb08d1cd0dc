// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "analysis/findings/advice.h"
#include "base/text/csv_record.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "fragments/fragment_readers.h"

namespace sparkprof {
namespace {

// Sums of so many numbers do not overflow.
constexpr size_t kMaxStatements = 100'000;
constexpr int64_t kMaxNumber = int64_t{1} << 45;
constexpr size_t kShown = 3;
constexpr size_t kShownBytes = 100;  // an ID or a text has at most so many
constexpr int64_t kMuchSpilled = int64_t{16} << 20;
constexpr int64_t kLongWaitMs = 10'000;
constexpr int64_t kMuchWaitPercent = 5;

using StatementRow = std::map<std::string, std::string, std::less<>>;

struct Statement {
  std::string id, status, error, text;
  int64_t total_ms = 0, compute_ms = 0, capacity_ms = 0, compile_ms = 0, execute_ms = 0, fetch_ms = 0;
  int64_t read_bytes = 0, read_files = 0, pruned_files = 0, spilled = 0;

  int64_t WaitMs() const { return compute_ms + capacity_ms; }
};

// A column of the system table, and the member of the REST API's answer with the same meaning; empty if there is none.
struct TextColumn {
  std::string_view table, rest;
  std::string Statement::*value;
};
constexpr TextColumn kTexts[] = {{"statement_id", "query_id", &Statement::id},
                                 {"execution_status", "status", &Statement::status},
                                 {"error_message", "error_message", &Statement::error},
                                 {"statement_text", "query_text", &Statement::text}};
struct NumberColumn {
  std::string_view table, rest;
  int64_t Statement::*value;
};
constexpr NumberColumn kNumbers[] = {{"total_duration_ms", "duration", &Statement::total_ms},
                                     {"waiting_for_compute_duration_ms", "", &Statement::compute_ms},
                                     {"waiting_at_capacity_duration_ms", "", &Statement::capacity_ms},
                                     {"compilation_duration_ms", "compilation_time_ms", &Statement::compile_ms},
                                     {"execution_duration_ms", "execution_time_ms", &Statement::execute_ms},
                                     {"result_fetch_duration_ms", "result_fetch_time_ms", &Statement::fetch_ms},
                                     {"read_bytes", "read_bytes", &Statement::read_bytes},
                                     {"read_files", "read_files_count", &Statement::read_files},
                                     {"pruned_files", "pruned_files_count", &Statement::pruned_files},
                                     {"spilled_local_bytes", "spill_to_disk_bytes", &Statement::spilled}};

void AddMembers(const simdjson::dom::object& object, StatementRow* row) {
  for (const auto [name, value] : object) {
    std::string_view text;
    int64_t number = 0;
    if (value.get_string().get(text) == simdjson::SUCCESS) row->emplace(name, text);
    if (value.get_int64().get(number) == simdjson::SUCCESS) row->emplace(name, std::to_string(number));
  }
  simdjson::dom::object metrics;
  if (ObjectAt(object, "metrics", &metrics)) AddMembers(metrics, row);
}

std::vector<StatementRow> StatementRows(std::string_view text) {
  std::vector<StatementRow> rows;
  if (Trim(text).starts_with('{') || Trim(text).starts_with('[')) {
    const auto add = [&](const simdjson::dom::object& object) {
      if (rows.size() < kMaxStatements) AddMembers(object, &rows.emplace_back());
    };
    ForEachJsonObject(text, [&](const simdjson::dom::object& object) {
      simdjson::dom::array page;
      if (object["res"].get_array().get(page) != simdjson::SUCCESS) return add(object);
      for (const simdjson::dom::element element : page) {
        simdjson::dom::object one;
        if (element.get_object().get(one) == simdjson::SUCCESS) add(one);
      }
    });
    return rows;
  }
  const std::vector<std::string> names = TakeCsvRecord(&text);
  while (!text.empty() && rows.size() < kMaxStatements) {
    std::vector<std::string> values = TakeCsvRecord(&text);
    if (values.size() != names.size()) continue;
    StatementRow& row = rows.emplace_back();
    for (size_t i = 0; i < names.size(); ++i) row.emplace(names[i], std::move(values[i]));
  }
  return rows;
}

std::string_view At(const StatementRow& row, std::string_view table, std::string_view rest) {
  auto found = row.find(table);
  if (found == row.end()) found = row.find(rest);
  return found == row.end() ? std::string_view() : std::string_view(found->second);
}

std::vector<Statement> StatementsOf(std::string_view text) {
  std::vector<Statement> statements;
  for (const StatementRow& row : StatementRows(text)) {
    Statement statement;
    for (const auto& [table, rest, value] : kTexts) statement.*value = At(row, table, rest);
    for (const auto& [table, rest, value] : kNumbers) {
      statement.*value = std::clamp<int64_t>(ParseInteger(At(row, table, rest)).value_or(0), 0, kMaxNumber);
    }
    statement.id = Shorten(ToOneLine(statement.id), kShownBytes);
    if (!statement.id.empty()) statements.push_back(std::move(statement));
  }
  return statements;
}

int64_t Sum(const std::vector<Statement>& statements, int64_t Statement::*value) {
  int64_t sum = 0;
  for (const Statement& statement : statements) sum += statement.*value;
  return sum;
}

std::string MillisText(int64_t ms) { return FormatDuration(NanosFromMillis(ms)); }

int64_t PercentOf(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : std::llround(100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string TimeFact(const std::vector<Statement>& statements, int64_t total_ms) {
  constexpr std::pair<std::string_view, int64_t Statement::*> kParts[] = {
      {"waiting for compute", &Statement::compute_ms}, {"waiting at capacity", &Statement::capacity_ms},
      {"compilation", &Statement::compile_ms},         {"execution", &Statement::execute_ms},
      {"fetching results", &Statement::fetch_ms},
  };
  std::vector<std::string> parts;
  for (const auto& [name, value] : kParts) {
    const int64_t percent = PercentOf(Sum(statements, value), total_ms);
    if (percent > 0) parts.push_back(fmt::format("{}% {}", percent, name));
  }
  return fmt::format("Their time: {}{}{}", MillisText(total_ms), parts.empty() ? "" : ": ", fmt::join(parts, ", "));
}

std::string StatementFact(const Statement& statement) {
  std::string fact = fmt::format("Statement {} takes {}", statement.id, MillisText(statement.total_ms));
  if (statement.read_bytes > 0) fact += fmt::format(", reads {}", FormatBytes(statement.read_bytes));
  if (const int64_t files = statement.read_files + statement.pruned_files; files > 0)
    fact += fmt::format(", {} of {} files", statement.read_files, files);
  std::string text = statement.text;
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  if (!text.empty()) fact += fmt::format(": {}", Shorten(ToOneLine(text), kShownBytes));
  return fact;
}

void AddSpills(const std::vector<Statement>& statements, FragmentAnswer* answer) {
  const auto most = std::max_element(statements.begin(), statements.end(),
                                     [](const Statement& a, const Statement& b) { return a.spilled < b.spilled; });
  if (most == statements.end() || most->spilled < kMuchSpilled) return;
  const auto count = std::count_if(statements.begin(), statements.end(),
                                   [](const Statement& one) { return one.spilled >= kMuchSpilled; });
  Finding& finding =
      AddFinding("spill", fmt::format("Statement {} spills {} to disk", most->id, FormatBytes(most->spilled)), answer);
  finding.what = "Its joins, aggregations or sorts do not fit in memory";
  finding.evidence = fmt::format("{} of {} spill {} or more, {} in all", count,
                                 Counted(static_cast<int64_t>(statements.size()), "statement"),
                                 FormatBytes(kMuchSpilled), FormatBytes(Sum(statements, &Statement::spilled)));
  finding.condition = fmt::format("A statement spills {} or more", FormatBytes(kMuchSpilled));
  finding.change =
      "Filter and aggregate before its joins, or run it on a larger warehouse; its query profile names the operator";
}

void AddWaits(const std::vector<Statement>& statements, int64_t total_ms, FragmentAnswer* answer) {
  const int64_t compute_ms = Sum(statements, &Statement::compute_ms);
  const int64_t capacity_ms = Sum(statements, &Statement::capacity_ms);
  const int64_t wait_ms = compute_ms + capacity_ms;
  if (wait_ms < kLongWaitMs || PercentOf(wait_ms, total_ms) < kMuchWaitPercent) return;
  const bool is_capacity = capacity_ms >= compute_ms;
  Finding& finding =
      AddFinding("waiting-for-executors",
                 fmt::format("Statements wait {} for {}, {}% of their time", MillisText(wait_ms),
                             is_capacity ? "a busy warehouse" : "compute to start", PercentOf(wait_ms, total_ms)),
                 answer);
  const auto longest = std::max_element(statements.begin(), statements.end(),
                                        [](const Statement& a, const Statement& b) { return a.WaitMs() < b.WaitMs(); });
  finding.what = "They have not begun to execute";
  finding.evidence =
      fmt::format("{} for compute to start, {} for capacity; {} waits longest, {}", MillisText(compute_ms),
                  MillisText(capacity_ms), longest->id, MillisText(longest->WaitMs()));
  finding.condition =
      fmt::format("Statements wait {} or more, {}% of their time", MillisText(kLongWaitMs), kMuchWaitPercent);
  finding.change = is_capacity ? "Give the warehouse more clusters, or run the statements at another time"
                               : "Keep the warehouse running between the statements, or run them on serverless compute";
}

}  // namespace

std::string AnswerQueryHistory(std::string_view text, FragmentAnswer* answer) {
  std::vector<Statement> statements = StatementsOf(text);
  Counts states;
  for (const Statement& statement : statements) {
    if (!statement.status.empty()) ++states[ToOneLine(statement.status)];
    if (statement.status != "FAILED") continue;
    AddFailure(fmt::format("Statement {}", statement.id), statement.error, "its query profile", answer);
  }
  const int64_t total_ms = Sum(statements, &Statement::total_ms);
  if (total_ms > 0) answer->facts.push_back(TimeFact(statements, total_ms));
  AddSpills(statements, answer);
  AddWaits(statements, total_ms, answer);
  std::stable_sort(statements.begin(), statements.end(),
                   [](const Statement& a, const Statement& b) { return a.total_ms > b.total_ms; });
  for (size_t i = 0; i < std::min(kShown, statements.size()); ++i)
    answer->facts.push_back(StatementFact(statements[i]));
  return fmt::format("{}{}{}", Counted(static_cast<int64_t>(statements.size()), "statement"),
                     states.empty() ? "" : ": ", CountsText(states));
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "prove/query_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "base/text/text.h"
#include "model/plan_operators.h"

namespace sparkprof {
namespace {

// True if the operator returns as many rows as it reads.
bool KeepsRows(std::string_view kind) {
  constexpr std::string_view kKinds[] = {"Project",
                                         "Sort",
                                         "Exchange",
                                         "ColumnarToRow",
                                         "RowToColumnar",
                                         "Coalesce",
                                         "AQEShuffleRead",
                                         "CollectMetrics",
                                         "ArrowEvalPython",
                                         "BatchEvalPython",
                                         "MapElements",
                                         "Window",
                                         "DeserializeToObject",
                                         "SerializeFromObject",
                                         "WindowInPandas"};
  return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

bool IsLimit(std::string_view kind) { return kind.find("Limit") != std::string_view::npos; }

// True if a task ran more than once: the metrics of its operators count each attempt.
bool HasRetries(const Application& application) {
  const Tasks& tasks = application.tasks;
  return std::any_of(tasks.attempt.begin(), tasks.attempt.end(), [](int32_t attempt) { return attempt > 0; }) ||
         std::any_of(application.stages.begin(), application.stages.end(),
                     [](const Stage& stage) { return stage.attempt > 0 || stage.resubmitted_tasks > 0; });
}

void FindRows(const PlanNode& plan, QueryResult* result) {
  const std::vector<PlanOperator> operators = OperatorsOf(plan);
  size_t row = 0;
  while (row < operators.size()) {
    const PlanOperator& one = operators[row];
    if (IsLimit(one.kind)) {
      result->unchecked = kSomeRows;
      return;
    }
    result->rows = IsWrite(one.kind) ? ValueOf(*one.plan, "number of output rows") : one.rows_out;
    if (result->rows) return;
    const bool goes_on = one.inputs.size() == 1 && (KeepsRows(one.kind) || IsWrite(one.kind));
    if (!goes_on) break;
    row = static_cast<size_t>(one.inputs[0]);
  }
  result->unchecked = "its plan counts no rows";
}

bool IsRoot(const SqlExecution& execution) { return execution.root_id < 0 || execution.root_id == execution.id; }

// Fingerprints by root query. A query without its own gets that of the only nested query that has one, because some
// sources write in a nested query. Null if several have one.
std::map<int64_t, const ResultFingerprint*> FingerprintsByRoot(const Application& application,
                                                               const RecordedFingerprints& fingerprints) {
  std::map<int64_t, const ResultFingerprint*> by_root;
  for (const SqlExecution& execution : application.sql_executions) {
    const auto found = fingerprints.of_executions.find(execution.id);
    if (IsRoot(execution) || found == fingerprints.of_executions.end()) continue;
    const auto [entry, is_first] = by_root.try_emplace(execution.root_id, &found->second);
    if (!is_first) entry->second = nullptr;
  }
  for (const auto& [execution, fingerprint] : fingerprints.of_executions) by_root[execution] = &fingerprint;
  return by_root;
}

std::string_view FirstWordAfter(std::string_view text, std::string_view word) {
  const size_t at = text.find(word);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + word.size());
  return rest.substr(0, rest.find_first_of(", "));
}

// How the command at the root of a plan adds to existing data: "appends to". Empty if it adds nothing or replaces the
// data.
std::string_view HowItAddsUp(const PlanNode& node) {
  const auto has = [&](std::string_view word) { return node.name.find(word) != std::string::npos; };
  if (has("MergeInto") || has("MergeRows")) return "merges into";
  if (has("ReplaceData")) return "rewrites rows of";
  if (has("DeleteFrom") || has("DeleteCommand")) return "deletes from";
  if (has("UpdateTable") || has("UpdateCommand")) return "updates";
  if (has("AppendData") || has("WriteDelta")) return "appends to";
  const bool inserts = has("InsertIntoHadoopFsRelation") || has("SaveIntoDataSource") || has("InsertIntoHiveTable");
  const bool appends = node.text.find(", Append") != std::string::npos ||
                       (has("InsertIntoHiveTable") && node.text.find(", false, ") != std::string::npos);
  return inserts && appends ? "appends to" : std::string_view();
}

}  // namespace

std::vector<QueryResult> ResultsOf(const Application& application, const RecordedFingerprints& fingerprints) {
  std::vector<const SqlExecution*> roots;
  for (const SqlExecution& execution : application.sql_executions) {
    if (IsRoot(execution)) roots.push_back(&execution);
  }
  std::sort(roots.begin(), roots.end(), [](const SqlExecution* a, const SqlExecution* b) { return a->id < b->id; });
  const bool has_retries = HasRetries(application);
  const auto by_root = FingerprintsByRoot(application, fingerprints);
  std::vector<QueryResult> results;
  for (const SqlExecution* const execution : roots) {
    QueryResult& result = results.emplace_back();
    result.name = execution->description.empty() ? fmt::format("query {}", execution->id)
                                                 : Shorten(ToOneLine(execution->description), 80);
    if (execution->status == RunStatus::kFailed) {
      result.unchecked = "it failed";
      continue;
    }
    const auto found = by_root.find(execution->id);
    const ResultFingerprint* const fingerprint = found == by_root.end() ? nullptr : found->second;
    if (fingerprint != nullptr && fingerprint->unchecked.empty()) {
      result.rows = fingerprint->rows;
      result.fingerprint = *fingerprint;
    } else if (has_retries) {
      result.unchecked = "tasks ran again, which counts rows twice";
    } else {
      FindRows(execution->plan, &result);
    }
  }
  return results;
}

std::string WritesThatAddUp(const Application& application) {
  if (!application.streaming_queries.empty()) return "it has a streaming query, which continues from its checkpoint";
  for (const SqlExecution& execution : application.sql_executions) {
    std::vector<const PlanNode*> nodes = {&execution.plan};
    while (!nodes.empty()) {
      const PlanNode& node = *nodes.back();
      nodes.pop_back();
      if (const std::string_view how = HowItAddsUp(node); !how.empty()) {
        const std::string_view place = FirstWordAfter(node.text, "Command ");
        return fmt::format("query {} {} {}", execution.id, how, place.empty() ? "a table" : place);
      }
      for (const PlanNode& child : node.children) nodes.push_back(&child);
    }
  }
  return {};
}

}  // namespace sparkprof

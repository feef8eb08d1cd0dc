// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet_policy.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/io/byte_source.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "catalogue/duckdb/duckdb_scratch.h"
#include "fleet/fleet_schema.h"
#include "http/http_client.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxRules = 1000;
constexpr size_t kMaxExamples = 20;

// Aborts the parsing of a file.
struct PolicyProblem {
  int line;  // 0-based; -1 = unknown
  std::string text;
};

[[noreturn]] void RefusePolicy(const YAML::Node& node, std::string text) {
  throw PolicyProblem{node.Mark().line, std::move(text)};
}

std::string PolicyText(const YAML::Node& node, std::string_view key) {
  if (!node) return {};
  if (!node.IsScalar() || !IsUtf8(node.Scalar())) RefusePolicy(node, fmt::format("{}: expected a text", key));
  return node.Scalar();
}

void CheckPolicyKeys(const YAML::Node& map, std::initializer_list<std::string_view> known, std::string_view list) {
  if (!map.IsMap()) RefusePolicy(map, fmt::format("expected a map with {}", list));
  for (const auto& entry : map) {
    const std::string key = PolicyText(entry.first, "key");
    if (std::find(known.begin(), known.end(), key) == known.end())
      RefusePolicy(entry.first, fmt::format("unknown key \"{}\"; use {}", key, list));
  }
}

PolicyRule RuleOf(const YAML::Node& node) {
  CheckPolicyKeys(node, {"name", "table", "where", "most", "message"}, "name, table, where, most, message");
  PolicyRule rule;
  rule.name = PolicyText(node["name"], "name");
  rule.where = PolicyText(node["where"], "where");
  rule.message = PolicyText(node["message"], "message");
  if (rule.name.empty()) RefusePolicy(node, "a rule without name");
  if (rule.where.empty()) RefusePolicy(node, fmt::format("{}: no where", rule.name));
  if (node["table"]) rule.table = PolicyText(node["table"], "table");
  if (FindFleetTable(rule.table) == nullptr)
    RefusePolicy(node["table"], fmt::format("{}: unknown table \"{}\"", rule.name, rule.table));
  if (!node["most"]) return rule;
  const std::optional<int64_t> most = ParseInteger(PolicyText(node["most"], "most"));
  if (!most || *most < 0) RefusePolicy(node["most"], fmt::format("{}: most: expected a number from 0 on", rule.name));
  rule.most = *most;
  return rule;
}

Policy PolicyOf(const YAML::Node& root) {
  CheckPolicyKeys(root, {"rules", "webhook"}, "rules, webhook");
  Policy policy;
  policy.webhook = PolicyText(root["webhook"], "webhook");
  const YAML::Node rules = root["rules"];
  if (!rules || !rules.IsSequence() || rules.size() == 0 || rules.size() > kMaxRules)
    RefusePolicy(root, fmt::format("expected a list of 1 to {} rules", kMaxRules));
  for (const YAML::Node& rule : rules) policy.rules.push_back(RuleOf(rule));
  return policy;
}

}  // namespace

Result<Policy> ParsePolicy(const std::string& text, const std::string& name) {
  try {
    return PolicyOf(YAML::Load(text));
  } catch (const PolicyProblem& problem) {
    if (problem.line < 0) return Fail(fmt::format("{}: {}", name, problem.text));
    return Fail(fmt::format("{}:{}: {}", name, problem.line + 1, problem.text));
  } catch (const YAML::Exception& error) {
    return Fail(fmt::format("{}:{}: {}", name, error.mark.line + 1, error.msg));
  }
}

Result<Policy> ReadPolicy(const std::string& path) {
  constexpr size_t kMaxBytes = size_t{1} << 20;
  const Result<std::string> text = ReadAll(path, kMaxBytes);
  if (!text) return tl::unexpected(text.error());
  return ParsePolicy(*text, path);
}

Result<std::vector<PolicyResult>> CheckPolicy(const std::string& folder, const Policy& policy) {
  std::error_code error;
  if (!std::filesystem::exists(folder + "/_sparkprof", error))
    return Fail(fmt::format("{}: not the output of sparkprof fleet analyze", folder));
  Result<ScratchDatabase> database = ScratchDatabase::Open();
  if (!database) return tl::unexpected(database.error());
  std::set<std::string> tables;
  for (const PolicyRule& rule : policy.rules) tables.insert(rule.table);
  std::vector<std::string> statements{"SET memory_limit = '4GB'"};
  for (const std::string& table : tables) {
    statements.push_back(fmt::format(
        "CREATE TABLE {} AS SELECT * FROM read_parquet({}, union_by_name = true, hive_partitioning = false)", table,
        QuotedPath(fmt::format("{}/{}", folder, table), "/**/*.parquet")));
  }
  // A policy may come from another repository.
  statements.emplace_back("SET enable_external_access = false");
  statements.emplace_back("SET lock_configuration = true");
  if (Result<void> prepared = database->Run(statements); !prepared) return tl::unexpected(prepared.error());
  std::vector<PolicyResult> results;
  for (const PolicyRule& rule : policy.rules) {
    const std::string from = fmt::format("FROM {} WHERE ({}\n)", rule.table, rule.where);
    const bool is_of_application = rule.table != "failures";
    const Result<std::vector<std::string>> count = database->Texts(fmt::format("SELECT count(*)::VARCHAR {}", from));
    if (!count) return Fail(fmt::format("rule {}: {}", rule.name, count.error().message));
    Result<std::vector<std::string>> examples =
        database->Texts(fmt::format("SELECT DISTINCT coalesce({}, '') {} ORDER BY 1 LIMIT {}",
                                    is_of_application ? "id || ' (' || source || ')'" : "source", from, kMaxExamples));
    if (!examples) return Fail(fmt::format("rule {}: {}", rule.name, examples.error().message));
    results.push_back({rule, ParseInteger(count->front()).value_or(0), std::move(*examples)});
  }
  return results;
}

std::string PolicyJson(const std::vector<PolicyResult>& results) {
  JsonWriter json;
  json.BeginArray();
  for (const PolicyResult& result : results) {
    json.BeginObject().Member("name", result.rule.name).Member("table", result.rule.table);
    json.Member("where", result.rule.where).Member("most", result.rule.most).Member("rows", result.rows);
    json.Member("holds", !result.IsBroken()).Member("examples", result.examples).EndObject();
  }
  return json.EndArray().Take();
}

Result<void> SendPolicyResults(const std::string& webhook, const std::string& text,
                               const std::vector<PolicyResult>& results) {
  const Result<Url> url = ParseUrl(webhook);
  if (!url) return tl::unexpected(url.error());
  const std::string body =
      JsonWriter().BeginObject().Member("text", text).Key("rules").Raw(PolicyJson(results)).EndObject().Take();
  const Result<HttpResponse> answer = SendHttp("POST", *url, {{"Content-Type", "application/json"}}, body);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status < 200 || answer->status >= 300)
    return Fail(fmt::format("webhook {}: unexpected response {}", url->host, answer->status));
  return {};
}

}  // namespace sparkprof

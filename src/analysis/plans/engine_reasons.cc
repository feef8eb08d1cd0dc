// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/engine_reasons.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "engines/engines.h"

namespace sparkprof {
namespace {

using ReasonsByName = std::map<std::string_view, std::vector<std::string_view>>;  // in the order of the text

// Parses "+-  Sort [COMET: unsupported] [COMET-INFO: …]" to "Sort" and "unsupported". The reason is empty without a
// mark.
std::pair<std::string_view, std::string_view> NameAndReason(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" :+-"), line.size()));
  for (const Engine& engine : Engines()) {
    if (engine.reason_mark.empty()) continue;
    const std::string mark = " [" + std::string(engine.reason_mark) + ": ";
    const size_t at = line.find(mark);
    if (at == std::string_view::npos) continue;
    const std::string_view reason = line.substr(at + mark.size());
    return {Trim(line.substr(0, at)), reason.substr(0, std::min(reason.find("] ["), reason.rfind(']')))};
  }
  return {Trim(line.substr(0, line.find(" ["))), {}};
}

ReasonsByName ReasonsIn(std::string_view plan_text) {
  ReasonsByName reasons;
  const size_t begin = plan_text.find("== Extended Information (");
  if (begin == std::string_view::npos) return reasons;
  for (const std::string_view line : Split(plan_text.substr(begin), '\n')) {
    const auto [name, reason] = NameAndReason(line);
    if (!name.empty()) reasons[name].push_back(reason);
  }
  return reasons;
}

bool IsSubquery(const PlanNode& node) { return node.name.find("Subquery") != std::string::npos; }

// In the order of the text: subqueries come before a node's inputs.
void CollectNodes(const PlanNode& node, std::map<std::string_view, std::vector<const PlanNode*>>* nodes) {
  (*nodes)[Trim(node.name)].push_back(&node);
  for (const bool subqueries : {true, false}) {
    for (const PlanNode& child : node.children) {
      if (IsSubquery(child) == subqueries) CollectNodes(child, nodes);
    }
  }
}

std::string AllOf(std::vector<std::string_view> reasons) {
  std::sort(reasons.begin(), reasons.end());
  reasons.erase(std::unique(reasons.begin(), reasons.end()), reasons.end());
  std::string all;
  for (const std::string_view reason : reasons) {
    if (!all.empty() && !reason.empty()) all += "; ";
    all += reason;
  }
  return all;
}

}  // namespace

EngineReasons::EngineReasons(const SqlExecution& sql) {
  const ReasonsByName by_name = ReasonsIn(sql.plan_text);
  if (by_name.empty()) return;
  std::map<std::string_view, std::vector<const PlanNode*>> nodes_by_name;
  CollectNodes(sql.plan, &nodes_by_name);
  for (const auto& [name, reasons] : by_name) {
    const auto nodes = nodes_by_name.find(name);
    if (nodes == nodes_by_name.end()) continue;
    const bool one_each = nodes->second.size() == reasons.size();
    for (size_t i = 0; i < nodes->second.size(); ++i) {
      std::string reason = one_each ? std::string(reasons[i]) : AllOf(reasons);
      if (!reason.empty()) reasons_.emplace(nodes->second[i], std::move(reason));
    }
  }
}

std::string EngineReasons::Of(const PlanNode& node) const {
  const auto found = reasons_.find(&node);
  return found == reasons_.end() ? std::string() : found->second;
}

}  // namespace sparkprof

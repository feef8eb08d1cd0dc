// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "model/plan_operators.h"

namespace sparkprof {
namespace {

constexpr std::string_view kShuffleRead = "AQEShuffleRead";

// "AQEShuffleRead coalesced"; the kind for others.
std::string LabelOf(const PlanOperator& one) {
  return one.kind == kShuffleRead ? one.plan->text : std::string(one.kind);
}

std::map<std::string, int> CountOperators(const PlanNode& plan) {
  std::map<std::string, int> counts;
  for (const PlanOperator& one : OperatorsOf(plan)) {
    // The first plan reported by Spark does not contain column-to-row transitions yet.
    if (one.kind != "ColumnarToRow" && one.kind != "RowToColumnar") ++counts[LabelOf(one)];
  }
  return counts;
}

// Entries that occur more often in `from` than in `without`.
std::vector<std::pair<std::string, int>> Surplus(const std::map<std::string, int>& from,
                                                 const std::map<std::string, int>& without) {
  std::vector<std::pair<std::string, int>> surplus;
  for (const auto& [label, count] : from) {
    const auto other = without.find(label);
    const int more = count - (other == without.end() ? 0 : other->second);
    if (more > 0) surplus.emplace_back(label, more);
  }
  return surplus;
}

std::string WithCount(const std::string& text, int count) {
  return count == 1 ? text : text + " (" + std::to_string(count) + "×)";
}

bool IsJoin(const std::string& label) { return label.find("Join") != std::string::npos; }

}  // namespace

std::vector<std::string> ChangesOfPlan(const PlanNode& before, const PlanNode& after) {
  const std::map<std::string, int> old_counts = CountOperators(before);
  const std::map<std::string, int> new_counts = CountOperators(after);
  std::vector<std::pair<std::string, int>> removed = Surplus(old_counts, new_counts);
  std::vector<std::pair<std::string, int>> added = Surplus(new_counts, old_counts);
  std::vector<std::string> changes;
  const auto joins = [](const auto& entry) { return IsJoin(entry.first); };
  for (;;) {
    const auto from = std::find_if(removed.begin(), removed.end(), joins);
    const auto to = std::find_if(added.begin(), added.end(), joins);
    if (from == removed.end() || to == added.end()) break;
    const int count = std::min(from->second, to->second);
    changes.push_back(WithCount(from->first + " → " + to->first, count));
    if ((from->second -= count) == 0) removed.erase(from);
    if ((to->second -= count) == 0) added.erase(to);
  }
  for (const auto& [label, count] : added) changes.push_back(WithCount("+ " + label, count));
  for (const auto& [label, count] : removed) changes.push_back(WithCount("- " + label, count));
  return changes;
}

}  // namespace sparkprof

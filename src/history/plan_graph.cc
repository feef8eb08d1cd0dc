// SPDX-License-Identifier: Apache-2.0
#include "history/plan_graph.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "base/hash_index.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr std::string_view kCodegen = "WholeStageCodegen";

// A plan node with its subtree. Equal subtrees have equal hashes.
struct Plan {
  std::string_view name;
  simdjson::dom::object object;
  std::vector<Plan> children;
  uint64_t hash = 0;
};

// Recursion is bounded by simdjson's depth limit, here and below.
Plan ReadPlan(const simdjson::dom::object& object) {
  Plan plan;
  plan.name = TextAt(object, "nodeName");
  plan.object = object;
  const std::hash<std::string_view> hash;
  plan.hash = MixHash(hash(plan.name) ^ MixHash(hash(TextAt(object, "simpleString"))));
  simdjson::dom::array children;
  if (!ArrayAt(object, "children", &children)) return plan;
  for (const simdjson::dom::element element : children) {
    simdjson::dom::object child;
    if (element.get_object().get(child) != simdjson::SUCCESS) continue;
    plan.children.push_back(ReadPlan(child));
    plan.hash = MixHash(plan.hash * 31 + plan.children.back().hash);
  }
  return plan;
}

std::vector<PlanGraphMetric> MetricsOf(const simdjson::dom::object& node) {
  simdjson::dom::array metrics;
  return ArrayAt(node, "metrics", &metrics) ? ReadPlanMetrics(metrics) : std::vector<PlanGraphMetric>();
}

// The number in "WholeStageCodegen (7)".
std::optional<int64_t> CodegenNumber(std::string_view name) {
  const size_t begin = kCodegen.size() + 2;
  if (name.size() <= begin) return std::nullopt;
  return ParseInteger(name.substr(begin, name.size() - 1 - begin));
}

// Position in the graph of the next node.
struct Place {
  std::optional<int64_t> parent;
  bool is_in_codegen = false;
  std::optional<int64_t> codegen;
};

class GraphBuilder {
 public:
  void Add(const Plan& plan, Place place) {
    const Plan* const child = plan.children.empty() ? nullptr : &plan.children.front();
    if (plan.name.starts_with(kCodegen)) {
      AddNode(plan);
      place.is_in_codegen = true;
      place.codegen = CodegenNumber(Trim(plan.name));
      if (child != nullptr) Add(*child, place);
    } else if (IsWrapper(plan.name) && child != nullptr) {
      const bool may_be_reused = plan.name == "BroadcastQueryStage" || plan.name == "ShuffleQueryStage";
      if (may_be_reused && AddEdgeToKnown(*child, place)) return;
      if (plan.name != "ReusedSubquery") place.is_in_codegen = false;
      Add(*child, place);
    } else if ((plan.name == "Subquery" && AddEdgeToKnown(plan, place)) ||
               (plan.name == "ReusedExchange" && child != nullptr && AddEdgeToKnown(*child, place))) {
      return;
    } else {
      if (plan.name == "Subquery") place.is_in_codegen = false;
      AddWithChildren(plan, place);
    }
  }

  PlanGraph Take() { return std::move(graph_); }

 private:
  // Whether the graph hides this node.
  static bool IsWrapper(std::string_view name) {
    constexpr std::string_view kWrappers[] = {"InputAdapter",         "BroadcastQueryStage", "ShuffleQueryStage",
                                              "TableCacheQueryStage", "ResultQueryStage",    "ReusedSubquery"};
    return std::find(std::begin(kWrappers), std::end(kWrappers), name) != std::end(kWrappers);
  }

  PlanGraphNode& AddNode(const Plan& plan) {
    PlanGraphNode& node = graph_.nodes.emplace_back();
    node.id = static_cast<int64_t>(graph_.nodes.size()) - 1;
    node.name = plan.name;
    node.metrics = MetricsOf(plan.object);
    return node;
  }

  void AddWithChildren(const Plan& plan, Place place) {
    PlanGraphNode& node = AddNode(plan);
    if (place.is_in_codegen) node.codegen = place.codegen;
    const int64_t id = node.id;
    if (plan.name.find("Exchange") != std::string_view::npos || plan.name == "Subquery") reusable_[plan.hash] = id;
    if (place.parent) graph_.edges.push_back({id, *place.parent});
    place.parent = id;
    for (const Plan& child : plan.children) Add(child, place);
  }

  bool AddEdgeToKnown(const Plan& plan, const Place& place) {
    const auto known = reusable_.find(plan.hash);
    if (known == reusable_.end()) return false;
    if (!place.parent) return true;
    const PlanGraphEdge edge = {known->second, *place.parent};
    const bool is_new = std::find(graph_.edges.begin(), graph_.edges.end(), edge) == graph_.edges.end();
    if (plan.name != "Subquery" || is_new) graph_.edges.push_back(edge);
    return true;
  }

  PlanGraph graph_;
  std::unordered_map<uint64_t, int64_t> reusable_;  // nodes of exchanges and subqueries, by hash
};

}  // namespace

std::vector<PlanGraphMetric> ReadPlanMetrics(const simdjson::dom::array& metrics) {
  std::vector<PlanGraphMetric> read;
  for (const simdjson::dom::element element : metrics) {
    simdjson::dom::object metric;
    if (element.get_object().get(metric) != simdjson::SUCCESS) continue;
    PlanGraphMetric& added = read.emplace_back();
    added.name = TextAt(metric, "name");
    added.type = TextAt(metric, "metricType");
    added.accumulator = IntegerAt(metric, "accumulatorId", -1);
  }
  return read;
}

PlanGraph ReadPlanGraph(const simdjson::dom::object& plan) {
  GraphBuilder builder;
  builder.Add(ReadPlan(plan), {});
  return builder.Take();
}

}  // namespace sparkprof

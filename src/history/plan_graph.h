// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sparkprof {

struct PlanGraphMetric {
  std::string name;
  std::string type;
  int64_t accumulator = -1;
};

struct PlanGraphNode {
  int64_t id = 0;
  std::string name;
  std::vector<PlanGraphMetric> metrics;
  std::optional<int64_t> codegen;  // the WholeStageCodegen that contains it
};

struct PlanGraphEdge {
  int64_t from = 0;
  int64_t to = 0;

  bool operator==(const PlanGraphEdge&) const = default;
};

// A physical plan as on Spark's SQL page: nodes sorted by ID, edges from child to parent.
struct PlanGraph {
  std::vector<PlanGraphNode> nodes;
  std::vector<PlanGraphEdge> edges;
};

// Converts a sparkPlanInfo to a graph. Reused exchanges and subqueries are one node.
PlanGraph ReadPlanGraph(const simdjson::dom::object& plan);

std::vector<PlanGraphMetric> ReadPlanMetrics(const simdjson::dom::array& metrics);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/engine_times.h"

#include "model/plan_operators.h"

namespace sparkprof {
namespace {

struct KnownMetric {
  Engine engine;
  std::string_view operators;  // start of their names
  std::string_view metric;
};

// The first metric that an operator has counts.
constexpr KnownMetric kEngineMetrics[] = {
    {Engine::kGpu, "Gpu", "op time"},
    {Engine::kGpu, "Gpu", "op time (legacy)"},
    {Engine::kGpu, "Gpu", "op time (shuffle write partitioning)"},
    {Engine::kGpu, "Gpu", "op time (shuffle read)"},
    {Engine::kGpu, "Gpu", "GPU decode time"},
    {Engine::kNative, "Photon", "exclusive time"},
    {Engine::kNative, "Comet", "total time (in ms) spent in this operator"},
    {Engine::kNative, "Native", "Native.elapsed_compute"},
};

// Gluten measures each step of an operator: "time of hash build", "time of hash probe".
constexpr std::string_view kGlutenStep = "time of ";
constexpr std::string_view kGlutenScan = "time of scan";  // "time of scan and filter" includes "time of scan"

bool IsOfGluten(std::string_view name) {
  return name.find("Transformer") != std::string_view::npos || name.starts_with("VeloxColumnar");
}

EngineTime GlutenTimeOf(const PlanNode& node) {
  EngineTime time{Engine::kNative, {}};
  EngineMetric scan;
  for (const PlanMetric& metric : node.metrics) {
    if (!metric.has_value || !metric.name.starts_with(kGlutenStep)) continue;
    const EngineMetric step{metric.name, static_cast<int64_t>(metric.value)};
    if (!metric.name.starts_with(kGlutenScan)) {
      time.metrics.push_back(step);
    } else if (scan.name.empty() || step.ns > scan.ns) {
      scan = step;
    }
  }
  if (!scan.name.empty()) time.metrics.push_back(scan);
  return time;
}

}  // namespace

EngineTime EngineTimeOf(const PlanNode& node) {
  const std::string_view name = node.name;
  if (IsOfGluten(name)) return GlutenTimeOf(node);
  EngineTime time;
  for (const KnownMetric& known : kEngineMetrics) {
    if (!name.starts_with(known.operators)) continue;
    time.engine = known.engine;
    if (const std::optional<int64_t> ns = ValueOf(node, known.metric)) {
      time.metrics.push_back({known.metric, *ns});
      break;
    }
  }
  return time;
}

}  // namespace sparkprof

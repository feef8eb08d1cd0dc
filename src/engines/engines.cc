// SPDX-License-Identifier: Apache-2.0
#include "engines/engines.h"

#include <algorithm>

#include "base/text/text.h"

namespace sparkprof {
namespace {

using Texts = std::vector<std::string_view>;

constexpr std::pair<std::string_view, EngineTaskMetric> kTaskMetrics[] = {{"time", EngineTaskMetric::kTime},
                                                                          {"wait", EngineTaskMetric::kWait},
                                                                          {"retries", EngineTaskMetric::kRetries},
                                                                          {"retry-time", EngineTaskMetric::kRetryTime},
                                                                          {"spill-time", EngineTaskMetric::kSpillTime},
                                                                          {"memory", EngineTaskMetric::kMemory}};

// "metric", operator, metric, …
OperatorMetrics MetricsIn(const Texts& fields) { return {fields[1], Texts(fields.begin() + 2, fields.end())}; }

// Tests read all tables, so that a wrong line never leaves the build.
std::vector<Engine> ReadTables() {
  std::vector<Engine> engines;
  for (const std::string_view line : Split(kEngineTables, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const Texts fields = Split(line, '\t');
    const std::string_view about = fields[0], text = fields.size() > 1 ? fields[1] : std::string_view();
    if (about == "engine") engines.emplace_back().name = text;
    if (engines.empty()) continue;
    Engine& engine = engines.back();
    if (about == "loads") engine.loads.push_back(text);
    if (about == "operator") engine.operators.push_back(text);
    if (about == "operator-part") engine.operator_parts.push_back(text);
    if (about == "kind" && fields.size() > 2) engine.kinds.emplace_back(text, fields[2]);
    if (about == "clock") engine.clock = text == "gpu" ? EngineClock::kGpu : EngineClock::kNative;
    if (about == "metric" && fields.size() > 2) engine.metrics.push_back(MetricsIn(fields));
    if (about == "part" && fields.size() > 2) engine.parts.push_back(MetricsIn(fields));
    if (about == "without" && fields.size() > 3) engine.without.push_back(MetricsIn(fields));
    if (about == "inclusive" && fields.size() > 2) engine.inclusive.push_back(MetricsIn(fields));
    if (about == "steps" && fields.size() > 2) engine.steps = text, engine.alternative_steps = fields[2];
    if (about == "rows") engine.rows = text;
    if (about == "reason") engine.reason_mark = text;
    if (about == "task" && fields.size() > 2) {
      for (const auto& [meaning, metric] : kTaskMetrics) {
        if (meaning == fields[2]) engine.task_metrics.emplace_back(text, metric);
      }
    }
    if (about == "transition") engine.transitions.push_back(text);
    if (about == "wait") engine.waits.push_back(text);
    if (about == "code") engine.code.push_back(text);
  }
  return engines;
}

bool StartsWithOneOf(std::string_view text, const Texts& starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return text.starts_with(start); });
}

bool ContainsOneOf(std::string_view text, const Texts& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

template <typename Accepts>
const Engine* FindEngine(const Accepts& accepts) {
  const std::vector<Engine>& engines = Engines();
  const auto found = std::find_if(engines.begin(), engines.end(), accepts);
  return found == engines.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<Engine>& Engines() {
  static const std::vector<Engine> engines = ReadTables();
  return engines;
}

const Engine& SparkEngine() {
  static const Engine& spark = *FindEngine([](const Engine& engine) { return engine.name == "spark"; });
  return spark;
}

const Engine* EngineOfOperator(std::string_view name) {
  const Engine* found = nullptr;
  size_t longest = 0;
  for (const Engine& engine : Engines()) {
    const auto consider = [&](std::string_view text, bool has) {
      if (has && text.size() > longest) found = &engine, longest = text.size();
    };
    for (const std::string_view start : engine.operators) consider(start, name.starts_with(start));
    for (const std::string_view part : engine.operator_parts) consider(part, name.find(part) != std::string_view::npos);
  }
  return found;
}

std::string_view SparkKindOf(std::string_view kind) {
  for (const Engine& engine : Engines()) {
    for (const auto& [name, of_spark] : engine.kinds) {
      if (name == kind) return of_spark;
    }
  }
  const Engine* const engine = EngineOfOperator(kind);
  if (engine == nullptr) return kind;
  for (const std::string_view start : engine->operators) {
    if (kind.starts_with(start) && kind.size() > start.size()) return kind.substr(start.size());
  }
  for (const std::string_view part : engine->operator_parts) {
    const size_t at = kind.find(part);
    if (at != std::string_view::npos && at > 0) return kind.substr(0, at);
  }
  return kind;
}

bool IsTransition(std::string_view name) {
  return name.starts_with("ColumnarToRow") || name.starts_with("RowToColumnar") ||  // Spark's own
         FindEngine([&](const Engine& engine) { return StartsWithOneOf(name, engine.transitions); }) != nullptr;
}

const Engine* EngineLoadedBy(std::string_view setting) {
  return FindEngine([&](const Engine& engine) { return ContainsOneOf(setting, engine.loads); });
}

std::optional<EngineTaskMetric> EngineTaskMetricOf(std::string_view accumulator) {
  for (const Engine& engine : Engines()) {
    for (const auto& [name, metric] : engine.task_metrics) {
      if (name == accumulator) return metric;
    }
  }
  return std::nullopt;
}

bool IsEngineWait(std::string_view frame) {
  return FindEngine([&](const Engine& engine) {
           return std::find(engine.waits.begin(), engine.waits.end(), frame) != engine.waits.end();
         }) != nullptr;
}

bool IsEngineCode(std::string_view function) {
  // Rust's symbols of methods: "<tokio::runtime::Context>::run_task".
  if (function.starts_with('<')) function.remove_prefix(1);
  return FindEngine([&](const Engine& engine) { return StartsWithOneOf(function, engine.code); }) != nullptr;
}

}  // namespace sparkprof

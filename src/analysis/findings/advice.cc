// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/plan_operator.h"
#include "analysis/findings/spark_settings.h"
#include "analysis/plans/engine_times.h"

namespace sparkprof {

bool IsLocal(const Application& application) { return application.master.starts_with("local"); }

std::string MoreMemoryAdvice(const Application& application) {
  return IsLocal(application) ? "increase spark.driver.memory or use fewer cores (local[N])"
                              : "increase spark.executor.memory or use fewer cores per executor";
}

bool HasSamples(const Application& application) {
  return !application.profile.samples.empty() || !application.python_samples.empty();
}

bool RunsOnOtherEngine(const Application& application, const Stage& stage) {
  for (const std::string_view setting : {"spark.plugins", "spark.sql.extensions"}) {
    const std::string_view value = SettingOf(application, setting).value_or("");
    for (const std::string_view engine : {"rapids", "Gluten", "Comet", "Auron", "Blaze"})
      if (value.find(engine) != std::string_view::npos) return true;
  }
  const std::vector<PlanOperator> operators = OperatorsOfStage(application, stage);
  return std::any_of(operators.begin(), operators.end(),
                     [](const PlanOperator& one) { return EngineTimeOf(*one.plan).engine != Engine::kNone; });
}

bool IsPythonProgram(const Application& application) {
  return std::any_of(application.stages.begin(), application.stages.end(), [](const Stage& stage) {
    return stage.details.find("api.python.") != std::string::npos || stage.details.find("py4j.") != std::string::npos;
  });
}

std::string Counted(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", CountText(count), noun, count == 1 ? "" : "s");
}

std::string CountText(int64_t count) {
  std::string text = std::to_string(count);
  const size_t first = count < 0 ? 1 : 0;
  for (size_t at = text.size(); at > first + 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/answers.h"
#include "analysis/costs/price_list.h"
#include "model/application.h"

namespace sparkprof {

// Rows of the tables in fleet_schema.h as lines "TABLE\\tJSON\n". Unknown values have no member. Each object also has
// the member "date": the UTC day of the application's start, or of the last change of a failed log.

void AppendFleetRows(const Application& application, const Answers& answers, const std::optional<PriceList>& prices,
                     const std::string& source, std::string* lines);

// A log that could not be read. `id` and `attempt` are empty if unknown.
struct FailedLog {
  std::string source;
  std::string id, attempt;
  int64_t bytes = 0;
  int64_t modified_ns = 0;
  std::string reason;
};
void AppendFleetFailure(const FailedLog& failed, std::string* lines);

// The part of `core_hours` without a successful or running task.
double WastedCoreHours(const Application& application, double core_hours);

// The name of the native engine, "spark" if there is none.
std::string_view EngineOfApplication(const Application& application);

// YARN's queue or the Kubernetes namespace; empty if unknown.
std::string_view QueueOf(const Application& application);

}  // namespace sparkprof

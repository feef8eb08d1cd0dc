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

// Rows of the tables of fleet_schema.h as lines "TABLE\tJSON\n". Unknown members are left out. Each object has the
// member "date" besides: the day in UTC of the application's start, or of the last change of a log that failed.

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

// Core-hours without a task that succeeded or still runs, of `core_hours`.
double WastedCoreHours(const Application& application, double core_hours);

// The name of the engine below Spark, "spark" if there is none.
std::string_view EngineOfApplication(const Application& application);

// YARN's queue or the namespace on Kubernetes; empty if unknown.
std::string_view QueueOf(const Application& application);

}  // namespace sparkprof

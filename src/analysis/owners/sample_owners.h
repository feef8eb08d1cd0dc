// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/selection/stack_kinds.h"
#include "analysis/selection/threads.h"
#include "model/application.h"

namespace sparkprof {

enum class OwnerKind : uint8_t { kTask, kDriver, kBackground };
std::string_view OwnerKindName(OwnerKind kind);  // "task", "driver", "background"

using OwnerName = std::pair<OwnerKind, std::string>;

inline constexpr std::string_view kGarbageCollection = "garbage collection";

OwnerName OwnerOfStage(int64_t stage, int64_t attempt);

// The owner of a thread without samples, by its name alone.
OwnerName OwnerOfThreadName(std::string_view name);

// Owners of samples of any event: a stage's tasks, a query or the program of the driver, named background work.
class SampleOwners {
 public:
  explicit SampleOwners(const Application& application);

  // nullopt for unknown threads.
  std::optional<OwnerName> OfJvm(const Sample& sample) const;
  OwnerName OfTask(const Sample& sample) const;
  OwnerName OfDriver(const Sample& sample) const;

 private:
  const Application& application_;
  const std::vector<ThreadKind> kinds_;
  const std::vector<StackKind> stack_kinds_;
  std::vector<const SqlExecution*> queries_;  // by start
  int32_t driver_ = -1;                       // row of the driver's executor
};

// The work of a Spark JVM's thread that belongs neither to a task nor to the driver program, from its name set by
// Spark, Hadoop or HotSpot: "garbage collection", "event bus". Empty for other threads.
std::string_view BackgroundWorkOf(std::string_view thread_name);

}  // namespace sparkprof

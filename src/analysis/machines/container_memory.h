// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/application.h"

namespace sparkprof {

inline constexpr char kOverheadSetting[] = "spark.executor.memoryOverhead";

// Memory that the processes of an executor (row) held together at most, as YARN and the kernel add it up; 0 = not
// recorded.
int64_t LargestTree(const Application& application, int32_t executor);

// Memory that the cluster manager grants an executor's processes; nullopt if there is no such limit or it is unknown.
std::optional<int64_t> ContainerLimit(const Application& application);

// For an executor whose processes hold that much: "Set spark.executor.memoryOverhead=1536m (now 384 MiB)". Requires a
// ContainerLimit.
std::string OverheadAdvice(const Application& application, int64_t bytes);

// A size that a person would set: "1536m".
std::string SizeToSet(double bytes);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// The increase of a counter up to its last point. Counters start at 0 with their process; a decrease is a restart.
double Growth(const ApplicationSeries& series);

// The increase of all series called `name` whose process has a role accepted by `of_role`; series without a process
// have an empty role.
double GrowthOf(const Application& application, std::string_view name,
                const std::function<bool(std::string_view role)>& of_role);

bool IsPython(std::string_view role);  // "python_daemon", "python_worker"

// CPU time of all Python processes. Workers that started and ended between two readings are included only in their
// daemon's count of ended children.
int64_t PythonCpu(const Application& application);

// CPU time of all Python processes between two times (ns since the Unix epoch), at the resolution of the series.
int64_t PythonCpuBetween(const Application& application, int64_t begin_ns, int64_t end_ns);
bool HasPythonCpu(const Application& application);

enum class SeriesMeasure : uint8_t { kBytes, kCpu, kTime, kCount, kLoad, kCpuPercent };

// Determined by the suffix of the name.
SeriesMeasure MeasureOfSeries(std::string_view name);

// The unit of the points: "bytes", "ns", "share", "percent"; empty for counts.
std::string_view UnitOfSeries(std::string_view name);

// Returns "Heap used", "Disk sda: read"; the name itself for series that are not in docs/series.md.
std::string LabelOfSeries(std::string_view name);

}  // namespace sparkprof

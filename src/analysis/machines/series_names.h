// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sparkprof {

// Display names of the series in docs/series.md.

enum class SeriesMeasure : uint8_t { kBytes, kCpu, kTime, kCount, kLoad, kCpuPercent };

// Determined by the suffix of the name.
SeriesMeasure MeasureOfSeries(std::string_view name);

// The unit of the points: "bytes", "ns", "share", "percent"; empty for counts.
std::string_view UnitOfSeries(std::string_view name);

// Returns "Heap used", "Disk sda: read"; the name itself for series that are not in docs/series.md.
std::string LabelOfSeries(std::string_view name);

}  // namespace sparkprof

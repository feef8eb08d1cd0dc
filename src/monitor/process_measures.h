// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "model/segment/segment.h"

namespace sparkprof {

// Series of a process (docs/series.md).
enum class Measure : uint8_t {
  kCpu,
  kChildrenCpu,
  kUnlistedChildrenCpu,
  kRss,
  kRssPeak,
  kVirtual,
  kProportional,
  kPrivate,
  kShared,
  kSwap,
  kThreads,
  kMinorFaults,
  kMajorFaults,
  kRead,
  kWritten,
  kVoluntarySwitches,
  kInvoluntarySwitches,
  kFileDescriptors,
  kConnections,
};
inline constexpr size_t kMeasures = static_cast<size_t>(Measure::kConnections) + 1;

struct MeasureName {
  std::string_view name;
  SeriesKind kind;
};
inline constexpr MeasureName kMeasureNames[kMeasures] = {
    {"process.cpu_ns", SeriesKind::kCounter},
    {"process.children_cpu_ns", SeriesKind::kCounter},
    {"process.unlisted_children_cpu_ns", SeriesKind::kGauge},
    {"process.rss_bytes", SeriesKind::kGauge},
    {"process.rss_peak_bytes", SeriesKind::kGauge},
    {"process.virtual_bytes", SeriesKind::kGauge},
    {"process.pss_bytes", SeriesKind::kGauge},
    {"process.private_bytes", SeriesKind::kGauge},
    {"process.shared_bytes", SeriesKind::kGauge},
    {"process.swap_bytes", SeriesKind::kGauge},
    {"process.threads", SeriesKind::kGauge},
    {"process.minor_faults", SeriesKind::kCounter},
    {"process.major_faults", SeriesKind::kCounter},
    {"process.read_bytes", SeriesKind::kCounter},
    {"process.write_bytes", SeriesKind::kCounter},
    {"process.voluntary_switches", SeriesKind::kCounter},
    {"process.involuntary_switches", SeriesKind::kCounter},
    {"process.file_descriptors", SeriesKind::kGauge},
    {"process.connections", SeriesKind::kGauge},
};

}  // namespace sparkprof

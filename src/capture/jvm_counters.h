// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "capture/hsperfdata.h"
#include "model/segment.h"

namespace sparkprof {

struct CounterReading {
  std::string_view name;  // as in docs/series.md: "jvm.heap_used_bytes"
  SeriesKind kind = SeriesKind::kGauge;
  double value = 0;
};

// The series of docs/series.md that a JVM's counters give. What this JVM does not count is left out: names differ
// between collectors and JDKs.
std::vector<CounterReading> ReadJvmCounters(const Hsperfdata& data);

}  // namespace sparkprof

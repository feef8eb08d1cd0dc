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

// Converts a JVM's counters to the series of docs/series.md. Omits counters that this JVM lacks: names differ between
// collectors and JDKs.
std::vector<CounterReading> ReadJvmCounters(const Hsperfdata& data);

}  // namespace sparkprof

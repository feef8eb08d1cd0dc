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

// The series of docs/series.md from a JVM's counters. Omits counters that this JVM does not have: names differ between
// collectors and JDKs.
std::vector<CounterReading> ReadJvmCounters(const Hsperfdata& data);

}  // namespace sparkprof

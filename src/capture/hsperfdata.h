// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/segment/segment.h"

namespace sparkprof {

// A counter in a JVM's performance data: a number ('J') or a text (a vector of 'B').
struct PerfCounter {
  std::string_view name;  // "sun.gc.collector.0.time"
  std::string_view text;  // value of a text counter, up to its first NUL
  int64_t value = 0;
  bool is_text = false;
};

// The counters of a JVM's hsperfdata file. Views point into the parsed bytes.
struct Hsperfdata {
  std::vector<PerfCounter> counters;
  uint64_t damaged_entries = 0;  // entries with an invalid length or offset; an invalid length ends the parsing

  const PerfCounter* Find(std::string_view name) const;
  std::optional<int64_t> Number(std::string_view name) const;
  std::string_view Text(std::string_view name) const;  // empty if missing
};

// Format: OpenJDK, hotspot/share/runtime/perfMemory.hpp (PerfDataPrologue, PerfDataEntry), version 2.x. Fails for an
// invalid prologue, or if the JVM has not finished it.
Result<Hsperfdata> ParseHsperfdata(std::string_view bytes, const std::string& name);

// Finds /tmp/hsperfdata_USER/PID of a JVM by the file's owner. Does not resolve user names, which could use the
// network. Returns an empty path if the JVM has none (-XX:-UsePerfData, -XX:+PerfDisableSharedMem). For a JVM in a
// container, pass its own PID as `namespace_pid`; its /tmp is in /proc/PID/root.
std::string FindHsperfdata(int64_t pid, const std::string& temporary_folder = "/tmp", int64_t namespace_pid = 0);

struct CounterReading {
  std::string_view name;  // as in docs/series.md: "jvm.heap_used_bytes"
  SeriesKind kind = SeriesKind::kGauge;
  double value = 0;
};

// Converts a JVM's counters to the series of docs/series.md. Omits counters that this JVM lacks: names differ between
// collectors and JDKs.
std::vector<CounterReading> ReadJvmCounters(const Hsperfdata& data);

}  // namespace sparkprof

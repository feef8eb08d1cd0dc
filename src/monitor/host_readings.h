// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/file.h"
#include "base/result.h"
#include "capture/proc_folder.h"
#include "monitor/node_segment.h"

namespace sparkprof {

// A number in a file of the host, as a point of the series `name`.
struct HostValue {
  std::string name;
  SeriesKind kind = SeriesKind::kGauge;
  int64_t value = 0;
};

// Parsers of files in /proc and of cgroups. They skip unknown lines, and omit numbers that do not fit.
std::vector<HostValue> ParseCpuTimes(std::string_view stat);       // /proc/stat
std::vector<HostValue> ParseHostMemory(std::string_view meminfo);  // /proc/meminfo
std::vector<HostValue> ParseDisks(std::string_view diskstats);     // /proc/diskstats, without partitions
std::vector<HostValue> ParseNetwork(std::string_view dev);         // /proc/net/dev
// /proc/pressure/NAME and NAME.pressure: times in which some or all tasks waited. Series names start with `prefix`.
std::vector<HostValue> ParsePressure(std::string_view text, std::string_view prefix);

// Readings of the host and of its processes' cgroups (docs/series.md). Not thread-safe.
class HostReadings {
 public:
  HostReadings(const std::string& proc, std::string control_groups);

  // `groups`: paths of the cgroups to read.
  void Tick(int64_t epoch_ns, const std::map<std::string, int64_t>& groups, NodeSegment* segment);
  void Finish(NodeSegment* segment);
  void Restart() { curves_.clear(); }

  // Describes data that this user cannot read; empty if there is none.
  std::string Trouble() const;

 private:
  struct Named {
    SeriesKind kind = SeriesKind::kGauge;
    Curve curve;
  };

  void Put(const std::vector<HostValue>& values, int64_t epoch_ns, NodeSegment* segment);
  std::string_view ReadProcFile(const char* name);
  void ReadControlGroup(const std::string& path, int64_t epoch_ns, NodeSegment* segment);

  ProcFolder proc_;
  const std::string control_groups_;
  std::map<std::string, FileDescriptor> files_;  // open files of /proc
  std::map<std::string, Named> curves_;
  int64_t next_groups_ns_ = 0;  // CLOCK_MONOTONIC
  std::string buffer_;
};

}  // namespace sparkprof

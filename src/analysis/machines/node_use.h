// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/selection/time_range.h"
#include "model/application.h"
#include "model/segment/counter_steps.h"

namespace sparkprof {

// Resources that a host used in equal steps of time. nullopt = not recorded in this step.
struct HostUse {
  double cores = 0;  // number of cores of the host
  double memory_bytes = 0;
  std::vector<std::optional<double>> cpu;      // cores, mean
  std::vector<std::optional<double>> memory;   // bytes, maximum
  std::vector<std::optional<double>> disk;     // bytes read and written
  std::vector<std::optional<double>> network;  // bytes received and sent, without the loopback
};

// Sums the recordings of one host: days, or attempts of a day.
HostUse UseOfHost(const std::vector<const Application*>& recordings, const TimeSteps& steps);

struct ProcessUse {
  int64_t pid = 0;
  int64_t start_ticks = 0;
  std::string type, user, application_id, executor_id, name, command;
  int64_t start_ns = 0, end_ns = 0;  // recorded lifetime of the process
  double cpu_ns = 0;                 // includes short-lived children without a row
  double cores = 0;                  // mean over the whole time, so that processes add up to the host
  double max_rss_bytes = 0;
  double read_bytes = 0, write_bytes = 0;
};

enum class ProcessOrder : uint8_t { kCpu, kMemory };

// The processes that ran between the two times, highest usage first.
std::vector<ProcessUse> UseOfProcesses(const std::vector<const Application*>& recordings, int64_t begin_ns,
                                       int64_t end_ns, ProcessOrder order);

// The sentence about a host's recording: how busy it was, its largest users of CPU and memory, and the next step.
std::string HostInWords(const Application& recording, const TimeRange& range);

}  // namespace sparkprof

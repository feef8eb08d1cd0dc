// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "model/segment/segment.h"
#include "monitor/host_readings.h"
#include "monitor/node_segment.h"
#include "monitor/process_table.h"

namespace sparkprof {

struct NodeMonitorOptions {
  std::string proc = "/proc";
  std::string control_groups = "/sys/fs/cgroup";
  std::string host;
  std::string version;  // version of sparkprof
  MonitorRoots roots;
  int64_t interval_ns = 0;  // interval for the tree and the host
  int64_t others_ns = 0;    // interval for other processes; 0 = not recorded
  ClockReader clock = ReadClocks;
};

// Records a host and its processes; the owner calls Tick at each interval. A recording covers one day, so that a
// collector can remove old ones. When the host's clock is set back, a new attempt of the day starts, because times only
// grow within an attempt. Not thread-safe.
class NodeMonitor {
 public:
  // `on_block` receives each block with the ID of its recording ("node-HOST-20261123").
  using OnBlock = std::function<void(const std::string& recording, std::string_view block)>;
  NodeMonitor(NodeMonitorOptions options, OnBlock on_block);

  void Tick();
  // Writes the last block.
  void Finish();

  // Sets the total so far; see NodeSegment.
  void SetLoss(const std::string& what, const std::string& reason, int64_t total) {
    segment_.SetLoss(what, reason, total);
  }
  void AddNotice(NoticeLevel level, std::string text) { segment_.AddNotice(level, std::move(text)); }

  bool HasEnded() const { return processes_.TreeSize() == 0; }
  const ProcessTable& Processes() const { return processes_; }
  // Number of processes in the tree: running, and ended so far.
  int64_t Living() const { return static_cast<int64_t>(processes_.TreeSize()); }
  int64_t Ended() const { return processes_.Ended(); }

 private:
  void Begin(int64_t epoch_ns);
  // The host's clock adjustment since the last tick; 0 = none.
  int64_t StepOf(const ClockAnchor& now);
  void NoteStep(int64_t step_ns);
  void Finish(int64_t epoch_ns);
  void Flush(bool last);

  const NodeMonitorOptions options_;
  const OnBlock on_block_;
  Source source_;
  NodeSegment segment_;
  ProcessTable processes_;
  HostReadings host_;
  std::string day_;             // day of the current recording
  int64_t next_others_ns_ = 0;  // CLOCK_MONOTONIC
  int64_t next_flush_ns_ = 0;
  int64_t clock_offset_ns_ = 0;  // epoch minus monotonic time at the last tick
  int steps_back_ = 0;           // number of times the host's clock was set back
};

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "capture/container_limits.h"
#include "jfr_tail.h"
#include "join/task_join.h"
#include "jvm_monitor.h"
#include "outside_sampler.h"
#include "own_budget.h"
#include "pipe_frames.h"
#include "plugin_pipe.h"
#include "python_activity.h"
#include "ring_drain.h"
#include "sample_collector.h"
#include "segment_writer.h"
#include "spool.h"
#include "task_log.h"
#include "task_times.h"

namespace sparkprof {

// Handles the frames of docs/agent-protocol.md and timed work. The main loop does the waiting.
class Agent {
 public:
  Agent(JfrTail jfr, PluginPipe* plugin);

  void OnFrame(const PipeFrame& frame);

  // Does all work due now. Returns CLOCK_MONOTONIC of the next work.
  int64_t OnTime(int64_t now_ns);

  void Flush();

  // Reads the last chunks and writes the last block.
  void Finish();

  int64_t JvmPid() const { return writer_.source().pid; }

 private:
  void OnHello(std::string_view payload);
  void OnIdentity(std::string_view payload);
  void OnSettings(std::string_view payload);
  void TakeSettings(const std::map<std::string, std::string>& pairs);
  void OnDumped(std::string_view payload);
  void KeepSamplingBudget();
  void NoteIntervals(const EventNumbers& next);
  void OnLoss(std::string_view payload);
  void OnNotice(std::string_view payload);
  void OnUploaded(std::string_view payload);
  void OnHeapSummary(std::string_view payload);
  void OnGauges(std::string_view payload);
  void TellSpool();
  void ReadChunks(int64_t before_ns);
  void ReadChunk(std::string_view chunk, const JfrChunkHeader& header, uint64_t offset);
  void DrainRings(int64_t now_ns);
  void LookAround(int64_t now_ns);
  void FollowPython();
  void CountUnsampledWorkers(std::map<std::pair<int64_t, int64_t>, bool> workers);
  void NoteOwnUse(int64_t now_ns);
  void NoteRunUse(int64_t epoch_ns);
  void NotePluginUse(const std::map<std::string, std::string>& pairs);
  void NoteContainer();
  void NoteLosses();
  void RemovePythonModule() const;
  void NoteGap(int64_t now_ns);
  void NoteRecorded();
  void OnBlock(const std::string& block, bool last);
  void Warn(const std::string& text);

  JfrTail jfr_;
  PluginPipe* plugin_;
  SegmentWriter writer_;
  Spool spool_;
  TaskJoin join_;
  TaskTimes task_times_;
  TaskLog tasks_;
  PythonActivity python_;
  RingDrain rings_;
  OutsideSampler outside_;
  OwnBudget budget_;
  std::optional<JvmMonitor> monitor_;  // set by HELLO
  SampleWeights weights_;
  AllocationWeights allocation_weights_;
  NativeMemory native_memory_;
  ContainerMemory container_;
  SamplingBudget sampling_budget_;
  EventNumbers finest_intervals_{};                 // configured intervals; 0 = fixed by the user
  EventNumbers intervals_{};                        // intervals in effect
  std::array<bool, kBudgetEvents.size()> noted_{};  // whether a notice has reported a change
  bool forward_ = false;
  std::string told_spool_;  // spool reported to the plugin
  int64_t told_base_ = 0;
  bool stopping_ = false;
  int64_t own_start_ticks_ = 0;
  int64_t run_pid_ = 0;  // the `sparkprof run` that started the job; 0 = none
  int64_t next_look_ns_ = 0;
  int64_t next_drain_ns_ = 0;
  int64_t frames_ = 0;           // number of frames from the plugin
  int64_t recorded_frames_ = 0;  // number reported to the plugin as recorded
  int64_t last_time_ns_ = 0;     // time of the last OnTime; 0 = never
  int64_t gap_ms_ = 0;           // total time in which the agent did not run
  std::map<std::pair<std::string, std::string>, int64_t> plugin_losses_;
  // Running Python workers by PID and start ticks; value: whether a sampler was active.
  std::map<std::pair<int64_t, int64_t>, bool> workers_;
  int64_t unsampled_workers_ = 0;
  std::string python_module_;
  int64_t damaged_records_ = 0;  // frames with a payload that is too short
  int64_t damaged_events_ = 0;   // damaged JFR events
  int64_t unreadable_heap_summaries_ = 0;
  int64_t unreadable_bytes_ = 0;  // bytes of unreadable chunks
};

}  // namespace sparkprof

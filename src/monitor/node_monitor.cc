// SPDX-License-Identifier: Apache-2.0
#include "monitor/node_monitor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "base/text/text.h"
#include "base/time.h"
#include "capture/proc.h"

namespace sparkprof {
namespace {

// Maximum loss of a killed monitor.
constexpr int64_t kFlushIntervalNs = 5 * kNanosPerSecond;
constexpr int64_t kClockStepNs = kNanosPerSecond;

Source SourceOf(const NodeMonitorOptions& options) {
  Source source;
  source.role = "node";
  source.host = options.host;
  source.boot_id = BootId();
  source.pid = getpid();
  if (const auto own = ReadProcessStat(source.pid)) source.start_ticks = own->start_ticks;
  source.sparkprof_version = options.version;
  source.application_name = "Node " + options.host;
  return source;
}

// Formats a UTC day as "20261123".
std::string DayOf(int64_t epoch_ns) {
  std::string day = FormatTimestamp(epoch_ns).substr(0, 10);
  std::erase(day, '-');
  return day;
}

}  // namespace

NodeMonitor::NodeMonitor(NodeMonitorOptions options, OnBlock on_block)
    : options_(std::move(options)),
      on_block_(std::move(on_block)),
      source_(SourceOf(options_)),
      segment_(source_, options_.clock),
      processes_(ProcFolder(options_.proc), options_.roots, options_.others_ns > 0),
      host_(options_.proc, options_.control_groups) {
  segment_.SetOnFull([this] { Flush(false); });
  const ClockAnchor now = options_.clock();
  clock_offset_ns_ = now.epoch_ns - now.monotonic_ns;
}

void NodeMonitor::Begin(int64_t epoch_ns) {
  day_ = DayOf(epoch_ns);
  source_.application_id = fmt::format("node-{}-{}", options_.host, day_);
  source_.application_attempt = steps_back_ == 0 ? "" : std::to_string(steps_back_ + 1);
  segment_.Begin(source_);
  segment_.AddSetting("monitor.host", options_.host);
  segment_.AddSetting("monitor.interval_ns", std::to_string(options_.interval_ns));
  segment_.AddSetting("monitor.others_ns", std::to_string(options_.others_ns));
  processes_.Restart();
  host_.Restart();
}

void NodeMonitor::Tick() {
  const ClockAnchor now = options_.clock();
  const int64_t monotonic_ns = now.monotonic_ns;
  const int64_t epoch_ns = now.epoch_ns;
  const bool is_first = day_.empty();
  int64_t step_ns = StepOf(now);
  if (is_first) step_ns = 0;  // no earlier data has the previous clock's time
  if (step_ns < 0) ++steps_back_;
  if (day_ != DayOf(epoch_ns) || step_ns < 0) {
    // Intervals that end here use the clock that they started with.
    if (!is_first) Finish(epoch_ns - step_ns);
    Begin(epoch_ns);
  }
  if (step_ns != 0) NoteStep(step_ns);
  const bool others = options_.others_ns > 0 && monotonic_ns >= next_others_ns_;
  if (others) next_others_ns_ = monotonic_ns + options_.others_ns;
  processes_.Tick(epoch_ns, others, &segment_);
  SetLoss("process_readings", "the kernel did not answer in time", processes_.LostReadings());
  // Reading all processes takes a while on a busy host: with the time of its start, shares of the host would exceed
  // 100%.
  host_.Tick(options_.clock().epoch_ns, processes_.ControlGroups(), &segment_);
  if (is_first && !host_.Trouble().empty()) AddNotice(NoticeLevel::kWarning, host_.Trouble());
  // Writes the first block early: a file without one is not a recording.
  if (monotonic_ns < next_flush_ns_ && segment_.Size() < NodeSegment::kMaxBytes) return;
  next_flush_ns_ = monotonic_ns + kFlushIntervalNs;
  Flush(false);
}

int64_t NodeMonitor::StepOf(const ClockAnchor& now) {
  const int64_t offset_ns = now.epoch_ns - now.monotonic_ns;
  const int64_t step_ns = offset_ns - std::exchange(clock_offset_ns_, offset_ns);
  return std::abs(step_ns) < kClockStepNs ? 0 : step_ns;
}

void NodeMonitor::NoteStep(int64_t step_ns) {
  AddNotice(NoticeLevel::kWarning, fmt::format("The host's clock was set {} by {}", step_ns < 0 ? "back" : "forward",
                                               FormatDuration(std::abs(step_ns))));
}

void NodeMonitor::Flush(bool last) { on_block_(source_.application_id, segment_.Take(last)); }

void NodeMonitor::Finish() {
  if (!day_.empty()) Finish(options_.clock().epoch_ns);
}

void NodeMonitor::Finish(int64_t epoch_ns) {
  processes_.Finish(epoch_ns, &segment_);
  host_.Finish(&segment_);
  Flush(true);
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "worker_ring.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

// A thread that got less of a CPU than this did not run. One that waits for rows wakes up often, for a moment each.
constexpr double kRunningShare = 0.1;
constexpr double kRunningShareOfReaders = 0.5;
// What a sample tells about the time before it reaches back this many intervals.
constexpr int64_t kReach = 3;
// No honest sampler is silent for longer.
constexpr int64_t kMaxGapNs = 3600 * kNanosPerSecond;
constexpr int kMaxNotices = 5;  // of one worker

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

ThreadState StateOf(const RingSample& sample, int64_t cpu_ns, int64_t wall_ns, PythonPhase phase) {
  if (wall_ns == 0) return (sample.flags & kRingOnCpu) != 0 ? ThreadState::kRunning : ThreadState::kSleeping;
  const double share = static_cast<double>(cpu_ns) / static_cast<double>(wall_ns);
  const bool reads = phase == PythonPhase::kDeserialisation;
  return share >= (reads ? kRunningShareOfReaders : kRunningShare) ? ThreadState::kRunning : ThreadState::kSleeping;
}

}  // namespace

WorkerRing::WorkerRing(RingReader reader, int64_t bucket_ns, SegmentWriter* writer, PythonActivity* activity,
                       const TaskTimes* times)
    : reader_(std::move(reader)), bucket_ns_(bucket_ns), writer_(writer), activity_(activity), times_(times) {}

void WorkerRing::Drain(int64_t epoch_offset_ns, PythonBatch* batch) {
  epoch_offset_ns_ = epoch_offset_ns;
  batch_ = batch;
  reader_.Drain(this);
}

void WorkerRing::OnCode(const RingCode& code, std::string_view function, std::string_view file) {
  if (codes_.size() <= code.code) codes_.resize(code.code + 1);
  Code& known = codes_[code.code];
  if (known.function == function && known.file == file) return;
  known = {ToUtf8(function), ToUtf8(file)};
  // Rare: the id stood for another function before.
  std::erase_if(frames_, [&](const auto& frame) { return frame.first >> 32 == code.code; });
}

FrameId WorkerRing::FrameOf(const RingFrame& frame) {
  const auto [place, is_new] = frames_.try_emplace(uint64_t{frame.code} << 32 | frame.line, 0);
  if (is_new) {
    SampleBatch& samples = batch_->samples;
    const bool known = frame.code < codes_.size() && !codes_[frame.code].function.empty();
    place->second = samples.frames.Intern({samples.strings.Intern(known ? codes_[frame.code].function : "[unknown]"),
                                           samples.strings.Intern(known ? codes_[frame.code].file : ""), frame.line,
                                           FrameKind::kPython});
  }
  return place->second;
}

StackId WorkerRing::StackOf(const RingSample& sample, const RingFrame* frames) {
  SampleBatch& samples = batch_->samples;
  StackId stack = 0;
  if ((sample.flags & kRingTruncated) != 0) {
    const Frame missing{samples.strings.Intern("[deeper frames]"), 0, 0, FrameKind::kSynthetic};
    stack = samples.stacks.Push(stack, samples.frames.Intern(missing));
  }
  for (size_t i = sample.frames; i-- > 0;) stack = samples.stacks.Push(stack, FrameOf(frames[i]));
  return stack;
}

uint32_t WorkerRing::ThreadRow(int64_t tid) {
  std::vector<Thread>& threads = batch_->samples.threads;
  const auto [row, is_new] = thread_rows_.try_emplace(tid, static_cast<uint32_t>(threads.size()));
  if (is_new) {
    const std::string process = "Python " + std::to_string(reader_.Pid());
    threads.push_back(
        {tid, batch_->samples.strings.Intern(tid == reader_.Pid() ? process : process + " thread"), reader_.Pid()});
  }
  return row->second;
}

void WorkerRing::OnSample(const RingSample& sample, const RingFrame* frames) {
  const int64_t cpu_ns = std::clamp<int64_t>(sample.cpu_ns, 0, kMaxGapNs);
  const int64_t wall_ns = std::clamp<int64_t>(sample.wall_ns, 0, kMaxGapNs);
  Undecided undecided;
  undecided.monotonic_ns = sample.monotonic_ns;
  undecided.cpu_ns = cpu_ns;
  undecided.wall_ns = wall_ns;
  Sample& row = undecided.sample;
  row.stack = StackOf(sample, frames);
  row.thread = ThreadRow(sample.tid);
  row.bucket = FloorDivide(sample.monotonic_ns + epoch_offset_ns_, bucket_ns_);
  undecided.phase = batch_->phases.Of(row.stack);
  row.state = StateOf(sample, cpu_ns, wall_ns, undecided.phase);
  if (batch_->oldest_ns == 0) batch_->oldest_ns = sample.monotonic_ns;
  if (sample.task >= 0) {
    row.task = sample.task;
    row.category = Category::kTask;
    AddActivity(row.task, sample, wall_ns, row.state);
    AddRows(row, cpu_ns, wall_ns);
    return;
  }
  undecided.task_before = open_ ? open_->task : last_task_;
  undecided_.push_back(undecided);
}

void WorkerRing::AddActivity(int64_t task, const RingSample& sample, int64_t wall_ns, ThreadState state) {
  const int64_t reach_ns = std::clamp<int64_t>(reader_.IntervalNs(), kNanosPerMilli, kNanosPerSecond) * kReach;
  activity_->Add(task, reader_.Pid(), sample.monotonic_ns - std::min(wall_ns, reach_ns), sample.monotonic_ns,
                 state == ThreadState::kRunning ? PythonState::kRunning : PythonState::kWaiting);
}

void WorkerRing::AddRows(const Sample& decided, int64_t cpu_ns, int64_t wall_ns) {
  Sample row = decided;
  row.count = 1;
  if (wall_ns > 0) {
    row.event = Event::kWall;
    row.weight = wall_ns;
    batch_->samples.samples.Add(row);
  }
  if (cpu_ns > 0) {
    row.event = Event::kCpu;
    row.state = ThreadState::kRunning;
    row.weight = cpu_ns;
    batch_->samples.samples.Add(row);
  }
}

void WorkerRing::Complete() {
  for (Undecided& undecided : undecided_) {
    Sample& row = undecided.sample;
    for (const int64_t task : {undecided.task_after, undecided.task_before}) {
      if (row.task == kNoTask && times_->Contains(task, undecided.monotonic_ns)) row.task = task;
    }
    if (row.task != kNoTask) {
      row.category = Category::kTask;
    } else if (undecided.phase != PythonPhase::kUser) {
      row.category = Category::kIdlePool;  // a worker between two tasks
    }
    AddRows(row, undecided.cpu_ns, undecided.wall_ns);
  }
  undecided_.clear();
  frames_.clear();
  thread_rows_.clear();
}

void WorkerRing::OnTaskBegin(const RingTaskBegin& begin) {
  for (Undecided& undecided : undecided_) {
    if (undecided.task_after == kNoTask) undecided.task_after = begin.task;
  }
  Finish();
  open_ = begin;
}

void WorkerRing::OnTaskEnd(const RingTaskEnd& end) {
  task_ended_ = true;
  if (!open_ || open_->task != end.task) return;
  const int64_t cpu_ns = std::clamp<int64_t>(end.process_cpu_ns - open_->process_cpu_ns, 0, INT64_MAX);
  writer_->AddPythonTask({end.task, reader_.Pid(), reader_.StartTicks(), open_->monotonic_ns + epoch_offset_ns_,
                          end.monotonic_ns + epoch_offset_ns_, cpu_ns});
  last_task_ = end.task;
  open_.reset();
}

void WorkerRing::Finish() {
  if (!open_) return;
  writer_->AddPythonTask(
      {open_->task, reader_.Pid(), reader_.StartTicks(), open_->monotonic_ns + epoch_offset_ns_, 0, 0});
  last_task_ = open_->task;
  open_.reset();
}

void WorkerRing::OnUdf(const RingUdf& udf, std::string_view function, std::string_view file) {
  writer_->AddUdf({udf.task, udf.eval_type, ToUtf8(function), ToUtf8(file), udf.first_line});
}

void WorkerRing::OnNotice(uint16_t level, std::string_view text) {
  if (++notices_ > kMaxNotices) return;
  writer_->AddNotice(static_cast<NoticeLevel>(std::min<uint16_t>(level, 2)),
                     "Python worker " + std::to_string(reader_.Pid()) + ": " + ToUtf8(text));
}

}  // namespace sparkprof

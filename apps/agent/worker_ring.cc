// SPDX-License-Identifier: Apache-2.0
#include "worker_ring.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "base/time.h"
#include "intervals.h"

namespace sparkprof {
namespace {

// A sample covers at most this many intervals before it.
constexpr int64_t kReach = 3;
// A valid sampler is never silent for longer.
constexpr int64_t kMaxGapNs = 3600 * kNanosPerSecond;
constexpr int kMaxNotices = 5;  // maximum per worker

}  // namespace

WorkerRing::WorkerRing(RingReader reader, int64_t bucket_ns, SegmentWriter* writer, PythonActivity* activity,
                       PythonAllocations* allocations, const TaskTimes* times, NativeNames* names)
    : reader_(std::move(reader)),
      bucket_ns_(bucket_ns),
      writer_(writer),
      activity_(activity),
      allocations_(allocations),
      times_(times),
      names_(names) {}

void WorkerRing::Drain(int64_t epoch_offset_ns, PythonBatch* batch) {
  epoch_offset_ns_ = epoch_offset_ns;
  batch_ = batch;
  reader_.Drain(this);
}

void WorkerRing::OnCode(const RingCode& code, std::string_view function, std::string_view file) {
  Define(code.code, {ToUtf8(function), ToUtf8(file)});
}

void WorkerRing::OnNativeCode(const RingNativeCode& code, std::string_view path) {
  const std::string_view library = path.substr(path.rfind('/') + 1);
  Define(code.code, {ToUtf8(names_->Of(path, code.address)), ToUtf8(library), FrameKind::kNative});
}

void WorkerRing::Define(uint32_t id, Code code) {
  if (codes_.size() <= id) codes_.resize(id + 1);
  if (codes_[id] == code) return;
  codes_[id] = std::move(code);
  // Rare: the ID referred to another function before.
  const auto is_of_code = [&](const auto& frame) { return frame.first >> 32 == id; };
  std::erase_if(frames_, is_of_code);
  std::erase_if(kept_frames_, is_of_code);
}

FrameId WorkerRing::FrameOf(const RingFrame& frame, const Target& target) {
  const auto [place, is_new] = target.frames->try_emplace(uint64_t{frame.code} << 32 | frame.line, 0);
  if (is_new) {
    StackTables& tables = *target.tables;
    const bool known = frame.code < codes_.size() && !codes_[frame.code].function.empty();
    place->second = tables.frames.Intern({tables.strings.Intern(known ? codes_[frame.code].function : "[unknown]"),
                                          tables.strings.Intern(known ? codes_[frame.code].file : ""), frame.line,
                                          known ? codes_[frame.code].kind : FrameKind::kPython});
  }
  return place->second;
}

StackId WorkerRing::StackOf(bool truncated, const RingFrame* frames, size_t count, const Target& target) {
  StackTables& tables = *target.tables;
  StackId stack = 0;
  if (truncated) {
    const Frame missing{tables.strings.Intern("[deeper frames]"), 0, 0, FrameKind::kSynthetic};
    stack = tables.stacks.Push(stack, tables.frames.Intern(missing));
  }
  for (size_t i = count; i-- > 0;) stack = tables.stacks.Push(stack, FrameOf(frames[i], target));
  return stack;
}

uint32_t WorkerRing::ThreadRow(int64_t tid) {
  std::vector<Thread>& threads = batch_->samples.threads;
  const auto [row, is_new] = thread_rows_.try_emplace(tid, static_cast<uint32_t>(threads.size()));
  if (is_new) {
    threads.push_back({tid, batch_->samples.strings.Intern(PythonThreadName(reader_.Pid(), tid)), reader_.Pid()});
  }
  return row->second;
}

ThreadState WorkerRing::StateOf(const RingSample& sample, int64_t cpu_ns, int64_t wall_ns, PythonPhase phase) {
  if ((sample.flags & kRingRunnable) != 0) return ThreadState::kRunning;
  if ((sample.flags & kRingAsleep) != 0) return ThreadState::kSleeping;
  return StateOfPython(cpu_ns, wall_ns, (sample.flags & kRingHoldsGil) != 0, phase);
}

void WorkerRing::OnSample(const RingSample& sample, const RingFrame* frames) {
  const int64_t cpu_ns = std::clamp<int64_t>(sample.cpu_ns, 0, kMaxGapNs);
  const int64_t wall_ns = std::clamp<int64_t>(sample.wall_ns, 0, kMaxGapNs);
  Undecided undecided;
  undecided.monotonic_ns = sample.monotonic_ns;
  undecided.cpu_ns = cpu_ns;
  undecided.wall_ns = wall_ns;
  SegmentSample& row = undecided.sample;
  row.stack = StackOf((sample.flags & kRingTruncated) != 0, frames, sample.frames,
                      {.tables = &batch_->samples, .frames = &frames_});
  row.thread = ThreadRow(sample.tid);
  row.bucket = BucketAt(sample.monotonic_ns + epoch_offset_ns_, bucket_ns_);
  undecided.phase = batch_->phases.Of(row.stack);
  row.state = StateOf(sample, cpu_ns, wall_ns, undecided.phase);
  if (batch_->oldest_ns == 0) batch_->oldest_ns = sample.monotonic_ns;
  if (sample.task >= 0) {
    row.task = sample.task;
    row.category = Category::kTask;
    AddActivity(row.task, sample, wall_ns, row.state);
    AddPythonRows(row, cpu_ns, wall_ns, &batch_->samples.samples);
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

void WorkerRing::Complete() {
  for (Undecided& undecided : undecided_) {
    SegmentSample& row = undecided.sample;
    // A worker between two tasks, or a thread of the driver's program that waits for work: the first one is the user's.
    const bool is_first = batch_->samples.threads[row.thread].tid == reader_.Pid();
    const bool waits = !is_first && row.state != ThreadState::kRunning;
    if (undecided.phase != PythonPhase::kUser || waits) row.category = Category::kIdlePool;
    for (const int64_t task : {undecided.task_after, undecided.task_before}) {
      const std::optional<int64_t> age_ns = times_->Age(task, undecided.monotonic_ns);
      if (!age_ns) continue;
      // The sample may extend to long before the task.
      const int64_t own_ns = std::min(*age_ns, undecided.wall_ns);
      AddPythonRows(row, 0, undecided.wall_ns - own_ns, &batch_->samples.samples);
      undecided.wall_ns = own_ns;
      row.task = task;
      row.category = Category::kTask;
      break;
    }
    AddPythonRows(row, undecided.cpu_ns, undecided.wall_ns, &batch_->samples.samples);
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

void WorkerRing::OnAllocation(const RingAllocation& allocation, const RingFrame* frames) {
  const Target target{.tables = allocations_->Tables(), .frames = &kept_frames_};
  SegmentSample row;
  row.stack = StackOf((allocation.flags & kRingTruncated) != 0, frames, allocation.frames, target);
  row.task = std::max(allocation.task, kNoTask);
  row.category = allocation.task >= 0 ? Category::kTask : Category::kNone;
  row.weight = std::max<int64_t>(allocation.weight, 0);
  const int64_t time_ns = allocation.monotonic_ns + epoch_offset_ns_;
  const uint64_t block = allocations_->Allocated(time_ns, reader_.Pid(), allocation.tid, row);
  // Without a number, its release is unknown.
  if (allocation.number == 0) return allocations_->Released(time_ns, block);
  const auto [known, is_new] = blocks_.try_emplace(allocation.number, block);
  if (!is_new) allocations_->Released(time_ns, std::exchange(known->second, block));
}

void WorkerRing::OnRelease(const RingRelease& release) {
  const auto block = blocks_.find(release.number);
  if (block == blocks_.end()) return;
  allocations_->Released(release.monotonic_ns + epoch_offset_ns_, block->second);
  blocks_.erase(block);
}

void WorkerRing::OnArrow(const RingArrow& arrow) {
  writer_->AddPoint("process.arrow_bytes", SeriesKind::kGauge, reader_.Pid(), reader_.StartTicks(),
                    {arrow.monotonic_ns + epoch_offset_ns_, static_cast<double>(std::max<int64_t>(arrow.bytes, 0))});
}

void WorkerRing::ReleaseAll(int64_t time_ns) {
  for (const auto& [number, block] : blocks_) allocations_->Released(time_ns, block);
  blocks_.clear();
}

void WorkerRing::OnUdf(const RingUdf& udf, std::string_view function, std::string_view file) {
  writer_->AddUdf({udf.task, udf.eval_type, ToUtf8(function), ToUtf8(file), udf.first_line});
}

void WorkerRing::OnNotice(uint16_t level, std::string_view text) {
  if (++notices_ > kMaxNotices) {
    ++dropped_notices_;
    return;
  }
  writer_->AddNotice(static_cast<NoticeLevel>(std::min<uint16_t>(level, 2)),
                     "Python process " + std::to_string(reader_.Pid()) + ": " + ToUtf8(text));
}

}  // namespace sparkprof

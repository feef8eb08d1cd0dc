// SPDX-License-Identifier: Apache-2.0
#include "sample_collector.h"

#include <algorithm>
#include <cmath>

#include "base/text/text.h"
#include "base/time.h"
#include "intervals.h"
#include "model/samples/sample.h"

namespace sparkprof {
namespace {

// async-profiler ends a batch after 1,000 samples.
constexpr int64_t kMaxBatch = 10'000;

constexpr std::string_view kTaskMark = " (TID ";

// A wait counts at its end: for the task that got the lock or gave up.
bool IsWait(Event event) { return event == Event::kLock || event == Event::kNativeLock; }

// Limits memory for jobs that keep starting threads; a dropped draw counts as a new one.
constexpr size_t kMaxThreads = 10'000;

}  // namespace

SampleCollector::SampleCollector(const JfrChunkHeader& header, const ClockAnchor& anchor, int64_t bucket_ns,
                                 const SampleWeights& weights, const TaskJoin& join, const PythonActivity& python,
                                 SampleBatch* batch)
    : header_(header),
      epoch_offset_ns_(anchor.epoch_ns - anchor.monotonic_ns),
      bucket_ns_(bucket_ns),
      weights_(weights),
      join_(join),
      python_(python),
      batch_(batch),
      task_runner_(&batch->strings, &batch->frames, &batch->stacks) {}

int64_t SampleCollector::MonotonicStart(const JfrSample& sample) const {
  // With clock=monotonic, ticks are CLOCK_MONOTONIC; other clocks are converted through the epoch, less exactly.
  return header_.ticks_per_second == kNanosPerSecond ? sample.ticks : sample.epoch_ns - epoch_offset_ns_;
}

void SampleCollector::OnSample(const JfrSample& sample) {
  if (sample.event == Event::kFree) {
    const int64_t bucket = BucketAt(MonotonicStart(sample) + epoch_offset_ns_, bucket_ns_);
    if (weights_.native_memory != nullptr) weights_.native_memory->Freed(sample.ticks, sample.address, bucket);
    return;
  }
  AddCost(sample);
  const bool in_task_runner = task_runner_.Contains(sample.stack);
  const StackId stack = WithType(sample);
  const int64_t start_ns = MonotonicStart(sample);
  const int64_t deciding_ns = IsWait(sample.event) ? start_ns + sample.duration_ns : start_ns;
  TaskJoin::Match match = join_.Find(sample.tid, deciding_ns, in_task_runner);
  const bool on_task_thread = match.category != Category::kNone;
  const bool is_batch = sample.count > 1 && sample.count <= kMaxBatch && sample.duration_ns > 0;
  if (sample.event == Event::kWall && is_batch && on_task_thread) {
    return AddSpread(sample, start_ns, in_task_runner, stack);
  }
  if (!on_task_thread && sample.event != Event::kWall) {
    if (const std::optional<int64_t> task = TaskOfHelper(sample)) match = {*task, Category::kTask};
  }
  AddRow(sample, start_ns, match, stack, Weight(sample), sample.count);
}

std::optional<int64_t> SampleCollector::TaskOfHelper(const JfrSample& sample) {
  const auto [place, is_new] = helpers_.try_emplace(sample.thread_name);
  if (!is_new) return place->second;
  const std::string_view name = batch_->strings.Get(sample.thread_name);
  const size_t mark = name.rfind(kTaskMark);
  const bool is_helper = name.starts_with("stdout writer for ") || name.starts_with("stdin writer for ");
  if (is_helper && mark != std::string_view::npos && name.ends_with(')')) {
    const size_t begin = mark + kTaskMark.size();
    place->second = ParseInteger(name.substr(begin, name.size() - 1 - begin));
  }
  return place->second;
}

void SampleCollector::AddCost(const JfrSample& sample) {
  const auto position = BudgetPosition(sample.event);
  if (position) cost_ns_[*position] += sample.count * SamplingCostNs(sample.event, sample.state, Depth(sample.stack));
}

// Parents have smaller IDs, so each node is visited once per chunk.
int64_t SampleCollector::Depth(StackId stack) {
  for (auto next = static_cast<StackId>(depths_.size()); next <= stack; ++next) {
    const StackId parent = batch_->stacks.Get(next).parent;
    depths_.push_back(next == 0 ? 0 : static_cast<uint16_t>(depths_[parent] + 1));
  }
  return depths_[stack];
}

int64_t SampleCollector::Weight(const JfrSample& sample) const {
  if (sample.event == Event::kLock) return std::max(sample.weight, weights_.lock_interval_ns);
  if (sample.event == Event::kNativeLock) return std::max(sample.weight, weights_.native_lock_interval_ns);
  if (sample.event == Event::kMalloc) return std::max(sample.weight, weights_.native_memory_interval_bytes);
  if (sample.event == Event::kAlloc && weights_.allocations != nullptr && sample.size > 0) {
    return weights_.allocations->Weight(sample.tid, sample.size);
  }
  if (sample.weight != 0) return sample.weight;
  if (sample.event == Event::kCpu) return sample.count * weights_.cpu_interval_ns;
  if (sample.event == Event::kWall) return sample.count * weights_.wall_interval_ns;
  return 0;
}

void SampleCollector::AddSpread(const JfrSample& sample, int64_t monotonic_ns, bool in_task_runner, StackId stack) {
  // The samples of a batch are equidistant; the table merges equal rows.
  for (int64_t i = 0; i < sample.count; ++i) {
    const auto share = static_cast<double>(i) / static_cast<double>(sample.count);
    const int64_t time_ns = monotonic_ns + static_cast<int64_t>(share * static_cast<double>(sample.duration_ns));
    AddRow(sample, time_ns, join_.Find(sample.tid, time_ns, in_task_runner), stack, Weight(sample) / sample.count, 1);
  }
}

void SampleCollector::AddRow(const JfrSample& sample, int64_t monotonic_ns, TaskJoin::Match match, StackId stack,
                             int64_t weight, int64_t count) {
  SegmentSample row;
  row.bucket = BucketAt(monotonic_ns + epoch_offset_ns_, bucket_ns_);
  row.event = sample.event;
  row.category = match.category;
  row.state = sample.state;
  if (sample.event == Event::kWall && match.task != kNoTask) row.python = python_.At(match.task, monotonic_ns);
  row.thread = ThreadPosition(sample);
  row.task = match.task;
  row.stack = stack;
  row.weight = weight;
  row.count = count;
  batch_->samples.Add(row);
  if (row.event == Event::kMalloc && weights_.native_memory != nullptr) {
    weights_.native_memory->Allocated(sample.ticks, sample.address, row);
  }
}

StackId SampleCollector::WithType(const JfrSample& sample) {
  const bool has_type = sample.event == Event::kAlloc || sample.event == Event::kLive || IsWait(sample.event);
  if (!has_type || sample.type == 0) return sample.stack;
  return batch_->stacks.Push(sample.stack, batch_->frames.Intern({sample.type, 0, 0, FrameKind::kSynthetic}));
}

uint32_t SampleCollector::ThreadPosition(const JfrSample& sample) {
  const auto [row, is_new] = thread_rows_.try_emplace(sample.tid, static_cast<uint32_t>(batch_->threads.size()));
  if (is_new) batch_->threads.push_back({sample.tid, sample.thread_name});
  return row->second;
}

int64_t AllocationWeights::Weight(int64_t tid, int64_t size) {
  if (drawn_.size() > kMaxThreads) drawn_.clear();
  int64_t& drawn = drawn_.try_emplace(tid, interval_).first->second;
  const auto interval = static_cast<double>(drawn);
  drawn = interval_;
  if (size <= 0 || interval <= 0) return size;
  const auto bytes = static_cast<double>(size);
  return std::llround(bytes / -std::expm1(-bytes / interval));
}

}  // namespace sparkprof

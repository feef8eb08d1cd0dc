// SPDX-License-Identifier: Apache-2.0
#include "outside_sampler.h"

#include <algorithm>
#include <utility>

#include "intervals.h"

namespace sparkprof {
namespace {

// One sample costs about 50 µs, so the interval grows with the number of workers.
constexpr int64_t kIntervalForEachWorkerNs = 10'000'000;
// While no process is running, the interval grows with each scan up to this factor, because waking up is the main cost.
// A driver's program waits most of the time.
constexpr int64_t kLongestCalm = 10;

}  // namespace

void OutsideSampler::SetInterval(int64_t interval_ns) {
  interval_ns_ = interval_ns;
  while (interval_ns <= 0 && !samplers_.empty()) Stop(samplers_.begin()->first);
}

void OutsideSampler::Follow(const std::map<int64_t, int64_t>& workers, int64_t slowness,
                            const std::map<int64_t, int64_t>& programs) {
  slowness_ = std::max<int64_t>(1, slowness);
  std::map<int64_t, int64_t> all = workers;
  all.insert(programs.begin(), programs.end());
  for (auto known = named_.begin(); known != named_.end();) {
    const auto still = all.find(known->first);
    if (still != all.end() && still->second == known->second) {
      ++known;
      continue;
    }
    Stop(known->first);
    refused_.erase(known->first);
    known = named_.erase(known);
  }
  for (const auto& [pid, start_ticks] : all) {
    const bool is_new = named_.try_emplace(pid, start_ticks).second;
    const bool is_driver = programs.contains(pid);
    if ((is_new && !is_driver) || interval_ns_ <= 0 || samplers_.contains(pid) || refused_.contains(pid)) continue;
    Find(pid, is_driver);
  }
}

void OutsideSampler::Find(int64_t pid, bool is_driver) {
  auto python = FindPython(pid);
  if (!python) {
    if (refused_.empty()) {
      const char* what = is_driver ? "The driver's Python program cannot be sampled from outside: "
                                   : "Python workers without a sampler cannot be sampled from outside: ";
      writer_->AddNotice(NoticeLevel::kWarning, what + python.error().message);
    }
    refused_.insert(pid);
    return;
  }
  SampleBatch& batch = batch_->samples;
  Worker& worker = samplers_[pid];
  worker.sampler = std::make_unique<ProcessSampler>(std::move(*python), &batch.strings, &batch.frames, &batch.stacks);
  worker.is_driver = is_driver;
}

void OutsideSampler::Stop(int64_t pid) {
  const auto found = samplers_.find(pid);
  if (found == samplers_.end()) return;
  torn_ += found->second.sampler->Torn();
  unreadable_ += found->second.sampler->Unreadable();
  samplers_.erase(found);
}

void OutsideSampler::Sample(int64_t now_ns) {
  const auto workers = static_cast<int64_t>(samplers_.size());
  if (epoch_offset_ns_ == 0 || batch_->oldest_ns == 0) {
    const ClockAnchor clocks = ReadClocks();
    epoch_offset_ns_ = clocks.epoch_ns - clocks.monotonic_ns;
  }
  std::vector<int64_t> gone;
  bool is_calm = true;
  for (auto& [pid, worker] : samplers_) {
    if (!worker.sampler->Sample(&stacks_)) gone.push_back(pid);
    is_calm = is_calm && worker.sampler->StoodStill();
    for (const PythonStack& thread : stacks_) AddThread(pid, thread, now_ns, &worker);
  }
  for (const int64_t pid : gone) Stop(pid);
  calm_ = is_calm ? std::min(calm_ + 1, kLongestCalm) : 1;
  next_ns_ = now_ns + std::max(interval_ns_, workers * kIntervalForEachWorkerNs) * slowness_ * calm_;
}

void OutsideSampler::AddThread(int64_t pid, const PythonStack& thread, int64_t now_ns, Worker* worker) {
  const auto [last, is_first] = worker->last_ns.try_emplace(thread.tid, now_ns);
  const int64_t wall_ns = now_ns - std::exchange(last->second, now_ns);
  if (is_first) return;
  SampleBatch& batch = batch_->samples;
  if (batch_->oldest_ns == 0) batch_->oldest_ns = now_ns;
  const auto [place, is_new] = thread_rows_.try_emplace({pid, thread.tid}, static_cast<uint32_t>(batch.threads.size()));
  if (is_new) {
    batch.threads.push_back({thread.tid, batch.strings.Intern(PythonThreadName(pid, thread.tid)), pid});
  }
  const PythonPhase phase = batch_->phases.Of(thread.stack);
  sparkprof::SegmentSample row;
  row.stack = thread.stack;
  row.thread = place->second;
  row.bucket = BucketAt(now_ns + epoch_offset_ns_, writer_->source().bucket_ns);
  row.state = StateOfPython(thread.cpu_ns, wall_ns, thread.holds_gil, phase);
  row.task = worker->is_driver ? kNoTask : times_->Only(now_ns).value_or(kNoTask);
  // The program's first thread is the user's and always counts; other threads wait for work.
  const bool is_at_work =
      worker->is_driver ? thread.tid == pid || row.state == ThreadState::kRunning : phase == PythonPhase::kUser;
  row.category = row.task != kNoTask ? Category::kTask : is_at_work ? Category::kNone : Category::kIdlePool;
  if (!worker->is_driver) {
    activity_->Add(row.task, pid, now_ns - wall_ns, now_ns,
                   row.state == ThreadState::kRunning ? PythonState::kRunning : PythonState::kWaiting);
  }
  AddPythonRows(row, thread.cpu_ns, wall_ns, &batch.samples);
}

void OutsideSampler::HandOver() {
  if (batch_->oldest_ns == 0) return;
  writer_->AddSamples(std::move(batch_->samples));
  batch_ = std::make_unique<PythonBatch>();
  thread_rows_.clear();
  SampleBatch& batch = batch_->samples;
  for (auto& [pid, worker] : samplers_) worker.sampler->UseTables(&batch.strings, &batch.frames, &batch.stacks);
}

void OutsideSampler::NoteLosses() {
  int64_t torn = torn_, unreadable = unreadable_;
  for (const auto& [pid, worker] : samplers_) {
    torn += worker.sampler->Torn();
    unreadable += worker.sampler->Unreadable();
  }
  writer_->SetLoss("python_samples", "stack changed while it was read from outside", torn);
  writer_->SetLoss("python_samples", "stack unreadable from outside", unreadable);
}

}  // namespace sparkprof

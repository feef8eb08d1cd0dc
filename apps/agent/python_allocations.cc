// SPDX-License-Identifier: Apache-2.0
#include "python_allocations.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "base/saturate.h"
#include "intervals.h"
#include "python_rows.h"

namespace sparkprof {

// The rows of a batch.
class PythonAllocations::Output {
 public:
  Output(const StackTables& tables, SampleBatch* batch)
      : batch_(batch), stacks_(tables, static_cast<StackTables*>(batch)) {
    for (size_t row = 0; row < batch->threads.size(); ++row) {
      const Thread& thread = batch->threads[row];
      threads_.emplace(std::pair(thread.pid, thread.tid), static_cast<uint32_t>(row));
    }
  }

  void Add(const Block& block, Event event, int64_t bucket) {
    SegmentSample row = block.row;
    row.event = event;
    row.bucket = bucket;
    row.count = 1;
    row.stack = stacks_.Copy(row.stack);
    const auto [thread, is_new] =
        threads_.try_emplace({block.pid, block.tid}, static_cast<uint32_t>(batch_->threads.size()));
    if (is_new) {
      const StringId name = batch_->strings.Intern(PythonThreadName(block.pid, block.tid));
      batch_->threads.push_back({block.tid, name, block.pid});
    }
    row.thread = thread->second;
    batch_->samples.Add(row);
  }

 private:
  SampleBatch* batch_;
  StackCopier stacks_;
  std::map<std::pair<int64_t, int64_t>, uint32_t> threads_;
};

uint64_t PythonAllocations::Allocated(int64_t time_ns, int64_t pid, int64_t tid, const SegmentSample& row) {
  blocks_.emplace(++last_block_, Block{time_ns, pid, tid, row});
  calls_.push_back({time_ns, last_block_, false});
  return last_block_;
}

void PythonAllocations::Released(int64_t time_ns, uint64_t block) {
  calls_.push_back({std::max(time_ns, blocks_.at(block).time_ns), block, true});
}

void PythonAllocations::AddRows(int64_t until_ns, SampleBatch* batch) {
  if (calls_.empty()) return;
  // Calls are in order per process only.
  std::stable_sort(calls_.begin(), calls_.end(), [](const Call& a, const Call& b) { return a.time_ns < b.time_ns; });
  const int64_t until = BucketAt(until_ns, bucket_ns_);
  Output output(tables_, batch);
  const Call* const end = calls_.data() + calls_.size();
  const Call* begin = calls_.data();
  while (begin != end) {
    const int64_t bucket = BucketAt(begin->time_ns, bucket_ns_);
    if (bucket >= until) break;
    const Call* const next =
        std::find_if(begin, end, [&](const Call& call) { return BucketAt(call.time_ns, bucket_ns_) != bucket; });
    AddBucket(bucket, begin, next, &output);
    begin = next;
  }
  calls_.erase(calls_.begin(), calls_.begin() + (begin - calls_.data()));
}

// The first call after the moment when most was held.
const PythonAllocations::Call* PythonAllocations::FindPeak(const Call* begin, const Call* end) {
  int64_t most = held_bytes_;
  const Call* peak = begin;
  for (const Call* call = begin; call != end; ++call) {
    const int64_t weight = blocks_.at(call->block).row.weight;
    AddSaturated(call->frees ? -weight : weight, &held_bytes_);
    if (held_bytes_ <= most) continue;
    most = held_bytes_;
    peak = call + 1;
  }
  return peak;
}

void PythonAllocations::AddBucket(int64_t bucket, const Call* begin, const Call* end, Output* output) {
  const Call* const peak = FindPeak(begin, end);
  std::unordered_set<uint64_t> allocated, passing;  // after the peak; of these, freed
  for (const Call* call = peak; call != end; ++call) {
    if (!call->frees) {
      allocated.insert(call->block);
    } else if (allocated.contains(call->block)) {
      passing.insert(call->block);
    }
  }
  for (const Call* call = begin; call != end; ++call) {
    const bool is_now = call < peak || passing.contains(call->block);
    const auto block = blocks_.find(call->block);
    output->Add(block->second, call->frees ? Event::kPythonFree : Event::kPythonAlloc, is_now ? bucket : bucket + 1);
    if (call->frees) blocks_.erase(block);
  }
}

}  // namespace sparkprof

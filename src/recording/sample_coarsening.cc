// SPDX-License-Identifier: Apache-2.0
#include "recording/sample_coarsening.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "base/time.h"
#include "model/samples/stack_tables.h"
#include "recording/source_grouping.h"

namespace sparkprof {
namespace {

int64_t SourceBucketNanos(const Source& source) { return source.bucket_ns > 0 ? source.bucket_ns : kNanosPerSecond; }

// Index of the bucket that contains `bucket`, if buckets are `factor` times as wide; rounds down, also before the
// epoch.
int64_t WiderBucket(int64_t bucket, int64_t factor) { return bucket / factor - (bucket % factor < 0 ? 1 : 0); }

// Merges the threads of many segments, and keeps their last names.
class ThreadMerger {
 public:
  explicit ThreadMerger(StringTable* strings) : strings_(strings) {}

  uint32_t Add(const Thread& thread, const StringTable& strings) {
    const auto [place, is_new] =
        positions_.try_emplace({thread.tid, thread.pid, std::string(thread.tid == 0 ? strings.Get(thread.name) : "")},
                               static_cast<uint32_t>(threads_.size()));
    if (is_new) threads_.push_back({thread.tid, 0, thread.pid});
    if (thread.name != 0) threads_[place->second].name = strings_->Intern(strings.Get(thread.name));
    return place->second;
  }
  std::vector<Thread> Take() { return std::move(threads_); }

 private:
  StringTable* strings_;
  std::vector<Thread> threads_;
  // Key: TID and process; for threads without a TID, the name.
  std::map<std::tuple<int64_t, int64_t, std::string>, uint32_t> positions_;
};

bool UsesStringsBesideSamples(const Segment& segment) {
  return segment.logs.Size() > 0 || !segment.task_columns.empty() || !segment.heap_summaries.empty();
}

}  // namespace

std::string SamplesOwner(const Source& source) {
  return fmt::format("{}/{}/{}/{}/{}/{}", ProcessOf(source), source.application_id, source.application_attempt,
                     source.executor_id, source.role, SourceBucketNanos(source));
}

void CoarsenSamples(int64_t bucket_ns, std::vector<Segment>* segments) {
  const int64_t from_ns = SourceBucketNanos(segments->front().source);
  if (from_ns >= bucket_ns || bucket_ns % from_ns != 0) return;
  StackTables tables;
  tables.strings = segments->front().strings;  // keep their IDs: the segment's other tables use them
  ThreadMerger threads(&tables.strings);
  SampleTable<SegmentSample> samples;
  for (const Segment& segment : *segments) {
    std::vector<uint32_t> positions;
    for (const Thread& thread : segment.threads) positions.push_back(threads.Add(thread, segment.strings));
    StackCopier stacks(segment, &tables);
    for (SegmentSample sample : segment.samples) {
      sample.bucket = WiderBucket(sample.bucket, bucket_ns / from_ns);
      sample.thread = positions[sample.thread];
      sample.stack = stacks.Copy(sample.stack);
      samples.Add(sample);
    }
  }
  for (Segment& segment : *segments) {
    segment.source.bucket_ns = bucket_ns;
    segment.samples.clear();
    segment.threads.clear();
    segment.frames = {};
    segment.stacks = {};
    if (!UsesStringsBesideSamples(segment)) segment.strings = {};
  }
  Segment& first = segments->front();
  first.threads = threads.Take();
  first.samples = samples.Take();
  first.strings = std::move(tables.strings);
  first.frames = std::move(tables.frames);
  first.stacks = std::move(tables.stacks);
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "spark/sample_merger.h"

#include "spark/stable_name.h"

namespace sparkprof {
namespace {

int64_t Rebucket(int64_t bucket, int64_t from_ns, int64_t to_ns) {
  if (from_ns == to_ns) return bucket;
  __extension__ using Wide = __int128;
  const Wide start_ns = static_cast<Wide>(bucket) * from_ns;
  const Wide floor = start_ns / to_ns - (start_ns % to_ns < 0 ? 1 : 0);
  return static_cast<int64_t>(floor);
}

}  // namespace

void SampleMerger::MapTables(const Segment& segment) {
  strings_.resize(segment.strings.Size());
  for (StringId id = 0; id < strings_.size(); ++id) {
    strings_[id] = application_->strings.Intern(segment.strings.Get(id));
  }
  frames_.assign(segment.frames.Size(), 0);
  for (FrameId id = 1; id < frames_.size(); ++id) {
    Frame frame = segment.frames.Get(id);
    frame.name = frame.kind == FrameKind::kPython
                     ? strings_[frame.name]
                     : application_->strings.Intern(StableName(segment.strings.Get(frame.name)));
    frame.file = strings_[frame.file];
    frames_[id] = application_->frames.Intern(frame);
  }
  stacks_.assign(segment.stacks.Size(), 0);
  for (StackId id = 1; id < stacks_.size(); ++id) {
    const StackTable::Node& node = segment.stacks.Get(id);
    stacks_[id] = application_->stacks.Push(stacks_[node.parent], frames_[node.frame]);
  }
}

uint32_t SampleMerger::Thread(int64_t tid, int64_t pid, int32_t executor) {
  std::vector<uint32_t>& rows = threads_[static_cast<uint64_t>(tid)];
  for (const uint32_t row : rows) {
    const ApplicationThread& thread = application_->threads[row];
    if (thread.executor == executor && thread.pid == pid) return row;
  }
  const uint32_t row = static_cast<uint32_t>(application_->threads.size());
  application_->threads.push_back({tid, {}, executor, pid});
  rows.push_back(row);
  return row;
}

void SampleMerger::MapThreads(const Segment& segment, int32_t executor) {
  thread_rows_.resize(segment.threads.size());
  for (size_t position = 0; position < thread_rows_.size(); ++position) {
    const sparkprof::Thread& thread = segment.threads[position];
    const uint32_t row = Thread(thread.tid, thread.pid, executor);
    thread_rows_[position] = row;
    if (thread.name != 0) application_->threads[row].name = segment.strings.Get(thread.name);
  }
}

void SampleMerger::Add(const Segment& segment, int32_t executor, int64_t segment_bucket_ns) {
  MapTables(segment);
  MapThreads(segment, executor);
  for (Sample sample : segment.samples) {
    sample.bucket = Rebucket(sample.bucket, segment_bucket_ns, bucket_ns_);
    const bool is_python = segment.threads[sample.thread].pid != 0;
    sample.thread = thread_rows_[sample.thread];
    sample.stack = stacks_[sample.stack];
    (is_python ? python_samples_ : samples_).Add(sample);
  }
}

void SampleMerger::Finish() {
  application_->samples = samples_.Rows();
  samples_.Clear();
  application_->python_samples = python_samples_.Rows();
  python_samples_.Clear();
  application_->sample_executor.reserve(application_->samples.size());
  for (const Sample& sample : application_->samples) {
    application_->sample_executor.push_back(application_->threads[sample.thread].executor);
  }
}

}  // namespace sparkprof

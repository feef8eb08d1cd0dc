// SPDX-License-Identifier: Apache-2.0
#include "recording/sample_merger.h"

#include <array>
#include <functional>

#include "model/samples/profile.h"
#include "model/stable_name.h"
#include "recording/profile_recording.h"

namespace sparkprof {
namespace {

constexpr StringId kUnknownName = UINT32_MAX;

// Start of the bucket of width `to_ns` that contains the start of a bucket of width `from_ns`; kNoTime if undefined.
int64_t BucketStart(int64_t bucket, int64_t from_ns, int64_t to_ns) {
  int64_t start_ns = 0;
  if (__builtin_mul_overflow(bucket, from_ns, &start_ns)) return kNoTime;
  const int64_t excess = start_ns % to_ns;
  if (__builtin_sub_overflow(start_ns, excess < 0 ? excess + to_ns : excess, &start_ns)) return kNoTime;
  return start_ns;
}

}  // namespace

void SampleMerger::MapTables(const Segment& segment) {
  strings_.resize(segment.strings.Size());
  for (StringId id = 0; id < strings_.size(); ++id) {
    strings_[id] = application_->profile.strings.Intern(segment.strings.Get(id));
  }
  frames_.assign(segment.frames.Size(), 0);
  for (FrameId id = 1; id < frames_.size(); ++id) {
    Frame frame = segment.frames.Get(id);
    frame.name = frame.kind == FrameKind::kPython ? strings_[frame.name] : Stable(strings_[frame.name]);
    frame.file = strings_[frame.file];
    frames_[id] = application_->profile.frames.Intern(frame);
  }
  stacks_.assign(segment.stacks.Size(), 0);
  for (StackId id = 1; id < stacks_.size(); ++id) {
    const StackTable::Node& node = segment.stacks.Get(id);
    stacks_[id] = application_->profile.stacks.Push(stacks_[node.parent], frames_[node.frame]);
  }
}

StringId SampleMerger::Stable(StringId name) {
  StringTable& strings = application_->profile.strings;
  if (stable_names_.size() <= name) stable_names_.resize(strings.Size(), kUnknownName);
  if (stable_names_[name] == kUnknownName) stable_names_[name] = strings.Intern(StableName(strings.Get(name)));
  return stable_names_[name];
}

uint32_t SampleMerger::Thread(int64_t tid, int64_t pid, int32_t executor, std::string_view name) {
  // Some profiles of other tools have only thread names.
  const bool by_name = tid == 0 && !name.empty();
  std::vector<uint32_t>& rows = threads_[by_name ? std::hash<std::string_view>()(name) : static_cast<uint64_t>(tid)];
  std::vector<ProfileThread>& threads = application_->profile.threads;
  for (const uint32_t row : rows) {
    if (threads[row].tid != tid || (by_name && threads[row].name != name)) continue;
    if (threads[row].executor == executor && threads[row].process == pid) return row;
  }
  const auto row = static_cast<uint32_t>(threads.size());
  threads.push_back({.process = pid, .tid = tid, .name = std::string(name), .executor = executor});
  rows.push_back(row);
  return row;
}

uint32_t SampleMerger::Task(int64_t task) {
  if (task == kNoTask) return 0;
  std::vector<ProfileTask>& tasks = application_->profile.tasks;
  const auto [place, is_new] = tasks_.try_emplace(task, static_cast<uint32_t>(tasks.size()));
  if (is_new) tasks.push_back({.task = task});
  return place->second;
}

void SampleMerger::MapThreads(const Segment& segment, int32_t executor) {
  thread_rows_.resize(segment.threads.size());
  for (size_t position = 0; position < thread_rows_.size(); ++position) {
    const sparkprof::Thread& thread = segment.threads[position];
    const uint32_t row = Thread(thread.tid, thread.pid, executor, segment.strings.Get(thread.name));
    thread_rows_[position] = row;
    if (thread.name != 0) application_->profile.threads[row].name = segment.strings.Get(thread.name);
  }
}

void SampleMerger::Add(const Segment& segment, int32_t executor, int64_t segment_bucket_ns) {
  MapTables(segment);
  MapThreads(segment, executor);
  std::array<EventId, std::size(kAllEvents)> events;
  events.fill(kNoEvent);
  if (ProfileEvent named; HasNamedEvent(segment.source, &named)) {
    events.fill(application_->profile.AddEvent(named.name, named.unit));
  }
  const bool is_profile = IsProfileSource(segment.source) && !IsJoinedProfile(segment.source);
  for (const SegmentSample& sample : segment.samples) {
    EventId& event = events[static_cast<size_t>(sample.event) - 1];
    if (event == kNoEvent) event = application_->profile.AddEvent(sample.event);
    const bool is_python = segment.threads[sample.thread].pid != 0 && !is_profile;
    (is_python ? python_samples_ : samples_)
        .Add({.stack = stacks_[sample.stack],
              .thread = thread_rows_[sample.thread],
              .task = Task(sample.task),
              .event = event,
              .category = sample.category,
              .state = sample.state,
              .python = sample.python,
              .time_ns = BucketStart(sample.bucket, segment_bucket_ns, application_->profile.bucket_ns),
              .weight = sample.weight,
              .count = sample.count},
             executor);
  }
}

void SampleMerger::Finish() {
  application_->profile.samples = samples_.Take();
  application_->python_samples = python_samples_.Take();
  application_->profile.default_event = DefaultEventOf(application_->profile);
}

}  // namespace sparkprof

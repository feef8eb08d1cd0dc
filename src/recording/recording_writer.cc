// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "event_log/event_writer.h"
#include "model/redaction/redaction.h"
#include "model/segment/block.h"
#include "recording/node_join.h"
#include "recording/recordings.h"
#include "recording/task_columns.h"

namespace sparkprof {
namespace {

using Sink = std::function<void(std::string_view)>;

constexpr size_t kEventBytes = size_t{4} << 20;  // maximum per segment
constexpr size_t kTasksOfSegment = 100'000;
constexpr size_t kSamplesOfSegment = 100'000;
constexpr size_t kPointsOfSegment = 500'000;

class SourceWriter {
 public:
  SourceWriter(Source source, const Sink& sink) : source_(std::move(source)), sink_(sink) { Begin(); }

  Segment& segment() { return segment_; }

  // Starts a new segment if the current one is full.
  void Next() {
    Write();
    Begin();
  }

  void Finish(bool complete) {
    segment_.final = complete;
    Write();
  }

 private:
  void Write() {
    RedactSegment(&segment_);
    sink_(EncodeBlock(segment_));
  }

  void Begin() {
    segment_ = Segment();
    segment_.source = source_;
    ++source_.sequence;
  }

  Source source_;
  const Sink& sink_;
  Segment segment_;
};

// Writes the rows that one executor recorded itself.
class ExecutorWriter {
 public:
  ExecutorWriter(const Application& application, int32_t executor, SourceWriter* writer)
      : application_(application), executor_(executor), writer_(writer) {}

  void Write() {
    WriteProcesses();
    WriteSeries();
    WriteHeapSummaries();
    WriteSamples(application_.profile.samples);
    WriteSamples(application_.python_samples);
    for (const ApplicationNotice& notice : application_.notices) {
      if (notice.executor == executor_) writer_->segment().notices.push_back(notice.notice);
    }
  }

 private:
  void WriteProcesses() {
    for (const ApplicationProcess& process : application_.processes) {
      if (process.executor == executor_) writer_->segment().processes.push_back(process.process);
    }
  }

  void WriteSeries() {
    size_t points = 0;
    for (const ApplicationSeries& series : application_.series) {
      if (series.executor != executor_) continue;
      for (size_t begin = 0; begin < series.points.size(); begin += kPointsOfSegment) {
        const size_t end = std::min(series.points.size(), begin + kPointsOfSegment);
        Series& part = writer_->segment().series.emplace_back();
        part.name = series.name;
        part.kind = series.kind;
        if (series.process >= 0) {
          const Process& process = application_.processes[static_cast<size_t>(series.process)].process;
          part.pid = process.pid;
          part.start_ticks = process.start_ticks;
        }
        part.points.assign(series.points.begin() + static_cast<std::ptrdiff_t>(begin),
                           series.points.begin() + static_cast<std::ptrdiff_t>(end));
        points += end - begin;
        if (points < kPointsOfSegment) continue;
        writer_->Next();
        points = 0;
      }
    }
  }

  void WriteHeapSummaries() {
    for (const ApplicationHeapSummary& row : application_.heap_summaries) {
      if (row.executor != executor_) continue;
      HeapSummary& written = writer_->segment().heap_summaries.emplace_back(row.summary);
      for (HeapClass& of_class : written.classes) {
        of_class.name = writer_->segment().strings.Intern(application_.profile.strings.Get(of_class.name));
      }
    }
  }

  void WriteSamples(const std::vector<Sample>& samples) {
    size_t count = 0;
    const Profile& profile = application_.profile;
    std::vector<std::optional<Event>> events;
    for (const ProfileEvent& event : profile.events) events.push_back(ParseEvent(event.name));
    for (const Sample& sample : samples) {
      if (application_.ExecutorOf(sample) != executor_ || !events[sample.event]) continue;
      SegmentSample row;
      row.bucket = Bucket(sample.time_ns);
      row.event = *events[sample.event];
      row.category = sample.category;
      row.state = sample.state;
      row.python = sample.python;
      row.thread = Thread(sample.thread);
      row.task = profile.tasks[sample.task].task;
      row.stack = Stack(sample.stack);
      row.weight = sample.weight;
      row.count = sample.count;
      writer_->segment().samples.push_back(row);
      if (++count % kSamplesOfSegment != 0) continue;
      writer_->Next();
      ForgetIds();
    }
  }

  // The bucket of a time; rounds down, also before the epoch.
  int64_t Bucket(int64_t time_ns) const {
    if (time_ns == kNoTime) return 0;
    const int64_t width_ns = application_.profile.bucket_ns;
    return time_ns / width_ns - (time_ns % width_ns < 0 ? 1 : 0);
  }

  void ForgetIds() {
    threads_.clear();
    stacks_.clear();
    frames_.clear();
  }

  uint32_t Thread(uint32_t row) {
    std::vector<sparkprof::Thread>& threads = writer_->segment().threads;
    const auto [place, is_new] = threads_.emplace(row, static_cast<uint32_t>(threads.size()));
    if (is_new) {
      const ProfileThread& thread = application_.profile.threads[row];
      threads.push_back({thread.tid, writer_->segment().strings.Intern(thread.name), thread.process});
    }
    return place->second;
  }

  // Not recursive: stacks may be deep.
  StackId Stack(StackId leaf) {
    std::vector<StackId> path;
    StackId stack = leaf;
    for (; stack != 0 && !stacks_.contains(stack); stack = application_.profile.stacks.Get(stack).parent)
      path.push_back(stack);
    StackId own = stack == 0 ? 0 : stacks_.at(stack);
    for (auto node = path.rbegin(); node != path.rend(); ++node) {
      own = writer_->segment().stacks.Push(own, Frame(application_.profile.stacks.Get(*node).frame));
      stacks_.emplace(*node, own);
    }
    return own;
  }

  FrameId Frame(FrameId id) {
    if (id == 0) return 0;
    const auto [place, is_new] = frames_.emplace(id, 0);
    if (is_new) {
      Segment& segment = writer_->segment();
      sparkprof::Frame frame = application_.profile.frames.Get(id);
      frame.name = segment.strings.Intern(application_.profile.strings.Get(frame.name));
      frame.file = segment.strings.Intern(application_.profile.strings.Get(frame.file));
      place->second = segment.frames.Intern(frame);
    }
    return place->second;
  }

  const Application& application_;
  const int32_t executor_;
  SourceWriter* writer_;
  // IDs in the current segment by the application's IDs.
  std::unordered_map<uint32_t, uint32_t> threads_;
  std::unordered_map<StackId, StackId> stacks_;
  std::unordered_map<FrameId, FrameId> frames_;
};

// The source of data without an executor: events, tasks, losses.
Source SourceOf(const Application& application) {
  Source source;
  source.application_id = application.id;
  source.application_attempt = application.attempt;
  source.application_name = application.name;
  source.spark_version = application.spark_version;
  source.java_version = application.java_version;
  source.bucket_ns = application.profile.bucket_ns;
  if (application.is_node) source.role = kNodeRole;
  return source;
}

void WriteCommon(const Application& application, SourceWriter* writer) {
  writer->segment().anchors = {{0, application.start_ns}, {1, application.end_ns}};
  writer->segment().losses = application.losses;
  writer->segment().settings = application.settings;
  writer->segment().udfs = application.udfs;
  writer->segment().python_tasks = application.python_tasks;
  writer->segment().neighbors = application.neighbors;
  size_t bytes = 0;
  WriteEvents(application, [&](std::string&& event) {
    bytes += event.size();
    writer->segment().spark_events.push_back(std::move(event));
    if (bytes < kEventBytes) return;
    writer->Next();
    bytes = 0;
  });
  for (size_t begin = 0; begin < application.tasks.Size(); begin += kTasksOfSegment) {
    if (begin > 0) writer->Next();
    PutTasks(application, begin, std::min(application.tasks.Size(), begin + kTasksOfSegment), &writer->segment());
  }
}

// Log records are limited, so one segment holds them all.
void WriteLogs(const Application& application, SourceWriter* writer) {
  if (application.logs.Size() == 0 && application.logs.dropped == 0) return;
  writer->Next();
  Segment& segment = writer->segment();
  segment.logs = application.logs;
  for (int32_t& executor : segment.logs.executor) {
    if (executor < 0) continue;
    executor = static_cast<int32_t>(segment.strings.Intern(application.executors[static_cast<size_t>(executor)].id));
  }
}

}  // namespace

void WriteRecording(const Application& application, const Sink& sink) {
  // Artificial start ticks distinguish the sources, because the processes behind a log are unknown.
  Source source = SourceOf(application);
  SourceWriter common(source, sink);
  WriteCommon(application, &common);
  ExecutorWriter(application, -1, &common).Write();
  WriteLogs(application, &common);
  common.Finish(application.complete);
  for (size_t row = 0; row < application.executors.size(); ++row) {
    const Executor& executor = application.executors[row];
    source.start_ticks = static_cast<int64_t>(row) + 1;
    source.executor_id = executor.id;
    source.host = executor.host;
    SourceWriter writer(source, sink);
    ExecutorWriter(application, static_cast<int32_t>(row), &writer).Write();
    writer.Finish(application.complete);
  }
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "recording/application_builder.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/saturate.h"
#include "base/time.h"
#include "event_log/event_reader.h"
#include "model/application_index.h"
#include "model/application_times.h"
#include "model/samples/coverage.h"
#include "recording/node_join.h"
#include "recording/profile_recording.h"
#include "recording/sample_merger.h"
#include "recording/task_columns.h"
#include "recording/task_intervals.h"

namespace sparkprof {
namespace {

constexpr int64_t kDefaultBucketNanos = kNanosPerSecond;

int64_t BucketNanosOf(const Source& source) { return source.bucket_ns > 0 ? source.bucket_ns : kDefaultBucketNanos; }

int64_t WidestBucket(const RecordedApplication& recorded) {
  int64_t widest = 0;
  for (const RecordedSource& source : recorded.sources) {
    for (const RecordedSegment& segment : source.segments) {
      widest = std::max(widest, BucketNanosOf(segment.GetSource()));
    }
  }
  return widest;
}

size_t SampleRows(const RecordedApplication& recorded) {
  size_t rows = 0;
  for (const RecordedSource& source : recorded.sources) {
    for (const RecordedSegment& segment : source.segments) rows += segment.SampleRows();
  }
  return rows;
}

void AddSparkEvents(const RecordedApplication& recorded, Application* application) {
  std::vector<const RecordedSegment*> segments;
  for (const RecordedSource& source : recorded.sources) {
    for (const RecordedSegment& segment : source.segments)
      if (segment.HasSparkEvents()) segments.push_back(&segment);
  }
  EventReader reader(application);
  TakeContents(segments, [&](const Segment& segment) {
    for (const std::string& event : segment.spark_events) reader.Add(event);
  });
  reader.Finish();
}

void AddTasks(const RecordedApplication& recorded, Application* application) {
  ApplicationIndex index(application);
  for (const RecordedSource& source : recorded.sources) {
    for (const RecordedSegment& segment : source.segments) {
      if (segment.HasTasks()) TakeTasks(*segment.Contents(), application, &index);
    }
  }
}

void FillIfEmpty(const std::string& value, std::string* field) {
  if (field->empty()) *field = value;
}

// Agents and monitors read the same counter at slightly different times, so points may be out of order.
void KeepGrowing(std::vector<SeriesPoint>* points) {
  double most = 0;
  std::erase_if(*points, [&most](const SeriesPoint& point) {
    if (point.value < most) return true;
    most = point.value;
    return false;
  });
}

class Builder {
 public:
  // `rows`: maximum number of samples that will be added.
  Builder(Application* application, int64_t bucket_ns, size_t rows)
      : application_(application),
        index_(application),
        samples_(application, bucket_ns),
        intervals_(application, &index_) {
    samples_.Reserve(rows);
  }

  void Add(const RecordedSource& source) {
    // Totals of each of the source's agents; the latest value counts.
    std::map<std::tuple<uint64_t, std::string, std::string>, int64_t> losses;
    std::vector<const RecordedSegment*> segments;
    for (const RecordedSegment& segment : source.segments) segments.push_back(&segment);
    TakeContents(segments, [&](const Segment& segment) {
      const int32_t executor = AddSource(segment);
      samples_.Add(segment, executor, BucketNanosOf(segment.source));
      intervals_.Add(segment.task_intervals, executor);
      AddProcesses(segment, executor);
      AddSeries(segment, executor);
      AddNotes(segment, executor);
      AddPython(segment);
      AddHeapSummaries(segment, executor);
      application_->neighbors.insert(application_->neighbors.end(), segment.neighbors.begin(), segment.neighbors.end());
      AddLogs(segment);
      for (const Loss& loss : segment.losses) {
        losses[{segment.source.sequence / kSequencesOfAgent, loss.what, loss.reason}] = loss.count;
      }
    });
    samples_.EndSource();
    NoteEnd(source);
    for (const auto& [key, count] : losses) AddSaturated(count, &losses_[{std::get<1>(key), std::get<2>(key)}]);
  }

  void Finish() {
    samples_.Finish();
    JoinPoolSamples(application_);
    intervals_.Finish();
    application_->FillProfileTasks();
    for (ApplicationSeries& series : application_->series) {
      std::stable_sort(series.points.begin(), series.points.end(),
                       [](const SeriesPoint& a, const SeriesPoint& b) { return a.time_ns < b.time_ns; });
    }
    for (const size_t row : counters_of_nodes_) KeepGrowing(&application_->series[row].points);
    std::stable_sort(
        application_->notices.begin(), application_->notices.end(),
        [](const ApplicationNotice& a, const ApplicationNotice& b) { return a.notice.time_ns < b.notice.time_ns; });
    std::stable_sort(application_->heap_summaries.begin(), application_->heap_summaries.end(),
                     [](const ApplicationHeapSummary& a, const ApplicationHeapSummary& b) {
                       return a.summary.time_ns < b.summary.time_ns;
                     });
    for (const auto& [what, count] : losses_) application_->losses.push_back({what.first, what.second, count});
    FillCoverage(application_);
    FillTimes();
    std::vector<std::vector<int32_t>> repeated;
    for (auto& [process, rows] : processes_of_boots_) {
      if (rows.size() > 1) repeated.push_back(std::move(rows));
    }
    DropRepeatedProcesses(repeated, application_);
    NoteMissingExecutors(recorded_, application_);
    NoteUnsentEnds(unfinished_, application_);
  }

 private:
  // Returns the row of the source's executor, -1 if unknown.
  int32_t AddSource(const Segment& segment) {
    const Source& source = segment.source;
    FillIfEmpty(source.application_name, &application_->name);
    FillIfEmpty(source.spark_version, &application_->spark_version);
    FillIfEmpty(source.java_version, &application_->java_version);
    const bool is_driver = source.role == "driver" || source.role == "local";
    const int32_t row = index_.Executor(source.executor_id.empty() && is_driver ? "driver" : source.executor_id);
    const int64_t begin_ns = segment.anchors.empty() ? 0 : segment.anchors.front().epoch_ns;
    for (const ClockAnchor& anchor : segment.anchors) See(anchor.epoch_ns);
    if (IsProfileSource(source) && !IsJoinedProfile(source)) {
      application_->is_foreign = true;
      application_->ended = application_->ended || segment.final;
    }
    if (is_driver) recorded_.insert("driver");
    if (row < 0) return row;
    Executor& executor = application_->executors[static_cast<size_t>(row)];
    recorded_.insert(executor.id);
    FillIfEmpty(source.host, &executor.host);
    if (executor.add_ns == 0) executor.add_ns = begin_ns;
    return row;
  }

  // Records an executor whose last segment is missing.
  void NoteEnd(const RecordedSource& source) {
    const RecordedSegment& last = source.segments.back();
    if (last.IsFinal() || last.Anchors().empty() || last.GetSource().role != "executor") return;
    const int32_t row = index_.Executor(last.GetSource().executor_id);
    if (row >= 0) unfinished_[row] = std::max(unfinished_[row], last.Anchors().back().epoch_ns);
  }

  // Returns the row of a process. A node's process that an agent also saw has the agent's row.
  int32_t ProcessRow(const Segment& segment, int32_t executor, int64_t pid, int64_t start_ticks) {
    const auto same = processes_of_boots_.find({segment.source.boot_id, pid, start_ticks});
    if (segment.source.role == kNodeRole && same != processes_of_boots_.end()) return same->second.front();
    const auto [place, is_new] =
        processes_.try_emplace({executor, pid, start_ticks}, static_cast<int32_t>(application_->processes.size()));
    if (is_new) {
      ApplicationProcess& added = application_->processes.emplace_back();
      added.executor = executor;
      added.process.pid = pid;
      added.process.start_ticks = start_ticks;
      if (!segment.source.boot_id.empty()) {
        processes_of_boots_[{segment.source.boot_id, pid, start_ticks}].push_back(place->second);
      }
    }
    return place->second;
  }

  void AddProcesses(const Segment& segment, int32_t executor) {
    const bool is_joined = segment.source.role == kNodeRole && !application_->is_node;
    for (const Process& seen : segment.processes) {
      const int32_t of_process = is_joined ? index_.Executor(seen.executor_id) : executor;
      const int32_t row = ProcessRow(segment, of_process, seen.pid, seen.start_ticks);
      Process& known = application_->processes[static_cast<size_t>(row)].process;
      const bool is_of_agent = is_joined && !known.role.empty() && known.started_ns == 0;
      if (seen.parent_pid != 0) known.parent_pid = seen.parent_pid;
      if (!seen.role.empty() && !is_of_agent) known.role = seen.role;
      if (!seen.command.empty() && !is_of_agent) known.command = seen.command;
      if (known.first_seen_ns == 0 || (seen.first_seen_ns != 0 && seen.first_seen_ns < known.first_seen_ns)) {
        known.first_seen_ns = seen.first_seen_ns;
      }
      known.last_seen_ns = std::max(known.last_seen_ns, seen.last_seen_ns);
      if (seen.started_ns != 0) AddOfNode(seen, is_of_agent, &known);
    }
  }

  // Adds facts that only a node's monitor has.
  static void AddOfNode(const Process& seen, bool is_of_agent, Process* known) {
    if (!is_of_agent) known->started_ns = seen.started_ns;
    known->ended = known->ended || seen.ended;
    for (std::string Process::*field :
         {&Process::user, &Process::application_id, &Process::executor_id, &Process::container_id,
          &Process::control_group, &Process::name, &Process::state}) {
      if (!(seen.*field).empty()) known->*field = seen.*field;
    }
  }

  void AddSeries(const Segment& segment, int32_t executor) {
    const bool is_of_node = segment.source.role == kNodeRole;
    for (const Series& series : segment.series) {
      int32_t process = -1;
      int32_t of_series = executor;
      if (series.pid != 0) {
        process = ProcessRow(segment, executor, series.pid, series.start_ticks);
        of_series = application_->processes[static_cast<size_t>(process)].executor;
      }
      const auto [place, is_new] = series_.try_emplace({of_series, process, series.name}, application_->series.size());
      if (is_new) application_->series.push_back({series.name, of_series, process, series.kind, {}});
      std::vector<SeriesPoint>& points = application_->series[place->second].points;
      points.insert(points.end(), series.points.begin(), series.points.end());
      if (!series.points.empty()) See(series.points.back().time_ns);
      if (is_of_node && series.kind == SeriesKind::kCounter) counters_of_nodes_.insert(place->second);
    }
  }

  void AddNotes(const Segment& segment, int32_t executor) {
    for (const Notice& notice : segment.notices) AddNotice(notice, executor);
    for (const ProfilerSetting& setting : segment.settings) {
      const auto same = [&](const ProfilerSetting& known) {
        return known.name == setting.name && known.value == setting.value;
      };
      std::vector<ProfilerSetting>& settings = application_->settings;
      if (std::none_of(settings.begin(), settings.end(), same)) settings.push_back(setting);
    }
  }

  // Recorded warnings replace those of replaying recorded events: a recording made from logs contains fewer events than
  // the logs.
  void AddNotice(const Notice& notice, int32_t executor) {
    const bool is_of_strayed = notice.text.ends_with(EventReader::kStrayedWarning);
    std::erase_if(application_->notices, [&](const ApplicationNotice& known) {
      return known.executor < 0 && (known.notice.text == notice.text ||
                                    (is_of_strayed && known.notice.text.ends_with(EventReader::kStrayedWarning)));
    });
    application_->notices.push_back({executor, notice});
  }

  void AddPython(const Segment& segment) {
    application_->udfs.insert(application_->udfs.end(), segment.udfs.begin(), segment.udfs.end());
    application_->python_tasks.insert(application_->python_tasks.end(), segment.python_tasks.begin(),
                                      segment.python_tasks.end());
  }

  void AddHeapSummaries(const Segment& segment, int32_t executor) {
    StringTable& strings = application_->profile.strings;
    for (const HeapSummary& recorded : segment.heap_summaries) {
      application_->heap_summaries.push_back({executor, recorded});
      for (HeapClass& row : application_->heap_summaries.back().summary.classes)
        row.name = strings.Intern(segment.strings.Get(row.name));
      See(recorded.time_ns);
    }
  }

  void AddLogs(const Segment& segment) {
    std::vector<int32_t> executors(segment.strings.Size(), -1);  // executor rows by string ID
    for (const int32_t id : segment.logs.executor) {
      if (id < 0 || executors[static_cast<size_t>(id)] >= 0) continue;
      executors[static_cast<size_t>(id)] = index_.Executor(segment.strings.Get(static_cast<StringId>(id)));
    }
    AppendLogs(segment.logs, executors, &application_->logs);
  }

  void See(int64_t time_ns) {
    if (time_ns <= 0) return;
    if (first_ns_ == 0 || time_ns < first_ns_) first_ns_ = time_ns;
    last_ns_ = std::max(last_ns_, time_ns);
  }

  void FillTimes() {
    for (const int64_t launch_ns : application_->tasks.launch_ns) See(launch_ns);
    for (const int64_t finish_ns : application_->tasks.finish_ns) See(finish_ns);
    // An executor's time may be wrong (EventClock), so it is used only if there is no other.
    if (last_ns_ == 0) {
      for (const Executor& executor : application_->executors) See(executor.add_ns);
    }
    if (application_->start_ns == 0) application_->start_ns = first_ns_;
    if (!application_->ended || application_->is_foreign) {
      application_->end_ns = std::max(application_->end_ns, last_ns_);
    }
  }

  Application* application_;
  ApplicationIndex index_;
  SampleMerger samples_;
  TaskIntervals intervals_;
  std::map<std::tuple<int32_t, int64_t, int64_t>, int32_t> processes_;  // by executor, PID, start ticks
  std::map<std::tuple<std::string, int64_t, int64_t>, std::vector<int32_t>>
      processes_of_boots_;              // by boot ID, PID, start ticks; several rows if several agents saw a process
  std::set<size_t> counters_of_nodes_;  // rows of series
  std::map<std::tuple<int32_t, int32_t, std::string>, size_t> series_;  // by executor, process, name
  std::map<std::pair<std::string, std::string>, int64_t> losses_;
  std::set<std::string> recorded_;         // IDs of executors, and "driver"
  std::map<int32_t, int64_t> unfinished_;  // arguments of NoteUnsentEnds
  int64_t first_ns_ = 0;
  int64_t last_ns_ = 0;
};

}  // namespace

Application BuildApplication(RecordedApplication&& recorded, Application&& from_log) {
  const bool has_log = from_log.tasks.Size() > 0 || !from_log.jobs.empty();
  Application application = has_log ? std::move(from_log) : Application();
  if (application.id.empty()) application.id = recorded.id;
  if (application.attempt.empty()) application.attempt = recorded.attempt;
  application.complete = !has_log || application.complete;
  if (!has_log) {
    AddSparkEvents(recorded, &application);
    AddTasks(recorded, &application);
  }
  application.is_node =
      !recorded.sources.empty() && std::all_of(recorded.sources.begin(), recorded.sources.end(), IsNode);
  Builder builder(&application, WidestBucket(recorded), SampleRows(recorded));
  for (RecordedSource& source : recorded.sources) {
    const bool is_profile = !source.segments.empty() && IsProfileSource(source.segments.back().GetSource());
    application.complete = application.complete && (source.whole || is_profile);
    builder.Add(source);
    if (!source.segments.empty()) source.segments.front().ReleaseFile();
    source.segments = {};  // frees memory: the application contains it all
  }
  builder.Finish();
  BoundTimes(&application);
  return application;
}

}  // namespace sparkprof

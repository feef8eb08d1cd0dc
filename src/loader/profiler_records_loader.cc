// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/redaction/redaction.h"
#include "base/saturate.h"
#include "base/text/text.h"
#include "base/time.h"
#include "formats/record_reader.h"
#include "loader/input_lines.h"
#include "loader/input_loaders.h"
#include "model/application_index.h"
#include "model/samples/coverage.h"
#include "model/samples/profile.h"
#include "model/samples/stack_tables.h"

namespace sparkprof {
namespace {

constexpr double kPySparkIntervalMillis = 200;  // Phil's Stopwatch, whose records lack the interval
constexpr int64_t kMaxBucketsOfReport = 3600;   // longer reports are not spread over their time
constexpr size_t kCommandLength = 500;

int64_t NanosOf(int64_t epoch_ms) {
  return epoch_ms > 0 && epoch_ms <= std::numeric_limits<int64_t>::max() / kNanosPerMilli ? epoch_ms * kNanosPerMilli
                                                                                          : 0;
}

// Spark names a thread after its task: "Executor task launch worker for task 7" (2.2 to 3.0), "… for task 0.0 in stage
// 3.0 (TID 7)" (since). Records contain only the name at the time of the sample.
int64_t TaskOfThread(std::string_view name) {
  constexpr std::string_view kPrefix = "Executor task launch worker for task ";
  if (!name.starts_with(kPrefix)) return kNoTask;
  name.remove_prefix(kPrefix.size());
  const size_t tid = name.find("(TID ");
  if (tid != std::string_view::npos) {
    name.remove_prefix(tid + 5);
    if (name.ends_with(')')) name.remove_suffix(1);
  }
  return ParseInteger(name).value_or(kNoTask);
}

class RecordMerger {
 public:
  RecordMerger(const ProfilerRecords& records, Application* application)
      : records_(records), application_(application), index_(application) {}

  void Add() {
    AddProcesses();
    AddSeries();
    AddStacks();
    FillTimes();
  }

 private:
  // The row of the process's executor; -1 = unknown.
  int32_t ExecutorOf(const RecordProcess& process) {
    std::vector<Executor>& executors = application_->executors;
    if (process.role == "driver") return index_.Executor("driver");
    // In local mode one JVM is both.
    if (executors.size() == 1) return 0;
    int32_t found = -1;
    for (size_t row = 0; row < executors.size(); ++row) {
      if (executors[row].id == "driver" || process.host.empty() || executors[row].host != process.host) continue;
      if (found >= 0) return -1;  // ambiguous: several executors on that host
      found = static_cast<int32_t>(row);
    }
    return found;
  }

  void AddProcesses() {
    for (size_t row = 0; row < records_.processes.size(); ++row) {
      const RecordProcess& process = records_.processes[row];
      ApplicationProcess& added = application_->processes.emplace_back();
      added.executor = ExecutorOf(process);
      // Distinguishes processes without a PID, or with PIDs of other machines.
      added.process.start_ticks = static_cast<int64_t>(row) + 1;
      added.process.pid = process.pid != 0 ? process.pid : -added.process.start_ticks;
      added.process.role = process.profiler == RecordProfiler::kPySpark ? "python_worker" : "jvm";
      added.process.command = RedactText(process.command_line).substr(0, kCommandLength);
      if (added.process.command.empty()) added.process.command = RedactText(process.name);
      added.process.first_seen_ns = NanosOf(process.first_ms);
      added.process.last_seen_ns = NanosOf(process.last_ms);
      See(added.process.first_seen_ns);
      See(added.process.last_seen_ns);
      rows_.push_back(static_cast<int32_t>(application_->processes.size()) - 1);
    }
  }

  int32_t ExecutorOfRow(uint32_t process) const {
    return application_->processes[static_cast<size_t>(rows_[process])].executor;
  }

  void AddSeries() {
    for (const RecordSeries& series : records_.series) {
      ApplicationSeries& added = application_->series.emplace_back();
      added.name = series.metric.series;
      added.executor = ExecutorOfRow(series.process);
      added.process = rows_[series.process];
      added.kind = series.metric.kind;
      added.points = series.points;
      for (SeriesPoint& point : added.points) {
        point.value *= series.metric.series_scale;
        See(point.time_ns);
      }
    }
  }

  // Identifies the samples of one thread in one report.
  using Report = std::tuple<uint32_t, StringId, int64_t, int64_t>;  // process, thread, start, end
  static Report ReportOf(const RecordStack& row) { return {row.process, row.thread, row.start_ms, row.end_ms}; }

  void AddStacks() {
    if (records_.stack_counts.empty()) return;
    MapStacks();
    std::map<Report, int64_t> samples_of_report;
    for (const RecordStack& row : records_.stack_counts) AddSaturated(row.count, &samples_of_report[ReportOf(row)]);
    bool without_time = false, without_interval = false;
    for (const RecordStack& row : records_.stack_counts) {
      if (row.count <= 0) continue;
      const int64_t start_ns = NanosOf(row.start_ms), end_ns = NanosOf(row.end_ms);
      if (start_ns == 0 || end_ns <= start_ns) {
        without_time = true;
        without_interval |= row.interval_ms == 0;
        const double interval_ms = row.interval_ms == 0 ? kPySparkIntervalMillis : row.interval_ms;
        const double weight = interval_ms * static_cast<double>(kNanosPerMilli) * static_cast<double>(row.count);
        AddSample(row, application_->start_ns > 0 ? application_->start_ns : first_ns_, weight, row.count);
        continue;
      }
      const double share = static_cast<double>(row.count) / static_cast<double>(samples_of_report[ReportOf(row)]);
      Spread(row, start_ns, end_ns, share * static_cast<double>(end_ns - start_ns));
    }
    Profile& profile = application_->profile;
    profile.samples.insert(profile.samples.end(), samples_.Rows().begin(), samples_.Rows().end());
    profile.default_event = DefaultEventOf(profile);
    application_->FillProfileTasks();
    if (without_time) {
      application_->Warn(
          application_->start_ns,
          std::string("PySpark stack records have no timestamps: they appear at the application's start") +
              (without_interval ? ", and samples without an interval weigh 200 ms, the default of Phil's Stopwatch"
                                : ""));
    }
    FillCoverage(application_);
  }

  // Spreads a report's weight over the buckets of its time.
  void Spread(const RecordStack& row, int64_t start_ns, int64_t end_ns, double weight) {
    const int64_t bucket_ns = application_->profile.bucket_ns;
    const int64_t first = start_ns / bucket_ns, last = (end_ns - 1) / bucket_ns;
    if (first == last || last - first > kMaxBucketsOfReport) {
      AddSample(row, start_ns, weight, row.count);
      return;
    }
    int64_t counted = 0;
    for (int64_t bucket = first; bucket <= last; ++bucket) {
      const int64_t from = std::max(start_ns, bucket * bucket_ns), to = std::min(end_ns, (bucket + 1) * bucket_ns);
      const double share = static_cast<double>(to - from) / static_cast<double>(end_ns - start_ns);
      const int64_t until =
          bucket == last ? row.count
                         : static_cast<int64_t>(static_cast<double>(row.count) * static_cast<double>(to - start_ns) /
                                                static_cast<double>(end_ns - start_ns));
      AddSample(row, from, weight * share, until - counted);
      counted = until;
    }
  }

  void AddSample(const RecordStack& row, int64_t time_ns, double weight, int64_t count) {
    Sample sample;
    const int64_t bucket_ns = application_->profile.bucket_ns;
    sample.time_ns = time_ns / bucket_ns * bucket_ns;
    sample.event = application_->profile.AddEvent(Event::kWall);
    const std::string_view state = records_.strings.Get(row.state);
    sample.state =
        state.empty() ? ThreadState::kUnknown : (state == "RUNNABLE" ? ThreadState::kRunning : ThreadState::kSleeping);
    sample.thread = Thread(row);
    if (const int64_t task = TaskOfThread(records_.strings.Get(row.thread)); task != kNoTask) {
      sample.task = Task(task);
      sample.category = Category::kTask;
    }
    sample.stack = stacks_[row.stack];
    sample.weight = weight < 9e18 ? static_cast<int64_t>(weight) : std::numeric_limits<int64_t>::max();
    sample.count = count;
    samples_.Add(sample);
  }

  uint32_t Task(int64_t task) {
    std::vector<ProfileTask>& tasks = application_->profile.tasks;
    const auto [place, is_new] = tasks_.try_emplace(task, static_cast<uint32_t>(tasks.size()));
    if (is_new) tasks.push_back({.task = task});
    return place->second;
  }

  uint32_t Thread(const RecordStack& row) {
    const auto [place, is_new] = threads_.try_emplace({row.process, row.thread, row.rdd},
                                                      static_cast<uint32_t>(application_->profile.threads.size()));
    if (is_new) {
      ProfileThread& thread = application_->profile.threads.emplace_back();
      thread.tid = static_cast<int64_t>(threads_.size());  // artificial: records have only names
      thread.name = RedactText(row.rdd == 0 ? std::string(records_.strings.Get(row.thread))
                                            : "Python workers, RDD " + std::string(records_.strings.Get(row.rdd)));
      thread.executor = ExecutorOfRow(row.process);
    }
    return place->second;
  }

  void MapStacks() {
    StackCopier stacks(records_, &application_->profile);
    stacks_.assign(records_.stacks.Size(), 0);
    for (StackId id = 1; id < stacks_.size(); ++id) stacks_[id] = stacks.Copy(id);
  }

  void See(int64_t time_ns) {
    if (time_ns <= 0) return;
    if (first_ns_ == 0 || time_ns < first_ns_) first_ns_ = time_ns;
    last_ns_ = std::max(last_ns_, time_ns);
  }

  void FillTimes() {
    if (application_->start_ns == 0) application_->start_ns = first_ns_;
    if (!application_->ended) application_->end_ns = std::max(application_->end_ns, last_ns_);
  }

  const ProfilerRecords& records_;
  Application* application_;
  ApplicationIndex index_;
  std::vector<int32_t> rows_;  // rows of the application's processes, by row of the records' processes
  std::vector<StackId> stacks_;
  std::map<std::tuple<uint32_t, StringId, StringId>, uint32_t> threads_;
  std::unordered_map<int64_t, uint32_t> tasks_;  // rows by TID
  SampleTable<Sample> samples_;
  int64_t first_ns_ = 0;
  int64_t last_ns_ = 0;
};

// Removes records that occur in several files: merged files often lie beside their parts. Equal lines within one file
// are different records.
class RepeatedRecords {
 public:
  void BeginFile() { in_file_.clear(); }

  // Returns the lines that no earlier file contains, and counts the others.
  std::string_view Remove(std::string_view lines, size_t* repeated) {
    kept_.clear();
    while (!lines.empty()) {
      const std::string_view line = TakeLine(&lines);
      if (IsRepeated(line)) {
        ++*repeated;
      } else {
        kept_.append(line).append(1, '\n');
      }
    }
    return kept_;
  }

 private:
  static constexpr size_t kMaxRemembered = 8'000'000;

  bool IsRepeated(std::string_view line) {
    if (line.find('{') == std::string_view::npos || in_all_.size() >= kMaxRemembered) return false;
    const size_t hash = std::hash<std::string_view>()(WithoutCarriageReturn(line));
    uint32_t& in_all = in_all_[hash];
    if (++in_file_[hash] <= in_all) return true;
    ++in_all;
    return false;
  }

  std::unordered_map<size_t, uint32_t> in_all_;  // maximum count in one file, by hash
  std::unordered_map<size_t, uint32_t> in_file_;
  std::string kept_;
};

}  // namespace

ProfilerRecords ReadRecords(const std::vector<const Input*>& inputs, const LineLimits& limits,
                            std::vector<InputOutcome>* outcomes) {
  ProfilerRecords records;
  RecordReader reader(&records);
  RepeatedRecords others;
  for (const Input* input : inputs) {
    size_t repeated = 0;
    others.BeginFile();
    InputOutcome outcome = ReadLines(*input, limits, [&](std::string_view lines) {
      reader.AddLines(inputs.size() > 1 ? others.Remove(lines, &repeated) : lines);
      return true;
    });
    if (repeated > 0 && outcome.problem.empty()) {
      outcome.problem = std::to_string(repeated) + " records are also in other files and count once";
    }
    // The other lines of a console are a text log and are reported there.
    if (input->kind != InputKind::kConsole) outcomes->push_back(std::move(outcome));
  }
  reader.Finish();
  return records;
}

void AddRecords(const ProfilerRecords& records, Application* application) {
  if (records.damaged_lines > 0) {
    application->losses.push_back({"profiler_records", "truncated or damaged lines", records.damaged_lines});
  }
  if (records.dropped_series > 0) {
    application->losses.push_back({"profiler_points", "beyond the limit of metrics", records.dropped_series});
  }
  if (!records.processes.empty()) RecordMerger(records, application).Add();
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/failures/failure_report.h"
#include "analysis/findings/memory/held_memory.h"
#include "analysis/findings/rules.h"
#include "analysis/machines/executor_memory.h"
#include "analysis/owners/native_memory.h"
#include "analysis/python/held_lines.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

// The place of an out-of-memory death that only the heap's metrics show.
constexpr std::string_view kHeapMetrics = "the heap's metrics";
constexpr double kFarFromFull = 0.5;
constexpr size_t kLineLength = 200;
constexpr int64_t kLastNsBeforeKill = 10 * kNanosPerSecond;  // time of a JVM
constexpr double kMostlyCollecting = 0.5;                    // share of that time

// Texts for kills that no log reports: the kernel killed a process of a container, or a heap stayed full.
constexpr std::string_view kContainerKill = "OOMKilled";
constexpr std::string_view kFullHeap = "java.lang.OutOfMemoryError: Java heap space";

// "the driver", "executor 1"
std::string NameOf(const Application& application, int32_t executor) {
  const std::string& id = application.executors[static_cast<size_t>(executor)].id;
  return id == "driver" ? "the driver" : "executor " + id;
}

struct Death {
  std::optional<FailureReport> report;
  std::string line;
  std::string where;  // "task 7 of stage 3", "executor 1"
  int64_t stage = -1;
  int64_t task = kNoTask;
  int64_t time_ns = 0;
  int32_t executor = -1;  // row
  int64_t count = 0;
};

// Counts a text that describes a lack of memory. Returns true for the first one.
bool Look(const Application& application, std::string_view text, std::string_view where, int32_t executor,
          Death* death) {
  const std::optional<FailureReport> report = ExplainFailure(application, text, executor);
  // A crashed Python worker may have been killed for its memory.
  if (!report || !IsForMemory(*report) || report->failure->rank == FailureRank::kDecisive) return false;
  ++death->count;
  if (death->report) return false;
  death->report = report;
  death->line = ExcerptAt(text, report->offset, kLineLength);
  while (death->line.ends_with('.')) death->line.pop_back();
  death->where = where;
  death->executor = executor;
  return true;
}

void LookAtTasks(const Application& application, Death* death) {
  const Tasks& tasks = application.tasks;
  for (size_t row = 0; row < tasks.Size(); ++row) {
    if (tasks.reason[row] == 0) continue;
    const int32_t stage = tasks.stage[row];
    const int64_t stage_id = stage < 0 ? -1 : application.stages[static_cast<size_t>(stage)].id;
    if (!Look(application, application.profile.strings.Get(tasks.reason[row]),
              fmt::format("task {} of stage {}", tasks.id[row], stage_id), tasks.executor[row], death))
      continue;
    death->stage = stage_id;
    death->task = tasks.id[row];
    death->time_ns = tasks.finish_ns[row];
  }
}

Death FindDeath(const Application& application) {
  Death death;
  LookAtTasks(application, &death);
  const int64_t by_tasks = death.count;
  for (const Stage& stage : application.stages) {
    if (!Look(application, stage.failure, fmt::format("stage {}", stage.id), -1, &death)) continue;
    death.stage = stage.id;
    death.time_ns = stage.end_ns;
  }
  const int64_t by_work = death.count;
  for (size_t row = 0; row < application.executors.size(); ++row) {
    const Executor& executor = application.executors[row];
    const int64_t count = death.count;
    const auto of_row = static_cast<int32_t>(row);
    if (Look(application, executor.remove_reason, fmt::format("executor {}", executor.id), of_row, &death))
      death.time_ns = executor.remove_ns;
    if (death.count > count && death.executor < 0) death.executor = of_row;
  }
  // A driver's log reports the end of an executor or a task several times, and that of an executor for each of its
  // tasks.
  const int64_t by_executors = death.count - by_work;
  for (const Job& job : application.jobs) Look(application, job.failure, fmt::format("job {}", job.id), -1, &death);
  const LogRecords& logs = application.logs;
  for (size_t row = 0; row < logs.Size(); ++row) {
    if (logs.level[row] != LogLevel::kNone && logs.level[row] < LogLevel::kWarn) continue;
    if (Look(application, logs.Text(row), fmt::format("{}:{}", logs.sources[logs.source[row]], logs.line[row]),
             logs.executor[row], &death))
      death.time_ns = logs.time_ns[row];
  }
  if (by_executors > 0) {
    death.count = by_executors;
  } else if (by_tasks > 0) {
    death.count = by_tasks;
  }
  for (const ApplicationNotice& each : application.notices) {
    const Notice& notice = each.notice;
    const bool is_program = notice.text.find(kProgramEnded) != std::string::npos;
    if (is_program && Look(application, notice.text, "the driver's Python program", each.executor, &death))
      death.time_ns = notice.time_ns;
  }
  return death;
}

const std::vector<SeriesPoint>* PointsOf(const Application& application, int32_t process, std::string_view name) {
  for (const ApplicationSeries& series : application.series) {
    if (series.process == process && series.name == name && !series.points.empty()) return &series.points;
  }
  return nullptr;
}

// From the kernel's count of OOM kills in a JVM's cgroup: the only source in local mode, and where the cluster manager
// does not report the reason. JVMs may share a cgroup; the kernel kills the largest process.
Death FindKill(const Application& application) {
  Death death;
  double largest = -1;
  for (const ApplicationSeries& series : application.series) {
    if (series.name != "process.memory_kills" || series.points.empty() || series.executor < 0) continue;
    const auto kills = static_cast<int64_t>(series.points.back().value - series.points.front().value);
    const auto* limit = PointsOf(application, series.process, "process.memory_limit_bytes");
    const auto* resident = PointsOf(application, series.process, "process.rss_bytes");
    if (kills <= 0 || limit == nullptr || resident == nullptr) continue;
    const double most = std::max_element(resident->begin(), resident->end(), [](const auto& a, const auto& b) {
                          return a.value < b.value;
                        })->value;
    if (most <= largest) continue;
    largest = most;
    death.report = ExplainFailure(application, kContainerKill, series.executor);
    death.executor = series.executor;
    death.count = kills;
    death.where = fmt::format("the control group of {}", NameOf(application, series.executor));
    death.line = fmt::format("the kernel killed {} at the limit of {}", kills > 1 ? "processes" : "a process",
                             FormatBytes(static_cast<int64_t>(limit->back().value)));
  }
  return death;
}

// The largest heap of the application's JVMs and its limit; 0 if not recorded.
struct LargestHeap {
  int64_t used = 0, most = 0;
};

LargestHeap LargestHeapOf(const Application& application) {
  LargestHeap heap;
  for (const int64_t used : PeakHeapsOf(application)) heap.used = std::max(heap.used, used);
  for (const ApplicationSeries& series : application.series) {
    if (series.name != "jvm.heap_max_bytes") continue;
    for (const SeriesPoint& point : series.points) heap.most = std::max(heap.most, static_cast<int64_t>(point.value));
  }
  return heap;
}

std::string HeapText(const Application& application) {
  const auto [used, most] = LargestHeapOf(application);
  if (used == 0) return {};
  std::string text = fmt::format("; the heap held up to {}", FormatBytes(used));
  if (most > 0) text += fmt::format(" of {}", FormatBytes(most));
  return text;
}

// True if a JVM of a failed application spent its last time collecting a heap that stayed full; its last log lines are
// lost.
bool DiedInCollections(const Application& application) {
  const bool failed =
      !application.ended || std::any_of(application.jobs.begin(), application.jobs.end(),
                                        [](const Job& job) { return job.status == RunStatus::kFailed; });
  if (!failed) return false;
  return std::any_of(application.series.begin(), application.series.end(), [](const ApplicationSeries& series) {
    if (series.name != "jvm.gc_time_ns" || series.points.size() < 2) return false;
    const SeriesPoint& last = series.points.back();
    const auto first = std::find_if(series.points.begin(), series.points.end(), [&](const SeriesPoint& point) {
      return point.time_ns >= last.time_ns - kLastNsBeforeKill;
    });
    const auto span_ns = static_cast<double>(last.time_ns - first->time_ns);
    return 2 * span_ns >= static_cast<double>(kLastNsBeforeKill) &&
           last.value - first->value >= kMostlyCollecting * span_ns;
  });
}

// The advice; for a full heap, it covers cached data, too.
std::string ChangeFor(const Application& application, const Death& death) {
  const bool caches =
      death.report->failure->holds == "heap" &&
      std::any_of(application.cached_rdds.begin(), application.cached_rdds.end(), [&](const CachedRdd& rdd) {
        return std::find(rdd.stages.begin(), rdd.stages.end(), death.stage) != rdd.stages.end();
      });
  return (caches ? "The stage caches its rows: select() only the columns that later queries read before cache() or "
                   "persist(), use MEMORY_AND_DISK, or DISK_ONLY for large data, and do not cache what is used once. "
                 : "") +
         AdviceOf(*death.report);
}

// The largest class of the last heap summary by bytes; empty without summaries.
std::string LargestClass(const Application& application) {
  if (application.heap_summaries.empty()) return {};
  const std::vector<HeapClass>& classes = application.heap_summaries.back().summary.classes;
  if (classes.empty()) return {};
  return fmt::format("; {} of it in {}", FormatBytes(classes.front().objects.bytes),
                     application.profile.strings.Get(classes.front().name));
}

// Memory of the executor's Python processes in the last seconds before the death, by line.
std::optional<HeldLines> HeldByPython(const Application& application, const Death& death, PythonPart part) {
  if (death.executor < 0) return std::nullopt;
  if (death.time_ns == 0) return MostHeld(application, death.executor, part, INT64_MIN, INT64_MAX);
  return MostHeld(application, death.executor, part, death.time_ns - kLastNsBeforeKill,
                  death.time_ns + application.profile.bucket_ns);
}

// Names the line of Python that held the most. Settings of workers do not affect the driver's program.
void AddHeldByPython(const Application& application, Death* death, Finding* finding) {
  std::optional<HeldLines> held = HeldByPython(application, *death, PythonPart::kWorkers);
  std::optional<HeldLines> by_program = HeldByPython(application, *death, PythonPart::kProgram);
  const bool is_program = by_program && (!held || by_program->bytes > held->bytes);
  if (is_program) {
    held = std::move(by_program);
    death->report->remedy = {RemedyStep{.setting = {}, .value = std::string(FewerRowsAdvice({}))}};
  }
  if (!held || held->lines.empty()) return;
  const HeldLine& most = held->lines.front();
  finding->evidence += fmt::format("; {} held {} of objects and NumPy arrays, {} of it by {}",
                                   is_program ? "the driver's Python program" : "its Python processes",
                                   FormatBytes(held->bytes), FormatBytes(most.bytes), most.line);
  finding->frames.push_back(most.line);
  finding->selection.event = EventName(Event::kPythonLive);
}

}  // namespace

std::optional<Finding> FindOutOfMemory(const FindingInput& input) {
  const Application& application = input.application;
  Death death = FindDeath(application);
  if (!death.report) death = FindKill(application);
  if (!death.report && DiedInCollections(application)) {
    death.report = ExplainFailure(application, kFullHeap, -1);
    death.line = "garbage collection took most of the last seconds of a JVM";
    death.where = kHeapMetrics;
    death.count = 1;
  }
  if (!death.report) return std::nullopt;
  const Failure& failure = *death.report->failure;
  const bool is_killed = failure.holds == "container" && failure.rank == FailureRank::kEffect;
  Finding finding;
  finding.title =
      fmt::format("{}: {} {}", is_killed ? "Killed, possibly for memory" : "Out of memory",
                  death.count == 1 ? "reported by" : fmt::format("{} reports, the first by", death.count), death.where);
  if (death.where == kHeapMetrics) finding.title = "Out of memory: " + death.line;
  finding.is_failure = true;
  finding.severity = Severity::kHigh;
  finding.what = fmt::format("{}: {}", MeaningOf(*death.report), death.line);
  const bool was_killed = failure.holds == "container";
  finding.evidence = fmt::format("reported by {}{}{}{}{}", death.where, HeldMemoryText(application, death.executor),
                                 was_killed ? HeldNativeText(application, death.executor) : std::string(),
                                 HeapText(application), LargestClass(application));
  finding.condition = "A task, stage, executor or log reports that memory could not be allocated or exceeded a limit";
  const bool has_native = was_killed && RecordsNativeReleases(application);
  finding.selection.event = EventName(has_native ? Event::kMalloc : Event::kAlloc);
  if (was_killed) AddHeldByPython(application, &death, &finding);
  if (death.stage >= 0) {
    finding.selection.stage = death.stage;
    finding.stages = {death.stage};
  }
  if (death.task != kNoTask) finding.selection.tasks = {death.task};
  finding.change = ChangeFor(application, death);
  const LargestHeap heap = LargestHeapOf(application);
  const bool was_far_from_full = heap.used > 0 && heap.used < kFarFromFull * heap.most;
  if (failure.holds == "heap" && was_far_from_full) {
    finding.change =
        "Look for one large allocation at that line: the recorded heap was far from full before it. Divide the value, "
        "or read it in parts";
  }
  death.report->chain = {EventOf(application, failure.id, death.time_ns, death.executor, death.task)};
  finding.failure = std::make_shared<const FailureReport>(std::move(*death.report));
  return finding;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/held_memory.h"
#include "analysis/findings/rules.h"
#include "analysis/owners/native_memory.h"
#include "analysis/selection/spark_settings.h"
#include "base/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

// The place that a death has if only the heap's metrics show it.
constexpr std::string_view kHeapMetrics = "the heap's metrics";
constexpr double kFarFromFull = 0.5;
constexpr size_t kLineLength = 200;
constexpr int64_t kLastNsBeforeKill = 10 * kNanosPerSecond;  // of a JVM's time
constexpr double kMostlyCollecting = 0.5;                    // of it

enum class Memory : uint8_t { kGpu, kArray, kThreads, kHeap, kContainer, kKilled, kPython, kMetaspace, kDirect };

struct Sign {
  std::string_view text;
  Memory memory;
};
// Kinds of processes that ran out of memory, the most specific first. Standalone workers enforce no limit of memory:
// who killed a process of theirs ("Command exited with code 137") is unknown, see FindLostExecutors.
constexpr Sign kSigns[] = {
    {"GpuSplitAndRetryOOM", Memory::kGpu},
    {"GpuRetryOOM", Memory::kGpu},
    {"GPU OutOfMemory", Memory::kGpu},
    {"out_of_memory: CUDA", Memory::kGpu},
    {"OutOfMemoryError: Requested array size", Memory::kArray},
    {"OutOfMemoryError: Required length exceeds", Memory::kArray},
    {"unable to create native thread", Memory::kThreads},
    {"unable to create new native thread", Memory::kThreads},
    {"OutOfMemoryError: Metaspace", Memory::kMetaspace},
    {"OutOfMemoryError: Compressed class space", Memory::kMetaspace},
    {"OutOfMemoryError: Direct buffer memory", Memory::kDirect},
    {"OutOfMemoryError: Cannot reserve", Memory::kDirect},
    {"OutOfMemoryError", Memory::kHeap},
    {"GC overhead limit exceeded", Memory::kHeap},
    {"exit status 52", Memory::kHeap},
    {"for exceeding memory limits", Memory::kContainer},
    {"for exceeding physical memory limits", Memory::kContainer},
    {"running beyond physical memory limits", Memory::kContainer},
    {"OOMKilled", Memory::kContainer},
    {"exit code 137", Memory::kKilled},
    {"exit status: 137", Memory::kKilled},
    {"MemoryError", Memory::kPython},
};

constexpr Sign kHeapSign = {"", Memory::kHeap};
constexpr Sign kContainerSign = {"", Memory::kContainer};

struct MemoryText {
  const char* what;
  const char* change;
};

MemoryText TextOf(Memory memory) {
  switch (memory) {
    case Memory::kGpu:
      return {"The memory of the GPU was full", kLessGpuMemoryAdvice};
    case Memory::kArray:
      return {"One value or array would have more than 2 GiB",
              "Divide the value: fewer rows for each group or string, or more partitions. A larger heap does not help"};
    case Memory::kThreads:
      return {"The operating system refused another thread",
              "Raise the limit of processes (ulimit -u, the container's pids limit), or start fewer threads"};
    case Memory::kHeap:
      return {"The Java heap was full",
              "Keep fewer rows in memory at once: aggregate instead of collecting (collect_list, groupByKey, collect), "
              "use more partitions, or fewer cores per executor"};
    case Memory::kContainer:
      return {
          "A process was killed because it exceeded the memory limit of its container",
          "Increase spark.executor.memoryOverhead (or spark.executor.pyspark.memory for Python), or use fewer cores "
          "per executor or smaller partitions"};
    case Memory::kKilled:
      return {"A process was killed (exit code 137), most likely because its container or its host ran out of memory",
              "Check the kernel's log for its out-of-memory killer. If it was memory, increase "
              "spark.executor.memoryOverhead (or spark.executor.pyspark.memory for Python), or use fewer cores per "
              "executor or smaller partitions"};
    case Memory::kPython:
      return {"Python could not allocate memory",
              "Process smaller batches (spark.sql.execution.arrow.maxRecordsPerBatch) or iterate over rows instead of "
              "keeping them; otherwise increase spark.executor.pyspark.memory"};
    case Memory::kMetaspace:
      return {"Metaspace was full", "Increase -XX:MaxMetaspaceSize, or generate fewer classes"};
    case Memory::kDirect:
      return {"The memory of direct buffers was full",
              "Increase -XX:MaxDirectMemorySize or spark.executor.memoryOverhead"};
  }
  return {};
}

// "the driver", "executor 1"
std::string NameOf(const Application& application, int32_t executor) {
  const std::string& id = application.executors[static_cast<size_t>(executor)].id;
  return id == "driver" ? "the driver" : "executor " + id;
}

struct Death {
  const Sign* sign = nullptr;
  std::string line;
  std::string where;  // "task 7 of stage 3", "executor 1"
  int64_t stage = -1;
  int64_t task = kNoTask;
  int32_t executor = -1;  // row
  int64_t count = 0;
};

// The line of `text` with a sign.
std::string_view LineWith(std::string_view text, const Sign& sign) {
  const size_t at = text.find(sign.text);
  const size_t begin = text.rfind('\n', at) == std::string_view::npos ? 0 : text.rfind('\n', at) + 1;
  return Trim(text.substr(begin, text.find('\n', at) - begin));
}

void Look(std::string_view text, std::string_view where, Death* death) {
  for (const Sign& sign : kSigns) {
    if (text.find(sign.text) == std::string_view::npos) continue;
    ++death->count;
    if (death->sign == nullptr) {
      death->sign = &sign;
      death->line = ShortenToClause(LineWith(text, sign), kLineLength);
      death->where = where;
    }
    return;
  }
}

void LookAtTasks(const Application& application, Death* death) {
  const Tasks& tasks = application.tasks;
  for (size_t row = 0; row < tasks.Size(); ++row) {
    if (tasks.reason[row] == 0) continue;
    const bool is_first = death->sign == nullptr;
    const int32_t stage = tasks.stage[row];
    const int64_t stage_id = stage < 0 ? -1 : application.stages[static_cast<size_t>(stage)].id;
    Look(application.profile.strings.Get(tasks.reason[row]),
         fmt::format("task {} of stage {}", tasks.id[row], stage_id), death);
    if (!is_first || death->sign == nullptr) continue;
    death->stage = stage_id;
    death->task = tasks.id[row];
    death->executor = tasks.executor[row];
  }
}

Death FindDeath(const Application& application) {
  Death death;
  LookAtTasks(application, &death);
  for (const Stage& stage : application.stages) {
    const bool is_first = death.sign == nullptr;
    Look(stage.failure, fmt::format("stage {}", stage.id), &death);
    if (is_first && death.sign != nullptr) death.stage = stage.id;
  }
  for (size_t row = 0; row < application.executors.size(); ++row) {
    const Executor& executor = application.executors[row];
    const int64_t count = death.count;
    Look(executor.remove_reason, fmt::format("executor {}", executor.id), &death);
    if (death.count > count && death.executor < 0) death.executor = static_cast<int32_t>(row);
  }
  for (const Job& job : application.jobs) Look(job.failure, fmt::format("job {}", job.id), &death);
  const LogRecords& logs = application.logs;
  for (size_t row = 0; row < logs.Size(); ++row) {
    if (logs.level[row] != LogLevel::kNone && logs.level[row] < LogLevel::kWarn) continue;
    Look(logs.Text(row), fmt::format("{}:{}", logs.sources[logs.source[row]], logs.line[row]), &death);
  }
  return death;
}

// Null = not recorded.
const std::vector<SeriesPoint>* PointsOf(const Application& application, int32_t process, std::string_view name) {
  for (const ApplicationSeries& series : application.series) {
    if (series.process == process && series.name == name && !series.points.empty()) return &series.points;
  }
  return nullptr;
}

// By the kernel's count of processes that it killed in the control group of a JVM. In local mode, and where the cluster
// manager does not report the reason, nothing else has it. JVMs may share a group: the kernel kills the largest
// process.
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
    death.sign = &kContainerSign;
    death.executor = series.executor;
    death.count = kills;
    death.where = fmt::format("the control group of {}", NameOf(application, series.executor));
    death.line = fmt::format("the kernel killed {} at the limit of {}", kills > 1 ? "processes" : "a process",
                             FormatBytes(static_cast<int64_t>(limit->back().value)));
  }
  return death;
}

// The largest heap of the application's JVMs and its limit; 0 if it was not recorded.
struct LargestHeap {
  double used = 0, most = 0;
};

LargestHeap LargestHeapOf(const Application& application) {
  LargestHeap heap;
  auto& [used, most] = heap;
  for (const ApplicationSeries& series : application.series) {
    for (const SeriesPoint& point : series.points) {
      if (series.name == "jvm.heap_used_bytes") used = std::max(used, point.value);
      if (series.name == "jvm.heap_max_bytes") most = std::max(most, point.value);
    }
  }
  return heap;
}

std::string HeapText(const Application& application) {
  const auto [used, most] = LargestHeapOf(application);
  if (used == 0) return {};
  std::string text = fmt::format("; the heap held up to {}", FormatBytes(static_cast<int64_t>(used)));
  if (most > 0) text += fmt::format(" of {}", FormatBytes(static_cast<int64_t>(most)));
  return text;
}

// Whether a JVM of a failed application spent the last of its time collecting a heap that stayed full: its last words
// are lost.
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

// The advice for a full heap.
std::string ChangeForHeap(const Application& application, int64_t stage) {
  const bool caches = std::any_of(
      application.cached_rdds.begin(), application.cached_rdds.end(),
      [&](const CachedRdd& rdd) { return std::find(rdd.stages.begin(), rdd.stages.end(), stage) != rdd.stages.end(); });
  return fmt::format(
      "{}{}. Otherwise {}",
      caches ? "Do not cache what is used once, or cache it on disk (DISK_ONLY): the stage caches its rows. " : "",
      TextOf(Memory::kHeap).change,
      IsLocal(application) ? MoreMemoryAdvice(application)
                           : "increase spark.executor.memory (spark.driver.memory for the driver and in local mode)");
}

// The largest class of the last heap summary, by bytes; empty without summaries.
std::string LargestClass(const Application& application) {
  if (application.heap_summaries.empty()) return {};
  const std::vector<HeapClass>& classes = application.heap_summaries.back().summary.classes;
  if (classes.empty()) return {};
  return fmt::format("; {} of it in {}", FormatBytes(classes.front().objects.bytes),
                     application.profile.strings.Get(classes.front().name));
}

}  // namespace

std::optional<Finding> FindOutOfMemory(const FindingInput& input) {
  const Application& application = input.application;
  Death death = FindDeath(application);
  if (death.sign == nullptr) death = FindKill(application);
  if (death.sign == nullptr && DiedInCollections(application)) {
    death = {&kHeapSign,
             "garbage collection took most of the last seconds of a JVM",
             std::string(kHeapMetrics),
             -1,
             kNoTask,
             -1,
             1};
  }
  if (death.sign == nullptr) return std::nullopt;
  const MemoryText text = TextOf(death.sign->memory);
  Finding finding;
  finding.title = fmt::format(
      "{}: {} {}", death.sign->memory == Memory::kKilled ? "Killed, most likely for memory" : "Out of memory",
      death.count == 1 ? "reported by" : fmt::format("{} reports, the first by", death.count), death.where);
  if (death.where == kHeapMetrics) finding.title = "Out of memory: " + death.line;
  finding.is_failure = true;
  finding.severity = Severity::kHigh;
  finding.what = fmt::format("{}: {}", text.what, death.line);
  const bool was_killed = death.sign->memory == Memory::kContainer || death.sign->memory == Memory::kKilled;
  finding.evidence = fmt::format("reported by {}{}{}{}{}", death.where, HeldMemoryText(application, death.executor),
                                 was_killed ? HeldNativeText(application, death.executor) : std::string(),
                                 HeapText(application), LargestClass(application));
  finding.condition = "A task, stage, executor or log reports that memory could not be allocated or exceeded a limit";
  const bool has_native = was_killed && RecordsNativeReleases(application);
  finding.selection.event = EventName(has_native ? Event::kMalloc : Event::kAlloc);
  if (death.stage >= 0) {
    finding.selection.stage = death.stage;
    finding.stages = {death.stage};
  }
  if (death.task != kNoTask) finding.selection.tasks = {death.task};
  finding.change = death.sign->memory == Memory::kHeap ? ChangeForHeap(application, death.stage) : text.change;
  const LargestHeap heap = LargestHeapOf(application);
  const bool was_far_from_full = heap.used > 0 && heap.used < kFarFromFull * heap.most;
  if (death.sign->memory == Memory::kHeap && was_far_from_full) {
    finding.change =
        "Look for one large allocation at that line: the recorded heap was far from full before it. Divide the value, "
        "or read it in parts";
  }
  return finding;
}

}  // namespace sparkprof

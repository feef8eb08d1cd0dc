// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/rules.h"
#include "analysis/time/timeline.h"

namespace sparkprof {
namespace {

constexpr int64_t kLongWaitNs = 10 * kNanosPerSecond;  // a container and a JVM need that long on an idle cluster
constexpr char kDynamic[] = "spark.dynamicAllocation.enabled";

struct ExecutorWaits {
  int64_t ns = 0;
  int64_t before_first_ns = 0;  // part of `ns` before the first executor
  size_t count = 0;
};

ExecutorWaits WaitsOf(const FindingInput& input) {
  int64_t first_ns = 0;
  for (const Executor& executor : input.application.executors) {
    if (executor.id != "driver" && executor.add_ns > 0 && (first_ns == 0 || executor.add_ns < first_ns))
      first_ns = executor.add_ns;
  }
  ExecutorWaits waits;
  for (const WallEntry& entry : input.run.account.wall) {
    if (entry.part != AccountPart::kExecutorWait) continue;
    ++waits.count;
    waits.ns += entry.ns;
    // The parts of a stage are in no order of time; its wait begins with it.
    const int64_t submit_ns =
        entry.stage < 0 ? 0 : input.application.stages[static_cast<size_t>(entry.stage)].submit_ns;
    const int64_t begin_ns = submit_ns > 0 ? std::min(entry.begin_ns, submit_ns) : entry.begin_ns;
    if (first_ns == 0 || begin_ns < first_ns) waits.before_first_ns += entry.ns;
  }
  return waits;
}

// Where to find the reason, by cluster manager.
std::string WhereToLook(const Application& application) {
  const std::string& master = application.master;
  if (master.starts_with("k8s"))
    return "`kubectl get events` and `kubectl describe pod` of the executors say why they are pending: a quota, an "
           "image that is pulled, nodes that have to start, or requests that no node can meet";
  if (master.starts_with("yarn") || application.id.starts_with("application_"))
    return "`yarn application -status` and the queue's page say what the queue has left: its capacity, its limit for a "
           "user, or containers larger than yarn.scheduler.maximum-allocation-mb";
  if (master.starts_with("spark://"))
    return "The master's page says how many cores and how much memory its workers have left: other applications hold "
           "them (spark.cores.max), or no worker has spark.executor.memory free";
  return "See the cluster manager for what executors wait for: free cores and memory, a quota, an image, or nodes that "
         "have to start";
}

constexpr double kMuchUnused = 0.4;                          // share of the executors' lifetime
constexpr int64_t kLongIdleNs = 5 * 60 * kNanosPerSecond;    // sum of all executors
constexpr int64_t kDefaultTimeoutNs = 60 * kNanosPerSecond;  // spark.dynamicAllocation.executorIdleTimeout
constexpr char kIdleTimeout[] = "spark.dynamicAllocation.executorIdleTimeout";
constexpr char kMinExecutors[] = "spark.dynamicAllocation.minExecutors";
constexpr char kCachedTimeout[] = "spark.dynamicAllocation.cachedExecutorIdleTimeout";
constexpr char kShuffleTracking[] = "spark.dynamicAllocation.shuffleTracking.enabled";
constexpr char kShuffleTimeout[] = "spark.dynamicAllocation.shuffleTracking.timeout";

struct IdleTime {
  int64_t alive_ns = 0;
  int64_t idle_ns = 0;
  int64_t after_last_task_ns = 0;  // part of idle_ns
  size_t executors = 0;
  size_t unused = 0;  // executors that never ran a task
};

IdleTime IdleTimeOf(const Application& application) {
  const TimeRange range = RangeOf(application);
  const auto concurrency = ConcurrencyOf(application);
  IdleTime idle;
  for (size_t row = 0; row < application.executors.size(); ++row) {
    const Executor& executor = application.executors[row];
    const int64_t end_ns = executor.remove_ns > 0 ? executor.remove_ns : range.end_ns;
    if (executor.id == "driver" || executor.add_ns == 0 || end_ns <= executor.add_ns) continue;
    int64_t free_since_ns = executor.add_ns;
    int64_t idle_ns = 0;
    for (const ConcurrencyStep& step : concurrency[row]) {
      if (step.running > 0) {
        idle_ns += free_since_ns > 0 ? std::max<int64_t>(0, step.time_ns - free_since_ns) : 0;
        free_since_ns = 0;
      } else {
        free_since_ns = free_since_ns > 0 ? free_since_ns : step.time_ns;
      }
    }
    const int64_t last_ns = free_since_ns > 0 ? std::max<int64_t>(0, end_ns - free_since_ns) : 0;
    ++idle.executors;
    idle.unused += concurrency[row].empty() ? 1 : 0;
    idle.alive_ns += end_ns - executor.add_ns;
    idle.idle_ns += idle_ns + last_ns;
    idle.after_last_task_ns += last_ns;
  }
  return idle;
}

std::string ChangeOf(const Application& application) {
  const int64_t timeout_ns = DurationSetting(application, kIdleTimeout).value_or(kDefaultTimeoutNs);
  std::string change;
  const auto advise = [&](const std::string& advice) { change += (change.empty() ? "" : "; ") + advice; };
  const auto least = SettingOf(application, kMinExecutors);
  if (least && *least != "0" && *least != "1") advise(fmt::format("Lower {} (now {})", kMinExecutors, *least));
  if (timeout_ns > kDefaultTimeoutNs) {
    advise(fmt::format("Set {}=60s (now {})", kIdleTimeout, *SettingOf(application, kIdleTimeout)));
  }
  if (IsEnabled(application, kShuffleTracking) && !SettingOf(application, kShuffleTimeout)) {
    advise(fmt::format("Set {} to limit how long executors are kept for their shuffle data (now without limit)",
                       kShuffleTimeout));
  }
  if (!application.cached_rdds.empty() && !SettingOf(application, kCachedTimeout)) {
    advise(fmt::format("Unpersist cached data that is no longer used, or set {} (now without limit)", kCachedTimeout));
  }
  // A shorter timeout would remove executors between two jobs, or between two commands of a person.
  if (change.empty() && (timeout_ns < kDefaultTimeoutNs || IsInteractive(application))) return {};
  if (change.empty()) advise(fmt::format("Lower {} (now {})", kIdleTimeout, FormatDuration(timeout_ns)));
  return change + ". This saves machines, not time";
}

constexpr double kMuchIdle = 0.4;  // share of core time

constexpr int64_t kLeastWaitNs = 5'000'000'000;

// Messages of the Hive metastore's client. Only a message of an end shows the duration of a wait.
constexpr std::string_view kConnecting[] = {"Trying to connect to metastore with URI",
                                            "MetaStoreClient lost connection. Attempting to reconnect"};
constexpr std::string_view kFirstConnection = "Attempting to reconnect (1 of ";
constexpr std::string_view kConnected[] = {"Connected to metastore", "Opened a connection to metastore"};

struct CatalogWaits {
  int64_t count = 0;
  int64_t wait_ns = 0;
  int64_t longest_ns = 0;
};

template <typename Words>
bool HasAny(std::string_view text, const Words& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return Contains(text, word); });
}

CatalogWaits WaitsIn(const LogRecords& logs) {
  CatalogWaits waits;
  std::map<uint32_t, int64_t> begin_ns;  // start of the wait, by source
  const std::vector<bool> of_trouble = TemplatesOfTrouble(logs);
  for (size_t row = 0; row < logs.Size(); ++row) {
    const int64_t time_ns = logs.time_ns[row];
    if (time_ns <= 0 || !of_trouble[logs.template_row[row]]) continue;
    const std::string_view text = logs.Text(row);
    if (HasAny(text, kConnecting)) {
      const auto [begin, is_new] = begin_ns.try_emplace(logs.source[row], time_ns);
      // Earlier attempts ended without a message.
      if (!is_new && Contains(text, kFirstConnection)) begin->second = time_ns;
    } else if (const auto begin = begin_ns.find(logs.source[row]);
               begin != begin_ns.end() && HasAny(text, kConnected)) {
      const int64_t wait_ns = std::max<int64_t>(0, time_ns - begin->second);
      ++waits.count;
      AddSaturated(wait_ns, &waits.wait_ns);
      waits.longest_ns = std::max(waits.longest_ns, wait_ns);
      begin_ns.erase(begin);
    }
  }
  return waits;
}

constexpr char kTaskCpus[] = "spark.task.cpus";
constexpr double kAboutOne = 1.2;  // cores used by a task
constexpr int64_t kShortTaskNs = 200'000'000;

}  // namespace

std::optional<Finding> FindExecutorWaits(const FindingInput& input) {
  const Application& application = input.application;
  const ExecutorWaits waits = WaitsOf(input);
  if (waits.ns < kLongWaitNs || Share(waits.ns, input.duration_ns) < kNoticeable) return std::nullopt;
  const bool has_none = application.ExecutorCount() == 0;
  const bool is_later = waits.before_first_ns < waits.ns / 2;
  Finding finding;
  finding.title = has_none ? fmt::format("No executor came in {}", FormatDuration(waits.ns))
                           : fmt::format("The application waits {} for executors", FormatDuration(waits.ns));
  finding.what =
      fmt::format("No executor was there for {} of {}", FormatDuration(waits.ns), FormatDuration(input.duration_ns));
  finding.evidence =
      has_none ? "a job had tasks to run, and no executor was added"
               : fmt::format("{} before the first executor, {} later, while a job had tasks to run",
                             FormatDuration(waits.before_first_ns), FormatDuration(waits.ns - waits.before_first_ns));
  if (const auto wanted = SettingOf(application, "spark.executor.instances"))
    finding.evidence += fmt::format("; spark.executor.instances={}", *wanted);
  finding.condition = fmt::format(
      "A job has tasks to run, or the driver is ready, and no executor is there for at least {} and {} of the duration",
      FormatDuration(kLongWaitNs), FormatShare(kNoticeable));
  finding.selection.executor = "driver";
  finding.change = WhereToLook(application);
  if (is_later && IsEnabled(application, kDynamic)) {
    finding.change =
        "Keep some executors between the jobs: raise spark.dynamicAllocation.minExecutors or executorIdleTimeout. " +
        finding.change;
  }
  finding.claim = ClaimWall(waits.ns, is_later ? kHalf : kSome);
  return finding;
}

std::optional<Finding> FindIdleExecutors(const FindingInput& input) {
  const Application& application = input.application;
  if (!IsEnabled(application, "spark.dynamicAllocation.enabled")) return std::nullopt;
  const IdleTime idle = IdleTimeOf(application);
  const double share = Share(idle.idle_ns, idle.alive_ns);
  if (idle.idle_ns < kLongIdleNs || share < kMuchUnused) return std::nullopt;
  const std::string change = ChangeOf(application);
  if (change.empty()) return std::nullopt;
  Finding finding;
  finding.title =
      fmt::format("Dynamic allocation keeps executors that run no task for {} of their time", FormatShare(share));
  finding.what = fmt::format("{} executors were there for {} in total, and for {} of it they ran no task",
                             idle.executors, FormatDuration(idle.alive_ns), FormatDuration(idle.idle_ns));
  finding.evidence =
      fmt::format("{} of it after the last task of an executor", FormatDuration(idle.after_last_task_ns));
  if (idle.unused > 0) {
    finding.evidence += fmt::format("; {} executor{} never ran a task", idle.unused, idle.unused == 1 ? "" : "s");
  }
  finding.condition =
      fmt::format("With dynamic allocation, executors run no task for at least {} of their lifetime and at least {}",
                  FormatShare(kMuchUnused), FormatDuration(kLongIdleNs));
  finding.selection.event = EventName(Event::kCpu);
  finding.change = change;
  return finding;
}

std::optional<Finding> FindIdleCores(const FindingInput& input) {
  const TimeSpent spent = SplitTime(input.application);
  if (spent.parts.empty()) return std::nullopt;
  const int64_t idle_ns = spent.parts.back().ns;
  const double share = Share(idle_ns, spent.core_time_ns);
  if (share < kMuchIdle || idle_ns < kWorthwhileNs) return std::nullopt;
  const int64_t without_tasks_ns = ProfileOf(input.application).time_at_ns.front();
  Finding finding;
  finding.title = fmt::format("Cores were idle for {} of core time", FormatShare(share));
  finding.is_context = true;
  finding.what = fmt::format("No task ran for {} of core time", FormatShare(share));
  finding.evidence =
      fmt::format("{} of {} core time idle; for {} of {} no task ran at all and only the driver was active",
                  FormatDuration(idle_ns), FormatDuration(spent.core_time_ns), FormatDuration(without_tasks_ns),
                  FormatDuration(input.duration_ns));
  finding.condition =
      fmt::format("No task runs for at least {} of core time (cores of the executors times their lifetime)",
                  FormatShare(kMuchIdle));
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.executor = "driver";
  finding.change =
      Share(without_tasks_ns, input.duration_ns) > share / 2
          ? fmt::format(
                "Much of this time is in the driver between jobs: {}run independent jobs in parallel, collect less "
                "data, or use fewer {}",
                HasSamples(input.application) ? "check the driver's flame graph, " : "",
                IsLocal(input.application) ? "cores" : "executors")
          : fmt::format("Stages have fewer tasks than cores, or a few long tasks: use more partitions or fewer {}",
                        IsLocal(input.application) ? "cores" : "executors");
  return finding;
}

std::optional<Finding> FindCatalogWaits(const FindingInput& input) {
  const CatalogWaits waits = WaitsIn(input.application.logs);
  if (waits.wait_ns < kLeastWaitNs) return std::nullopt;
  const double share = Share(waits.wait_ns, input.duration_ns);
  if (!input.IsExcerpt() && share < kNoticeable) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Waiting for the Hive metastore takes {}", FormatDuration(waits.wait_ns));
  finding.what = fmt::format("By the logs, connecting to the Hive metastore took {} in {}",
                             FormatDuration(waits.wait_ns), Counted(waits.count, "wait"));
  finding.evidence = fmt::format("the longest took {}; each from the first attempt to the connection",
                                 FormatDuration(waits.longest_ns));
  finding.condition = fmt::format(
      "By the logs, connecting to the Hive metastore takes at least {}, and {} of the duration unless the logs are an "
      "excerpt",
      FormatDuration(kLeastWaitNs), FormatShare(kNoticeable));
  finding.selection.event = EventName(Event::kWall);
  finding.selection.executor = "driver";
  finding.change =
      "Check the load of the metastore and of its database, and the network to it. Name several metastores "
      "(spark.hadoop.hive.metastore.uris), and ask for fewer partitions and tables at once";
  if (!input.IsExcerpt()) finding.claim = ClaimWall(std::min(waits.wait_ns, input.duration_ns), kSome);
  return finding;
}

std::optional<Finding> FindTaskCpus(const FindingInput& input) {
  const Application& application = input.application;
  const int64_t cpus = ParseInteger(SettingOf(application, kTaskCpus).value_or("1")).value_or(1);
  if (cpus < 2 || cpus > input.cores) return std::nullopt;
  int64_t cpu_ns = 0, task_ns = 0, wall_ns = 0;
  Finding finding;
  for (size_t row = 0; row < application.stages.size(); ++row) {
    const Stage& stage = application.stages[row];
    const StageSummary& summary = input.stages[row];
    // Libraries and engines start their own threads, and without samples the CPU time of Python is unknown.
    const bool is_unknown = UsesPython(application, stage, summary) && summary.python_samples.empty();
    if (is_unknown || !WorkOf(input, stage).library.empty() || RunsOnOtherEngine(application, stage)) continue;
    if (static_cast<int64_t>(summary.tasks.size()) <= input.cores / cpus) continue;
    if (summary.Of(TaskMetric::kDuration).p50 < kShortTaskNs) continue;  // mostly startup
    AddSaturated(summary.Total(TaskMetric::kExecutorCpuTime) + WorkOfPython(application, summary).all_cpu_ns, &cpu_ns);
    AddSaturated(summary.Total(TaskMetric::kDuration), &task_ns);
    wall_ns += summary.wall_ns;
    finding.stages.push_back(stage.id);
  }
  const double used = Share(cpu_ns, task_ns);
  if (cpu_ns == 0 || used > kAboutOne) return std::nullopt;
  const int64_t saved_ns = wall_ns - wall_ns / cpus;
  if (saved_ns < kWorthwhileNs || Share(saved_ns, input.duration_ns) < kNoticeable) return std::nullopt;
  finding.title = fmt::format("Each task reserves {} cores and uses {:.1f}", cpus, used);
  finding.what = fmt::format("With {}={}, {} run {} at once, although more wait", kTaskCpus, cpus,
                             Counted(input.cores, "core"), Counted(input.cores / cpus, "task"));
  finding.evidence = fmt::format("{} of CPU time in {} of task time; stages with more tasks than that take {}",
                                 FormatDuration(cpu_ns), FormatDuration(task_ns), FormatDuration(wall_ns));
  finding.condition = fmt::format(
      "{} is at least 2, tasks use at most {:.1f} cores, and stages with more tasks than run at once would take at "
      "least {} of the duration less with a core for each; not those of libraries and of engines with threads of their "
      "own",
      kTaskCpus, kAboutOne, FormatShare(kNoticeable));
  finding.selection.event = EventName(Event::kCpu);
  finding.change = fmt::format("Set {}=1, unless code of the tasks starts threads of its own", kTaskCpus);
  finding.claim = ClaimStages(input, finding.stages, saved_ns, kMost);
  return finding;
}

}  // namespace sparkprof

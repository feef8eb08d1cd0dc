// SPDX-License-Identifier: Apache-2.0
#include "analysis/owners/sample_owners.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr std::string_view kDriverProgram = "driver program", kUnknownTasks = "tasks of unknown stages";

std::string_view WorkOf(ThreadKind kind) {
  if (kind == ThreadKind::kGc) return kGarbageCollection;
  if (kind == ThreadKind::kJit) return "JIT compiler";
  return kind == ThreadKind::kVm ? "JVM" : "";
}

struct NamedWork {
  std::string_view thread;  // part of the thread's name
  std::string_view work;
};

constexpr std::string_view kScheduler = "scheduler and RPC", kBlocks = "shuffle and block transfer",
                           kHeartbeats = "heartbeats and metrics", kEventBus = "event bus", kLogs = "log writing",
                           kUi = "web UI", kCleaner = "cleanup";

// Threads of Spark 3.1 to 4.3 and of its dependencies; the first match counts.
constexpr NamedWork kThreads[] = {
    {"sparkprof", "sparkprof"},
    {"spark-listener-group-", kEventBus},
    {"element-tracking-store", kEventBus},
    {"dag-scheduler", kScheduler},
    {"task-result-getter", kScheduler},
    {"task-scheduler", kScheduler},
    {"task-starvation", kScheduler},
    {"dispatcher-", kScheduler},
    {"netty-rpc", kScheduler},
    {"rpc-", kScheduler},
    {"map-output-", kScheduler},
    {"driver-revive", kScheduler},
    {"executor-allocation", kScheduler},
    {"QueryStageCreator", kScheduler},
    {"ResultQueryStage", kScheduler},
    {"shuffle-exchange", kScheduler},
    {"CoarseGrained", kScheduler},
    {"heartbeat", kHeartbeats},
    {"executor-heartb", kHeartbeats},
    {"driver-heartb", kHeartbeats},
    {"metrics-", kHeartbeats},
    {"Timer-", kHeartbeats},
    {"shuffle-server", kBlocks},
    {"shuffle-client", kBlocks},
    {"shuffle-boss", kBlocks},
    {"files-client", kBlocks},
    {"files-server", kBlocks},
    {"block-manager", kBlocks},
    {"BlockManager", kBlocks},
    {"IPC Client", kBlocks},
    {"DataStreamer", kBlocks},
    {"ResponseProcessor", kBlocks},
    {"s3a-transfer", kBlocks},
    {"Spark Context Cleaner", kCleaner},
    {"StatisticsDataReferenceCleaner", kCleaner},
    {"shutdown-hook", kCleaner},
    {"RemoteBlock-temp", kCleaner},
    {"context-cleaner", kCleaner},
    {"SparkUI", kUi},
    {"qtp", kUi},
    {"HistoryServer", kUi},
    {"Log4j2", kLogs},
    {"AsyncAppender", kLogs},
    {"stdout writer", kLogs},
    {"stdout reader", kLogs},
    {"stderr reader", kLogs},
    {"stderr writer", kLogs},
    {"state-store-maintenance", "state store maintenance"},
};

}  // namespace

std::string_view OwnerKindName(OwnerKind kind) {
  constexpr std::string_view kNames[] = {"task", "driver", "background"};
  return kNames[static_cast<size_t>(kind)];
}

OwnerName OwnerOfStage(int64_t stage, int64_t attempt) {
  return {OwnerKind::kTask, fmt::format("stage {}.{}", stage, std::max<int64_t>(0, attempt))};
}

OwnerName OwnerOfThreadName(std::string_view name) {
  const ThreadKind kind = KindOfThreadName(name);
  if (kind == ThreadKind::kTask) return {OwnerKind::kTask, std::string(kUnknownTasks)};
  std::string_view work = WorkOf(kind);
  if (work.empty()) work = BackgroundWorkOf(name);
  return {OwnerKind::kBackground, work.empty() ? "thread " + MaskNumbers(name) : std::string(work)};
}

SampleOwners::SampleOwners(const Application& application)
    : application_(application), kinds_(KindsOfThreads(application)), stack_kinds_(KindsOfStacks(application)) {
  for (const SqlExecution& query : application.sql_executions) {
    if (query.start_ns > 0) queries_.push_back(&query);
  }
  std::ranges::sort(queries_, [](const SqlExecution* a, const SqlExecution* b) {
    return std::pair(a->start_ns, a->id) < std::pair(b->start_ns, b->id);
  });
  for (size_t row = 0; row < application.executors.size(); ++row) {
    if (application.executors[row].id == "driver") driver_ = static_cast<int32_t>(row);
  }
}

OwnerName SampleOwners::OfTask(const Sample& sample) const {
  const ProfileTask& task = application_.profile.tasks[sample.task];
  if (task.stage < 0) return {OwnerKind::kTask, std::string(kUnknownTasks)};
  return OwnerOfStage(task.stage, task.stage_attempt);
}

OwnerName SampleOwners::OfDriver(const Sample& sample) const {
  // The last started of several concurrent queries counts: nested queries, and queries in a program's loop.
  const SqlExecution* running = nullptr;
  const int64_t bucket_end_ns = sample.time_ns + application_.profile.bucket_ns;
  const auto after = std::partition_point(queries_.begin(), queries_.end(),
                                          [&](const SqlExecution* query) { return query->start_ns < bucket_end_ns; });
  constexpr ptrdiff_t kMaxAtOnce = 64;
  for (auto query = after; query != queries_.begin() && after - query < kMaxAtOnce && running == nullptr;) {
    --query;
    if ((*query)->end_ns == 0 || (*query)->end_ns >= sample.time_ns) running = *query;
  }
  return {OwnerKind::kDriver, running == nullptr ? std::string(kDriverProgram) : fmt::format("query {}", running->id)};
}

std::optional<OwnerName> SampleOwners::OfJvm(const Sample& sample) const {
  if (sample.task != 0) return OfTask(sample);
  const ProfileThread& thread = application_.profile.threads[sample.thread];
  // The VM thread also collects garbage.
  const bool is_collection = stack_kinds_[sample.stack] == StackKind::kGc;
  std::string_view work = WorkOf(is_collection ? ThreadKind::kGc : kinds_[sample.thread]);
  if (work.empty()) work = BackgroundWorkOf(thread.name);
  if (!work.empty()) return OwnerName(OwnerKind::kBackground, work);
  if (kinds_[sample.thread] == ThreadKind::kTask) {
    return OwnerName(OwnerKind::kBackground, "task threads between tasks");
  }
  if (sample.thread == 0) return std::nullopt;
  if (thread.executor == driver_ && driver_ >= 0) return OfDriver(sample);
  if (thread.name.empty()) return std::nullopt;
  return OwnerOfThreadName(thread.name);
}

std::string_view BackgroundWorkOf(std::string_view thread_name) {
  for (const NamedWork& named : kThreads) {
    if (MatchesThreadName(thread_name, named.thread)) return named.work;
  }
  return {};
}

}  // namespace sparkprof

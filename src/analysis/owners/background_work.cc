// SPDX-License-Identifier: Apache-2.0
#include "analysis/owners/sample_owners.h"
#include "analysis/selection/threads.h"

namespace sparkprof {
namespace {

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

std::string_view BackgroundWorkOf(std::string_view thread_name) {
  for (const NamedWork& named : kThreads) {
    if (MatchesThreadName(thread_name, named.thread)) return named.work;
  }
  return {};
}

}  // namespace sparkprof

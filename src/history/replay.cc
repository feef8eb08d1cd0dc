// SPDX-License-Identifier: Apache-2.0
#include "history/replay.h"

#include "event_log/event_parser.h"

namespace sparkprof {
namespace {

struct Row {
  std::string_view event;
  bool (*replay)(const simdjson::dom::object& event, Replay* replay);
};

// Spark before 3.1 calls excluded executors blacklisted.
constexpr Row kRows[] = {
    {"SparkListenerStageSubmitted", ReplayStageSubmitted},
    {"SparkListenerStageCompleted", ReplayStageCompleted},
    {"SparkListenerJobStart", ReplayJobStart},
    {"SparkListenerJobEnd", ReplayJobEnd},
    {"SparkListenerBlockUpdated", ReplayBlockUpdated},
    {"SparkListenerStageExecutorMetrics", ReplayStageExecutorMetrics},
    {"SparkListenerDriverAccumUpdates", ReplaySqlDriverUpdates},
    {"SparkListenerSQLExecutionStart", ReplaySqlStart},
    {"SparkListenerSQLExecutionEnd", ReplaySqlEnd},
    {"SparkListenerSQLAdaptiveExecutionUpdate", ReplaySqlAdaptiveUpdate},
    {"SparkListenerSQLAdaptiveSQLMetricUpdates", ReplaySqlAdaptiveMetrics},
    {"SparkListenerExecutorAdded", ReplayExecutorAdded},
    {"SparkListenerExecutorRemoved", ReplayExecutorRemoved},
    {"SparkListenerBlockManagerAdded", ReplayBlockManagerAdded},
    {"SparkListenerUnpersistRDD", ReplayUnpersist},
    {"SparkListenerExecutorExcluded", ReplayExecutorExcluded},
    {"SparkListenerExecutorBlacklisted", ReplayExecutorExcluded},
    {"SparkListenerExecutorUnexcluded", ReplayExecutorUnexcluded},
    {"SparkListenerExecutorUnblacklisted", ReplayExecutorUnexcluded},
    {"SparkListenerNodeExcluded", ReplayNodeExcluded},
    {"SparkListenerNodeBlacklisted", ReplayNodeExcluded},
    {"SparkListenerNodeUnexcluded", ReplayNodeUnexcluded},
    {"SparkListenerNodeUnblacklisted", ReplayNodeUnexcluded},
    {"SparkListenerExecutorExcludedForStage", ReplayExecutorExcludedForStage},
    {"SparkListenerExecutorBlacklistedForStage", ReplayExecutorExcludedForStage},
    {"SparkListenerNodeExcludedForStage", ReplayNodeExcludedForStage},
    {"SparkListenerNodeBlacklistedForStage", ReplayNodeExcludedForStage},
    {"SparkListenerMiscellaneousProcessAdded", ReplayProcessAdded},
    {"SparkListenerResourceProfileAdded", ReplayResourceProfile},
    {"SparkListenerConnectSessionStarted", ReplayConnectSessionStarted},
    {"SparkListenerConnectSessionClosed", ReplayConnectSessionClosed},
    {"SparkListenerConnectOperationStarted", ReplayConnectOperationStarted},
    {"SparkListenerConnectOperationCanceled", ReplayConnectOperationFinished},
    {"SparkListenerConnectOperationFailed", ReplayConnectOperationFinished},
    {"SparkListenerConnectOperationFinished", ReplayConnectOperationFinished},
    {"SparkListenerConnectOperationClosed", ReplayConnectOperationClosed},
    {"SparkListenerEnvironmentUpdate", ReplayEnvironment},
    {"SparkListenerLogStart", ReplayLogStart},
    {"SparkListenerApplicationStart", ReplayApplicationStart},
    {"SparkListenerApplicationEnd", ReplayApplicationEnd},
};

}  // namespace

bool ReplayEvent(const simdjson::dom::object& event, Replay* replay) {
  const std::string_view name = EventName(event);
  for (const Row& row : kRows) {
    if (row.event == name) return row.replay(event, replay);
  }
  if (!IsTaskEvent(name)) return true;
  TaskEvent task;
  if (!ReadTaskEvent(name, event, &replay->history->strings, &task)) return false;
  ReplayTask(task, replay);
  return true;
}

void FinishReplay(Replay* replay) {
  FinishScheduler(replay);
  FinishSql(replay);
}

}  // namespace sparkprof

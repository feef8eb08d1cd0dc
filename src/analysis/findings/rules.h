// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rules include this header for the language, texts, times, plans and the vocabulary of findings.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/log_values.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/plans/plan_text.h"
#include "analysis/selection/known_parts.h"
#include "analysis/selection/spark_settings.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/time_spent.h"
#include "base/saturate.h"
#include "base/share.h"
#include "base/text/contains.h"
#include "base/text/text.h"
#include "base/time.h"
#include "model/plan_operators.h"
#include "profiles/frame_origin.h"

namespace sparkprof {

// To add a rule, define a function in the file of its subject, declare it here, add a line to a table below, and
// describe it in docs/findings.md.
StageRule FindSkew, FindStragglers, FindGcPressure, FindSpills, FindSleep, FindLockWaits, FindRepeatedInit,
    FindWorkerStarts, FindZipReads, FindPythonBoundStages, FindHotFrames, FindCostlyFunctions, FindWindowFrames,
    FindCompression, FindFetchWaits, FindEngineRetries, FindSchedulerDelays, FindEmptyPartitions, FindTinyTasks,
    FindLargeResults, FindCpuStarvation, FindLargePartitions, FindSerialization, FindFewPartitions, FindLargeClosures,
    FindSpeculativeWaste, FindFailedWork;
ApplicationRule FindGcAtStart, FindFailedQueries, FindOutOfMemory, FindSleepInRecords, FindGcOfProcesses,
    FindLargeFetches, FindGrowingWorkers, FindPythonMemory, FindProgramMemory, FindDriverGaps, FindExplodingJoins,
    FindPythonInLogs, FindWorkerStartsInLogs, FindSpillsInLogs, FindSmallFilesInLogs, FindOutputFilesInLogs,
    FindPickledRows, FindSmallArrowBatches, FindSmallFiles, FindRepeatedLogs, FindLargeBroadcasts, FindBroadcastsInLogs,
    FindBroadcastableJoins, FindUnpushedFilters, FindUnprunedPartitions, FindWideDecimals, FindRepeatedParsing,
    FindRepeatedReads, FindRepeatedFeatures, FindRepeatedBatches, FindReshuffledCaches, FindGroupedRows, FindFullSorts,
    FindReadsInLogs, FindSchemaInference, FindUnitedFiles, FindFileListing, FindManyOutputFiles, FindDeleteFiles,
    FindRepeatedChanges, FindLibraryWork, FindQueryPlanning, FindJobLoops, FindSerialQueries, FindUnusedCaches,
    FindWideCaches, FindEvictedCaches, FindStreamingBehind, FindSlowStateStores, FindStreamOverhead, FindTriggerWaits,
    FindRewrittenOutput, FindSlowBatches, FindSlowSinks, FindDroppedEvents, FindUnusedMemory, FindWastedCompression,
    FindFullDisks, FindLowMemory, FindWarmUp, FindIdleCores, FindTaskCpus, FindExecutorWaits, FindCatalogWaits,
    FindIdleExecutors, FindLostExecutors, FindLostDriver, FindStoreThrottling, FindOtherFailures, FindOutlierHosts;

// A rule and the data that it needs. Rules about all executors need the driver, because the executors' data alone do
// not show all of them; rules that compare times with the run need the whole run.
struct NamedStageRule {
  const char* id;
  StageRule* find;
  RuleLevel level = RuleLevel::kCause;
  RuleNeed need = RuleNeed::kWholeStages;
};
struct NamedApplicationRule {
  const char* id;
  ApplicationRule* find;
  RuleLevel level = RuleLevel::kCause;
  RuleNeed need = RuleNeed::kTasks;
};

inline constexpr NamedStageRule kStageRules[] = {
    {"skew", FindSkew},
    {"straggler", FindStragglers, RuleLevel::kShape},
    {"gc", FindGcPressure, RuleLevel::kPart, RuleNeed::kTaskMetrics},
    {"spill", FindSpills, RuleLevel::kPart, RuleNeed::kTaskMetrics},
    {"sleep", FindSleep, RuleLevel::kPart},
    {"lock", FindLockWaits, RuleLevel::kPart, RuleNeed::kCpuSamples},
    {"repeated-init", FindRepeatedInit},
    {"repeated-init", FindWorkerStarts},
    {"zip-reads", FindZipReads, RuleLevel::kPart, RuleNeed::kCpuSamples},
    {"python-bound", FindPythonBoundStages, RuleLevel::kPart},
    {"hot", FindHotFrames, RuleLevel::kCause, RuleNeed::kCpuSamples},
    {"hot", FindCostlyFunctions},
    {"window-frame", FindWindowFrames},
    {"compression", FindCompression},
    {"fetch-wait", FindFetchWaits, RuleLevel::kPart, RuleNeed::kTaskMetrics},
    {"engine-retries", FindEngineRetries},
    {"scheduler-delay", FindSchedulerDelays, RuleLevel::kPart},
    {"empty-partitions", FindEmptyPartitions, RuleLevel::kShape, RuleNeed::kTaskMetrics},
    {"tiny-tasks", FindTinyTasks, RuleLevel::kShape},
    {"large-result", FindLargeResults, RuleLevel::kShape},
    {"cpu-starved", FindCpuStarvation, RuleLevel::kPart, RuleNeed::kCpuSamples},
    {"few-partitions", FindFewPartitions, RuleLevel::kShape, RuleNeed::kWholeRun},
    {"large-partitions", FindLargePartitions, RuleLevel::kPart},
    {"serialization", FindSerialization},
    {"large-closure", FindLargeClosures},
    {"speculation", FindSpeculativeWaste},
    {"failed-work", FindFailedWork, RuleLevel::kCause, RuleNeed::kTasks}};
inline constexpr NamedApplicationRule kApplicationRules[] = {
    {"failed-work", FindFailedQueries},
    {"oom", FindOutOfMemory},
    {"sleep", FindSleepInRecords, RuleLevel::kPart},
    {"gc", FindGcOfProcesses, RuleLevel::kPart},
    {"gc", FindGcAtStart, RuleLevel::kPart, RuleNeed::kTaskMetrics},
    {"large-result", FindLargeFetches, RuleLevel::kShape},
    {"worker-growth", FindGrowingWorkers, RuleLevel::kCause, RuleNeed::kProcessMetrics},
    {"python-memory", FindPythonMemory, RuleLevel::kCause, RuleNeed::kProcessMetrics},
    {"python-memory", FindProgramMemory, RuleLevel::kCause, RuleNeed::kProcessMetrics},
    {"driver-gap", FindDriverGaps, RuleLevel::kPart, RuleNeed::kWholeRun},
    {"exploding-join", FindExplodingJoins},
    {"small-files", FindSmallFiles},
    {"repeated-init", FindRepeatedLogs},
    {"repeated-init", FindWorkerStartsInLogs},
    {"python-bound", FindPythonInLogs, RuleLevel::kPart},
    {"spill", FindSpillsInLogs, RuleLevel::kPart},
    {"small-files", FindSmallFilesInLogs},
    {"many-output-files", FindOutputFilesInLogs},
    {"pickled-rows", FindPickledRows},
    {"small-arrow-batches", FindSmallArrowBatches},
    {"large-broadcast", FindLargeBroadcasts},
    {"large-broadcast", FindBroadcastsInLogs},
    {"broadcastable-join", FindBroadcastableJoins},
    {"unpushed-filter", FindUnpushedFilters},
    {"unpruned-partitions", FindUnprunedPartitions},
    {"wide-decimals", FindWideDecimals},
    {"repeated-parsing", FindRepeatedParsing},
    {"repeated-read", FindRepeatedReads, RuleLevel::kShape},
    {"repeated-features", FindRepeatedFeatures},
    {"repeated-read", FindRepeatedBatches, RuleLevel::kShape},
    {"repeated-read", FindReadsInLogs, RuleLevel::kShape},
    {"grouped-rows", FindGroupedRows},
    {"reshuffled-cache", FindReshuffledCaches},
    {"full-sort", FindFullSorts},
    {"schema-inference", FindSchemaInference},
    {"united-files", FindUnitedFiles},
    {"file-listing", FindFileListing},
    {"many-output-files", FindManyOutputFiles},
    {"delete-files", FindDeleteFiles},
    {"repeated-changes", FindRepeatedChanges},
    {"library-work", FindLibraryWork},
    {"query-planning", FindQueryPlanning},
    {"job-loop", FindJobLoops, RuleLevel::kCause, RuleNeed::kWholeRun},
    {"serial-queries", FindSerialQueries, RuleLevel::kShape, RuleNeed::kWholeRun},
    {"unused-cache", FindUnusedCaches},
    {"wide-cache", FindWideCaches},
    {"evicted-cache", FindEvictedCaches, RuleLevel::kShape},
    {"streaming-behind", FindStreamingBehind, RuleLevel::kPart},
    {"state-store", FindSlowStateStores},
    {"stream-overhead", FindStreamOverhead},
    {"slow-sink", FindSlowSinks},
    {"trigger-wait", FindTriggerWaits},
    {"rewritten-output", FindRewrittenOutput},
    {"slow-batch", FindSlowBatches, RuleLevel::kShape},
    {"dropped-events", FindDroppedEvents, RuleLevel::kCause, RuleNeed::kDriver},
    {"unused-memory", FindUnusedMemory},
    {"low-memory", FindLowMemory, RuleLevel::kPart},
    {"ineffective-compression", FindWastedCompression},
    {"disk-full", FindFullDisks, RuleLevel::kCause, RuleNeed::kProcessMetrics},
    {"warm-up", FindWarmUp, RuleLevel::kCause, RuleNeed::kCpuSamples},
    {"idle-cores", FindIdleCores, RuleLevel::kCause, RuleNeed::kWholeRun},
    {"task-cpus", FindTaskCpus, RuleLevel::kCause, RuleNeed::kTaskMetrics},
    {"waiting-for-executors", FindExecutorWaits, RuleLevel::kCause, RuleNeed::kWholeRun},
    {"catalog-wait", FindCatalogWaits, RuleLevel::kPart},
    {"idle-executors", FindIdleExecutors, RuleLevel::kCause, RuleNeed::kWholeRun},
    {"lost-executors", FindLostExecutors, RuleLevel::kCause, RuleNeed::kDriver},
    {"lost-driver", FindLostDriver},
    {"store-throttling", FindStoreThrottling},
    {"failure", FindOtherFailures},
    {"outlier-host", FindOutlierHosts, RuleLevel::kCause, RuleNeed::kCpuSamples}};

// Smaller savings are not reported.
inline constexpr int64_t kWorthwhileNs = 500'000'000;
inline constexpr double kNoticeable = 0.05;  // share of the application's duration
inline constexpr double kMuchOfTime = 0.1;   // share of task time, or of the driver's time
inline constexpr double kMuchOfCode = 0.2;   // share of CPU time, for code without purpose
inline constexpr double kMostOfCode = 0.3;   // share of CPU time, for code that may have a purpose

// Risks of findings, on the scale of expected shares.
inline constexpr double kRiskAtLimit = 0.05;   // memory reached its limit once
inline constexpr double kRiskOfGrowth = 0.02;  // memory grows towards a limit, or work was repeated

const WorkName& WorkOf(const FindingInput& input, const Stage& stage);

// True if the smaller number is at least 90% of the larger one.
bool AreAlike(int64_t a, int64_t b);

// From the first launch to the last finish of a stage's tasks; without a duration if unknown.
TimeRange TaskSpan(const FindingInput& input, const StageSummary& stage);

// Claims time of the tasks of a stage, or of all stages of a group.
Claim ClaimTasks(const FindingInput& input, const StageSummary& summary, int64_t task_time_ns, const Removal& removal,
                 std::optional<AccountPart> part = std::nullopt);

// Claims wall-clock time of stages (IDs), as the same share of the time of all tasks; the driver has the rest.
Claim ClaimStages(const FindingInput& input, const std::vector<int64_t>& stages, int64_t wall_ns,
                  const Removal& removal);

// Claims wall-clock time of the driver, or of unknown tasks.
Claim ClaimWall(int64_t wall_ns, const Removal& removal);

// The wall-clock time that corresponds to `task_time_ns` of a stage's tasks if they were spread evenly over all cores.
int64_t WallTimeOf(const FindingInput& input, const StageSummary& stage, int64_t task_time_ns);

// The task time that corresponds to `cpu_ns` of the stage's CPU samples, including waits for a CPU.
int64_t TimeOfCpuSamples(const StageSummary& stage, int64_t cpu_ns);

// The stage's gain if its work were spread evenly over all cores; at most `most_ns`.
int64_t GainOfBalance(const FindingInput& input, const StageSummary& stage, int64_t most_ns);

}  // namespace sparkprof

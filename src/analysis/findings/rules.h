// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/selection/known_parts.h"

namespace sparkprof {

// To add a rule, create a file in this folder that defines one of these functions, and add a line to a table below.
StageRule FindSkew;                      // a few tasks have far more data than the others of their stage
StageRule FindStragglers;                // one task is far slower than the others, with about the same data
StageRule FindGcPressure;                // GC takes much of the task time
ApplicationRule FindGcAtStart;           // GC takes much of all tasks' time, most of it when executors start
StageRule FindSpills;                    // execution memory does not hold the data of a task
StageRule FindSleep;                     // tasks sleep or wait, in the JVM or in Python
StageRule FindLockWaits;                 // tasks wait for a lock
StageRule FindRepeatedInit;              // tasks build the same object or import the same modules again and again
StageRule FindWorkerStarts;              // tasks start Python workers that import their modules, without samples
StageRule FindZipReads;                  // PySpark reads its zip file again in each task
StageRule FindPythonBoundStages;         // tasks wait for Python code that computes
StageRule FindHotFrames;                 // one function of the user is most of a stage's CPU
StageRule FindCostlyFunctions;           // functions of SQL are most of a stage's CPU time, by its plan
StageRule FindWindowFrames;              // a window computes its frame again for each row
StageRule FindCompression;               // compressing data takes much of the CPU time
StageRule FindFetchWaits;                // tasks wait for blocks of the shuffle
StageRule FindEngineRetries;             // the memory of a GPU is full: tasks compute again and move data out
StageRule FindSchedulerDelays;           // sending tasks and fetching results takes much of the task time
StageRule FindEmptyPartitions;           // many tasks get no record
StageRule FindTinyTasks;                 // starting a task costs more than its work
StageRule FindLargeResults;              // tasks send much data to the driver
StageRule FindCpuStarvation;             // tasks are runnable, but no core is free
StageRule FindLargePartitions;           // tasks read far more data than Spark's defaults give them
StageRule FindSerialization;             // tasks serialize objects with Java's serialization
StageRule FindFewPartitions;             // a long stage has fewer tasks than cores
StageRule FindLargeClosures;             // tasks read large functions and the data that these refer to
StageRule FindSpeculativeWaste;          // copies of tasks that did not finish first
StageRule FindFailedWork;                // tasks and stages that failed, and what that cost
ApplicationRule FindFailedQueries;       // a query fails outside its tasks
ApplicationRule FindOutOfMemory;         // a heap, a container or a worker's memory was too small
ApplicationRule FindSleepInRecords;      // task threads or Python workers sleep, by records without task metrics
ApplicationRule FindGcOfProcesses;       // GC takes much of a JVM's time, by records without tasks
ApplicationRule FindLargeFetches;        // the driver's Python program fetches large data from its JVM
ApplicationRule FindGrowingWorkers;      // a Python worker's memory grows much
ApplicationRule FindPythonMemory;        // a line of Python holds much memory, by allocation samples
ApplicationRule FindProgramMemory;       // likewise in the driver's Python program
ApplicationRule FindDriverGaps;          // no job runs while the driver program computes
ApplicationRule FindExplodingJoins;      // a join returns many times the rows that it reads
ApplicationRule FindPythonInLogs;        // Python workers run for most of the tasks' time, by text logs
ApplicationRule FindWorkerStartsInLogs;  // starting Python workers takes much of their time, by text logs
ApplicationRule FindSpillsInLogs;        // execution memory does not hold the data of a task, by text logs
ApplicationRule FindSmallFilesInLogs;    // scans read many small files, by text logs
ApplicationRule FindOutputFilesInLogs;   // tasks write many small files, by text logs
ApplicationRule FindPickledRows;         // a Python function gets many rows without Arrow
ApplicationRule FindSmallArrowBatches;   // Python workers get few rows at once
ApplicationRule FindSmallFiles;          // a scan reads many small files
ApplicationRule FindRepeatedLogs;        // the executors' logs repeat an initialization
ApplicationRule FindLargeBroadcasts;     // a join sends a large table to every executor
ApplicationRule FindBroadcastsInLogs;    // the driver sends much to every executor, by text logs
ApplicationRule FindBroadcastableJoins;  // a join shuffles a large input to join a small one
ApplicationRule FindUnpushedFilters;     // a scan reads rows that a filter drops
ApplicationRule FindUnprunedPartitions;  // a scan reads all partitions of a table for a filter
ApplicationRule FindWideDecimals;        // a query uses decimals beyond 64 bits without need
ApplicationRule FindRepeatedParsing;     // a query parses the same text again for each column
ApplicationRule FindRepeatedReads;       // queries read the same data without a cache
ApplicationRule FindRepeatedFeatures;    // fits of models compute the features of the same rows again and again
ApplicationRule FindRepeatedBatches;     // a streaming query computes a batch, or reads a table, again and again
ApplicationRule FindReshuffledCaches;    // rounds of a program shuffle the same cached RDD again
ApplicationRule FindGroupedRows;         // an RDD brings all rows of each key to one task for a small result
ApplicationRule FindFullSorts;           // jobs sort an RDD, and read a small part of it
ApplicationRule FindReadsInLogs;         // tasks read the same files again, by text logs
ApplicationRule FindSchemaInference;     // jobs read files to find out their columns and types
ApplicationRule FindUnitedFiles;         // a query unites many reads of single files in one folder
ApplicationRule FindFileListing;         // jobs list the folders of sources
ApplicationRule FindManyOutputFiles;     // a query writes many small files, or its commit takes long
ApplicationRule FindDeleteFiles;         // a scan of an Iceberg table applies many delete files, or takes long to plan
ApplicationRule FindRepeatedChanges;     // many commands change rows of the same table
ApplicationRule FindLibraryWork;         // an operation of a library takes much of the time
ApplicationRule FindQueryPlanning;       // the driver plans and compiles large queries
ApplicationRule FindJobLoops;            // a loop of the program runs many short jobs
ApplicationRule FindSerialQueries;       // queries that could run at the same time run one after another
ApplicationRule FindUnusedCaches;        // cached data that nobody reads
ApplicationRule FindWideCaches;          // a cache keeps many columns that nobody reads
ApplicationRule FindEvictedCaches;       // cached data does not fit into memory
ApplicationRule FindStreamingBehind;     // rows arrive faster than batches process them
ApplicationRule FindSlowStateStores;     // the state of a streaming query takes much of its batches
ApplicationRule FindStreamOverhead;      // a streaming query finds data, plans and commits for much of its batches
ApplicationRule FindTriggerWaits;        // a streaming query waits for its trigger while its source has rows
ApplicationRule FindRewrittenOutput;     // each batch of a streaming query writes the output of all batches again
ApplicationRule FindSlowBatches;         // a batch of a streaming query takes far longer than the median batch
ApplicationRule FindSlowSinks;           // the driver writes the rows of a streaming query for much of its batches
ApplicationRule FindDroppedEvents;       // the input lacks events that Spark dropped
ApplicationRule FindUnusedMemory;        // heaps are far larger than their contents
ApplicationRule FindWastedCompression;   // shuffle blocks are as large as their rows
ApplicationRule FindFullDisks;           // the disk for shuffles and spills is almost full
ApplicationRule FindLowMemory;           // heaps that are full, and containers that are close to their limit
ApplicationRule FindWarmUp;              // a short application compiles and loads classes
ApplicationRule FindIdleCores;           // executors have nothing to run
ApplicationRule FindTaskCpus;            // tasks reserve more cores than they use
ApplicationRule FindExecutorWaits;       // the application waits for executors
ApplicationRule FindCatalogWaits;        // the program waits for the Hive metastore
ApplicationRule FindIdleExecutors;       // dynamic allocation keeps executors without tasks
ApplicationRule FindLostExecutors;       // executors removed neither by dynamic allocation nor by decommissioning
ApplicationRule FindLostDriver;          // the driver ended without an application end event
ApplicationRule FindStoreThrottling;     // a store or a catalog rejects too many requests
ApplicationRule FindOtherFailures;       // a text describes a known failure without another finding
ApplicationRule FindOutlierHosts;        // a host runs different code from the others

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

// 0 if `whole` is 0.
double Share(int64_t part, int64_t whole);

// True if the smaller number is at least 90% of the larger one.
bool AreAlike(int64_t a, int64_t b);

// From the first launch to the last finish of a stage's tasks; 0 if unknown.
int64_t TaskSpan(const FindingInput& input, const StageSummary& stage, int64_t* begin_ns, int64_t* end_ns);

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

// SPDX-License-Identifier: Apache-2.0
// Wordings from the sources of Spark 1.0 to 4.1: SparkContext, DAGScheduler, TaskSetManager, TaskSchedulerImpl,
// Executor, CoarseGrainedExecutorBackend, CoarseGrainedSchedulerBackend, StandaloneSchedulerBackend, HeartbeatReceiver.
#include "text_log/known_messages.h"

namespace sparkprof {
namespace {

using enum MessageKind;

constexpr const char* kStartingTask =
    "Starting task <*> in stage <*> (TID <*>) (<*>, executor <*>, partition <*>, <*>, <*> bytes)";

// clang-format off
constexpr KnownMessage kMessages[] = {
    // TaskSetManager. 3.1 and later close the parenthesis after the TID; 2.1 and later name the executor.
    {kTaskLaunched, "Starting task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}) ({host}, executor {executor}, partition {partition#}, {locality}, {bytes#} bytes) taskResourceAssignments {}", kStartingTask},
    {kTaskLaunched, "Starting task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}) ({host},executor {executor}, partition {partition#}, {locality}, {bytes#} bytes){}", kStartingTask},
    {kTaskLaunched, "Starting task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}) ({host}, executor {executor}, partition {partition#}, {locality}, {bytes#} bytes){}", kStartingTask},
    {kTaskLaunched, "Starting task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}, {host}, executor {executor}, partition {partition#}, {locality}, {bytes#} bytes)", kStartingTask},
    {kTaskLaunched, "Starting task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}, {host}, partition {partition#}, {locality}, {bytes#} bytes)", kStartingTask},
    {kTaskLaunched, "Starting task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}, {host}, partition {partition#},{locality}, {bytes#} bytes)", kStartingTask},
    {kTaskLaunched, "Starting task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}, {host}, {locality}, {bytes#} bytes)", kStartingTask},
    {kTaskSucceeded, "Finished task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}) in {duration} on {host} (executor {executor}) ({done#}/{count#})"},
    {kTaskSucceeded, "Finished task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}) in {duration} on {host} ({done#}/{count#})"},
    {kTaskLost, "Lost task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}) on {host}, executor {executor}: {reason}"},
    {kTaskLost, "Lost task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}) on executor {executor}: {reason}"},
    {kTaskLost, "Lost task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}) ({host} executor {executor}): {reason}"},
    {kTaskLost, "Lost task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}, {host}, executor {executor}): {reason}"},
    {kTaskLost, "Lost task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}, {host}): {reason}"},
    {kStageAborted, "Task {index#} in stage {stage#}.{stage_attempt#} failed {count#} times; aborting job", "Task <*> in stage <*> failed <*> times; aborting job"},
    {kTaskResultIgnored, "Ignoring task-finished event for TID {task#} because {reason}"},
    {kTaskSpeculatable, "Marking task {index#} in stage {stage#}.{stage_attempt#} (on {host}) as speculatable because it ran more than {}"},

    // Executor and its backends.
    {kTaskRunning, "Running task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#})"},
    {kTaskResultSent, "Finished task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}). {bytes#} bytes result sent to driver"},
    {kTaskResultSent, "Finished task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}). {bytes#} bytes result sent via BlockManager)"},
    {kTaskResultSent, "Finished task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}). Result is larger than maxResultSize ({}), dropping it."},
    {kTaskException, "Exception in task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#})"},
    {kTaskKilled, "Executor killed task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}), reason: {reason}"},
    {kTaskKilled, "Executor killed task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}){reason}"},
    {kTaskKilled, "Executor interrupted and killed task {index#}.{attempt#} in stage {stage#}.{stage_attempt#} (TID {task#}), reason: {reason}"},

    // DAGScheduler.
    {kJobSubmitted, "Got job {job#} ({name}) with {count#} output partitions"},
    {kJobSubmitted, "Got job {job#} ({name}) with {count#} output partitions (allowLocal={})"},
    {kJobSubmitted, "Got map stage job {job#} ({name}) with {count#} output partitions"},
    {kFinalStage, "Final stage: ResultStage {stage#} ({name})", "Final stage: <*> <*> (<*>)"},
    {kFinalStage, "Final stage: ShuffleMapStage {stage#} ({name})", "Final stage: <*> <*> (<*>)"},
    {kFinalStage, "Final stage: Stage {stage#}({name})"},
    {kFinalStage, "Final stage: Stage {stage#} ({name})"},
    {kParentStages, "Parents of final stage: {parents}"},
    {kJobSucceeded, "Job {job#} finished: {name}, took {duration}"},
    {kJobFailed, "Job {job#} failed: {name}, took {duration}"},
    {kStageSubmitted, "Submitting ResultStage {stage#} ({name}), which has no missing parents", "Submitting <*> <*> (<*>), which has no missing parents"},
    {kStageSubmitted, "Submitting ShuffleMapStage {stage#} ({name}), which has no missing parents", "Submitting <*> <*> (<*>), which has no missing parents"},
    {kStageSubmitted, "Submitting Stage {stage#} ({name}), which has no missing parents"},
    {kStageSubmitted, "Submitting Stage {stage#} ({name}), which is now runnable"},
    {kTasksSubmitted, "Submitting {count#} missing tasks from ResultStage {stage#} ({name}) (first 15 tasks are for partitions {})", "Submitting <*> missing tasks from <*> <*> (<*>) (first 15 tasks are for partitions <*>)"},
    {kTasksSubmitted, "Submitting {count#} missing tasks from ShuffleMapStage {stage#} ({name}) (first 15 tasks are for partitions {})", "Submitting <*> missing tasks from <*> <*> (<*>) (first 15 tasks are for partitions <*>)"},
    {kTasksSubmitted, "Submitting {count#} missing tasks from ResultStage {stage#} ({name})", "Submitting <*> missing tasks from <*> <*> (<*>)"},
    {kTasksSubmitted, "Submitting {count#} missing tasks from ShuffleMapStage {stage#} ({name})", "Submitting <*> missing tasks from <*> <*> (<*>)"},
    {kTasksSubmitted, "Submitting {count#} missing tasks from Stage {stage#} ({name})"},
    {kStageSucceeded, "ResultStage {stage#} ({name}) finished in {duration}", "<*> <*> (<*>) finished in <*>"},
    {kStageSucceeded, "ShuffleMapStage {stage#} ({name}) finished in {duration}", "<*> <*> (<*>) finished in <*>"},
    {kStageSucceeded, "Stage {stage#} ({name}) finished in {duration}"},
    {kStageFailed, "ResultStage {stage#} ({name}) failed in {duration} due to {reason}", "<*> <*> (<*>) failed in <*> due to <*>"},
    {kStageFailed, "ShuffleMapStage {stage#} ({name}) failed in {duration} due to {reason}", "<*> <*> (<*>) failed in <*> due to <*>"},
    {kStageFailed, "Stage {stage#} ({name}) failed in {duration} due to {reason}"},
    {kStageFailed, "Stage {stage#} ({name}) failed in {duration}"},

    // TaskSchedulerImpl, YarnScheduler.
    {kTaskSetAdded, "Adding task set {stage#}.{stage_attempt#} with {count#} tasks resource profile {}", "Adding task set <*> with <*> tasks"},
    {kTaskSetAdded, "Adding task set {stage#}.{stage_attempt#} with {count#} tasks", "Adding task set <*> with <*> tasks"},
    {kTaskSetRemoved, "Removed TaskSet {stage#}.{stage_attempt#}, whose tasks have all completed, from pool {}", "Removed TaskSet <*>, whose tasks have all completed, from pool"},
    {kTaskSetRemoved, "Removed TaskSet {stage#}.{stage_attempt#}, whose tasks have all completed, from pool", "Removed TaskSet <*>, whose tasks have all completed, from pool"},
    {kTaskSetRemoved, "Removed TaskSet {stage#}.{stage_attempt#} whose tasks have all completed, from pool {}", "Removed TaskSet <*>, whose tasks have all completed, from pool"},
    {kTaskSetRemoved, "Removed TaskSet {stage#}.{stage_attempt#} whose tasks have all completed, from pool", "Removed TaskSet <*>, whose tasks have all completed, from pool"},

    // SparkContext, SparkContext's backends, clients of the cluster managers.
    {kSparkVersion, "Running Spark version {name}"},
    {kApplicationName, "Submitted application: {name}"},
    {kApplicationId, "Submitted application {name}"},
    {kApplicationId, "Connected to Spark cluster with app ID {name}"},
    {kApplicationId, "Submitting application {name} to ResourceManager"},
    {kApplicationId, "ApplicationAttemptId: {name}"},
    {kEventLog, "Logging events to {name}"},
    {kResourceProfile, "Default ResourceProfile created, executor resources: {name}, task resources: {}"},
    {kContainerRequest, "Will request {} executor container(s) for  ResourceProfile Id: {}, each with {} core(s) and {} MB memory (including {bytes#} MB of overhead)"},
    {kContainerRequest, "Will request {} executor container(s), each with {} core(s) and {} MB memory (including {bytes#} MB of overhead)"},
    {kContextStopped, "Successfully stopped SparkContext"},
    {kContextStopped, "Successfully stopped SparkContext (Uptime: {} ms)"},
    {kJobStarting, "Starting job: {name}"},
    {kStreamProgress, "Streaming query made progress: {name}"},
    {kStreamStopped, "Query [id = {}, runId = {name}] was stopped"},
    {kStreamStopped, "Query {} [id = {}, runId = {name}] was stopped"},
    {kExecutorRegistered, "Registered executor {} ({host}) with ID {executor},  ResourceProfileId {}"},
    {kExecutorRegistered, "Registered executor {} ({host}) with ID {executor}, ResourceProfileId {}"},
    {kExecutorRegistered, "Registered executor {} ({host}) with ID {executor}"},
    {kExecutorRegistered, "Registered executor: Actor[{}] with ID {executor}"},
    {kExecutorStarting, "Starting executor ID {executor} on host {host}"},
    {kExecutorGranted, "Granted executor ID {executor} on hostPort {host} with {count#} core(s), {}"},
    {kExecutorGranted, "Granted executor ID {executor} on hostPort {host} with {count#} cores, {}"},
    {kExecutorLost, "Lost executor {executor} on {host}: {reason}"},
    {kExecutorLost, "Executor {executor} on {host} killed by driver."},
    {kExecutorLost, "Executor {executor} removed: {reason}"},
    {kExecutorHeartbeatLost, "Removing executor {executor} with no recent heartbeats: {reason}"},
};
// clang-format on

}  // namespace

std::span<const KnownMessage> EventMessages() { return kMessages; }

}  // namespace sparkprof

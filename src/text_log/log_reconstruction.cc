// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_reconstruction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "base/redaction/redaction.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "base/time.h"
#include "model/streaming_progress.h"

namespace sparkprof {
namespace {

using enum MessageKind;
using enum MessageField;

constexpr size_t kMaxReason = 8192;
constexpr int64_t kMaxStagesOfJob = 10'000;

const MessageTable& ReconstructionMessages() {
  static const MessageTable table({EventMessages().begin(), EventMessages().end()});
  return table;
}

// The message and its stack, truncated.
StringId InternReason(std::string_view reason, const LogRecord& record, StringTable* strings) {
  std::string text(reason.substr(0, kMaxReason));
  if (!record.continuation.empty() && text.size() < kMaxReason) {
    text.append("\n").append(record.continuation.substr(0, kMaxReason - text.size()));
  }
  return strings->Intern(RedactText(ToUtf8(text)));
}

// Kubernetes' reasons are on the following lines.
std::string LossReason(std::string_view reason, const LogRecord& record) {
  if (record.message.ends_with("killed by driver.")) return "Executor killed by driver.";
  std::string text(Trim(reason));
  for (std::string_view lines = record.continuation; !lines.empty() && text.size() < kMaxReason;) {
    const std::string_view line = Trim(TakeLine(&lines));
    if (!line.empty()) text.append(text.empty() ? "" : " ").append(line.substr(0, kMaxReason));
  }
  return text;
}

uint8_t LocalityCode(std::string_view locality) {
  constexpr std::array<std::string_view, 5> kLocalities = {"PROCESS_LOCAL", "NODE_LOCAL", "NO_PREF", "RACK_LOCAL",
                                                           "ANY"};
  return static_cast<uint8_t>(std::find(kLocalities.begin(), kLocalities.end(), locality) - kLocalities.begin());
}

int32_t Narrow(int64_t value) {
  return value < 0 || value > std::numeric_limits<int32_t>::max() ? -1 : static_cast<int32_t>(value);
}

// "host:port" and "/10.0.0.1:43210" without the port.
std::string_view HostOf(std::string_view address) {
  if (address.starts_with('/')) address.remove_prefix(1);
  const size_t colon = address.rfind(':');
  return colon == std::string_view::npos ? address : address.substr(0, colon);
}

// The application's id out of an event log's path: ".../local-1700000000000.inprogress", ".../eventlog_v2_app-1".
std::string_view ApplicationIdOf(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  for (const std::string_view end : {".inprogress", ".zstd", ".lz4", ".snappy", ".lzf"}) {
    if (path.ends_with(end)) path.remove_suffix(end.size());
  }
  constexpr std::string_view kRolling = "eventlog_v2_", kPart = "events_";
  if (path.starts_with(kRolling)) path.remove_prefix(kRolling.size());
  if (path.starts_with(kPart)) path.remove_prefix(path.find('_', kPart.size()) + 1);  // "events_1_local-1"
  return path;
}

// The amount of a resource in "Map(cores -> name: cores, amount: 4, script: , memory -> name: memory, amount: 8192,
// …)"; -1 = none.
int64_t AmountOf(std::string_view resource, std::string_view resources) {
  const std::string key = fmt::format(" name: {}, amount: ", resource);
  const size_t at = resources.find(key);
  if (at == std::string_view::npos) return -1;
  const std::string_view amount = resources.substr(at + key.size());
  return ParseInteger(amount.substr(0, amount.find_first_not_of("0123456789"))).value_or(-1);
}

// A streaming query by the ID of its run; nothing if it is new.
StreamingQuery* FindQuery(Application* application, std::string_view run_id) {
  for (StreamingQuery& query : application->streaming_queries) {
    if (query.run_id == run_id) return &query;
  }
  return nullptr;
}

// The times in a progress have a zone, unlike those of most logs: how far the log's zone is from the one assumed, in
// quarters of an hour.
int64_t ZoneShift(int64_t difference_ns) {
  constexpr int64_t kQuarterNs = 900 * kNanosPerSecond;
  return (difference_ns + (difference_ns < 0 ? -kQuarterNs : kQuarterNs) / 2) / kQuarterNs * kQuarterNs;
}

// If the log has seconds, start and end may each be up to one second later. Moves them within that second so that they
// are `duration_ns` apart.
void Narrow(int64_t duration_ns, int64_t* begin_ns, int64_t* end_ns) {
  if (duration_ns < 0 || *begin_ns == 0 || *end_ns == 0) return;
  const int64_t begin = std::max(*begin_ns, *end_ns - duration_ns);
  const int64_t end = begin + duration_ns;
  if (begin - *begin_ns >= kNanosPerSecond || end - *end_ns >= kNanosPerSecond) return;
  *begin_ns = begin;
  *end_ns = end;
}

}  // namespace

LogReconstruction::LogReconstruction(Application* application)
    : application_(application), index_(application), messages_(&ReconstructionMessages()) {}

void LogReconstruction::BeginFile() { file_ = {}; }

void LogReconstruction::EndFile() {
  has_driver_ = has_driver_ || file_.is_driver;
  has_start_ = has_start_ || (file_.is_driver && file_.has_start);
  if (file_.executor < 0 && file_.is_driver) file_.executor = index_.Executor("driver");
  if (file_.first_ns == 0) return;
  Application& application = *application_;
  if (file_.is_driver && (application.start_ns == 0 || file_.first_ns < application.start_ns)) {
    application.start_ns = file_.first_ns;
  }
  if (!application.ended || file_.is_driver) application.end_ns = std::max(application.end_ns, file_.last_ns);
}

void LogReconstruction::Add(const LogRecord& record) {
  if (record.time_ns > 0 && record.has_header) {
    if (file_.first_ns == 0) file_.first_ns = record.time_ns;
    file_.last_ns = std::max(file_.last_ns, record.time_ns);
  }
  has_info_ = has_info_ || record.level <= LogLevel::kInfo;
  if (index_.IsFull()) {
    ++left_out_;
    return;
  }
  values_ = {};
  const size_t row = messages_->Find(record.message, &values_);
  if (row == MessageTable::kNone) return;
  const MessageKind kind = messages_->Message(row).kind;
  if (kind == kSparkVersion) {
    // Masters and workers of a local cluster log it, too.
    if (!record.logger.empty() && !record.logger.ends_with("SparkContext")) return;
    if (++file_.contexts > 1) ++ignored_contexts_;
    file_.has_start = true;
  }
  if (file_.contexts > 1) return;
  if (kind >= kTaskLaunched && kind <= kTaskKilled) {
    AddTaskMessage(kind, record);
  } else if (kind >= kStageSubmitted && kind <= kStageFailed) {
    AddStageMessage(kind, record);
  } else if (kind >= kJobStarting && kind <= kJobFailed) {
    AddJobMessage(kind, record);
  } else if (kind >= kExecutorRegistered) {
    AddExecutorMessage(kind, record);
  } else {
    AddApplicationMessage(kind, record);
  }
}

void LogReconstruction::AddApplicationMessage(MessageKind kind, const LogRecord& record) {
  Application& application = *application_;
  const std::string_view name = Text(kName);
  switch (kind) {
    case kSparkVersion:
      // Executors on Kubernetes log it, too, but have no jobs; later messages identify a driver.
      if (application.spark_version.empty()) application.spark_version = name;
      break;
    case kApplicationName:
      file_.is_driver = true;
      file_.has_start = true;
      application.name = name;
      break;
    case kApplicationId:
      if (name.starts_with("app") && application.id.empty()) {
        application.id = name.starts_with("appattempt") ? "" : name.substr(0, name.find(' '));
      }
      break;
    case kEventLog:
      if (application.id.empty()) application.id = ApplicationIdOf(name);
      break;
    case kResourceProfile:
      AddRequest("executor.memory", AmountOf("memory", name));
      AddRequest("executor.memoryOverhead", AmountOf("memoryOverhead", name));
      break;
    case kContainerRequest:
      AddRequest("executor.memoryOverhead", Number(kBytes));
      break;
    case kContextStopped:
      file_.is_driver = true;
      application.ended = true;
      application.end_ns = std::max(application.end_ns, record.time_ns);
      break;
    case kStreamProgress:
      AddStreamingProgress(record);
      break;
    case kStreamStopped:
      if (StreamingQuery* const query = FindQuery(&application, name)) query->end_ns = record.time_ns;
      break;
    default:
      break;
  }
}

// Adds what the default resource profile requests for each executor, in MiB.
void LogReconstruction::AddRequest(std::string_view resource, int64_t mebibytes) {
  if (mebibytes <= 0) return;
  std::vector<ResourceProfile>& profiles = application_->resource_profiles;
  if (profiles.empty()) profiles.push_back({0, "default", {}});
  auto& requests = profiles.front().requests;
  const auto same = [&](const auto& request) { return request.first == resource; };
  if (std::none_of(requests.begin(), requests.end(), same)) requests.emplace_back(resource, std::to_string(mebibytes));
}

// Adds a batch of a streaming query: the driver logs its progress as JSON. What is not JSON, as a line that was cut, is
// left out.
void LogReconstruction::AddStreamingProgress(const LogRecord& record) {
  const std::string text = fmt::format("{}\n{}", Text(kName), record.continuation);
  simdjson::dom::object progress;
  if (json_.parse(text).get_object().get(progress) != simdjson::SUCCESS) return;
  const std::string_view run_id = TextAt(progress, "runId");
  if (run_id.empty()) return;
  file_.is_driver = true;
  StreamingBatch batch = StreamingBatchOf(progress);
  if (batch.start_ns > 0) batch.start_ns += ZoneShift(record.time_ns - (batch.start_ns + batch.duration_ns));
  std::vector<StreamingQuery>& queries = application_->streaming_queries;
  StreamingQuery* query = FindQuery(application_, run_id);
  if (query == nullptr) {
    query = &queries.emplace_back();
    query->run_id = run_id;
    query->id = TextAt(progress, "id");
    query->name = TextAt(progress, "name");
    query->start_ns = batch.start_ns;
  }
  batch.query = static_cast<int32_t>(query - queries.data());
  application_->streaming_batches.push_back(std::move(batch));
}

void LogReconstruction::AddJobMessage(MessageKind kind, const LogRecord& record) {
  file_.is_driver = true;
  Application& application = *application_;
  if (kind == kFinalStage || kind == kParentStages) {
    const int32_t row = index_.FindJob(file_.job);
    if (row < 0) return;
    Job& job = application.jobs[static_cast<size_t>(row)];
    if (kind == kParentStages) {
      std::string_view parents = Text(kParents);
      for (size_t at = parents.find("Stage "); at != std::string_view::npos; at = parents.find("Stage ")) {
        parents.remove_prefix(at + 6);
        const std::optional<int64_t> stage = ParseInteger(parents.substr(0, parents.find_first_not_of("0123456789")));
        if (stage) AddStageToJob(*stage, &job);
      }
      file_.job = -1;
      return;
    }
    const int64_t final_stage = Number(kStage);
    final_stage_[job.id] = final_stage;
    const int64_t first = file_.last_final_stage + 1;
    if (file_.knows_first_stage && final_stage - first < kMaxStagesOfJob) {
      for (int64_t stage = first; stage < final_stage; ++stage) AddStageToJob(stage, &job);
    }
    AddStageToJob(final_stage, &job);
    file_.last_final_stage = std::max(file_.last_final_stage, final_stage);
    return;
  }
  if (kind == kJobStarting) return;
  Job& job = application.jobs[static_cast<size_t>(index_.Job(Number(kJob)))];
  if (kind == kJobSubmitted) {
    job.submit_ns = record.time_ns;
    job.name = ToUtf8(Text(kName));
    job.call_site = job.name;
    if (job.id == 0) file_.knows_first_stage = true;
    file_.job = job.id;
    file_.running_jobs.insert(job.id);
    return;
  }
  file_.running_jobs.erase(job.id);
  job.status = kind == kJobSucceeded ? RunStatus::kSucceeded : RunStatus::kFailed;
  job.end_ns = record.time_ns;
  if (job.name.empty()) job.name = ToUtf8(Text(kName));
  if (!record.is_exact_time) Narrow(ParseMessageDuration(Text(kDuration)), &job.submit_ns, &job.end_ns);
}

Stage* LogReconstruction::StageAttempt(int64_t stage_id, int64_t attempt) {
  Stage* const stage = &application_->stages[static_cast<size_t>(index_.Stage(stage_id, attempt))];
  int64_t& latest = latest_attempt_[stage_id];
  latest = std::max(latest, attempt);
  return stage;
}

Stage* LogReconstruction::LatestAttempt(int64_t stage_id) {
  const auto latest = latest_attempt_.find(stage_id);
  return StageAttempt(stage_id, latest == latest_attempt_.end() ? 0 : latest->second);
}

void LogReconstruction::AddStageToJob(int64_t stage_id, Job* job) {
  if (std::find(job->stages.begin(), job->stages.end(), stage_id) == job->stages.end()) job->stages.push_back(stage_id);
  job_of_stage_.try_emplace(stage_id, job->id);
}

void LogReconstruction::AddStageMessage(MessageKind kind, const LogRecord& record) {
  file_.is_driver = true;
  const int64_t id = Number(kStage);
  if (id < 0) return;
  switch (kind) {
    case kStageSubmitted:
    case kTasksSubmitted:
      if (kind == kStageSubmitted || !submit_ns_.contains(id)) submit_ns_[id] = record.time_ns;
      return;
    case kTaskSetAdded: {
      Stage* const stage = StageAttempt(id, std::max<int64_t>(0, Number(kStageAttempt)));
      const auto submitted = submit_ns_.find(id);
      stage->submit_ns = submitted == submit_ns_.end() ? record.time_ns : submitted->second;
      if (submitted != submit_ns_.end()) submit_ns_.erase(submitted);
      stage->task_count = Number(kCount);
      // A log may lack the lines of the scheduler's plan.
      if (!job_of_stage_.contains(id) && file_.running_jobs.size() == 1)
        AddStageToJob(id, &application_->jobs[static_cast<size_t>(index_.Job(*file_.running_jobs.begin()))]);
      return;
    }
    case kTaskSetRemoved:
      return;
    case kStageAborted: {
      // The scheduler's own message has the reason, and may be missing.
      Stage* const stage = StageAttempt(id, std::max<int64_t>(0, Number(kStageAttempt)));
      if (stage->status != RunStatus::kRunning) return;
      stage->status = RunStatus::kFailed;
      stage->end_ns = record.time_ns;
      return;
    }
    default:
      break;
  }
  Stage* const stage = LatestAttempt(id);
  stage->status = kind == kStageSucceeded ? RunStatus::kSucceeded : RunStatus::kFailed;
  stage->end_ns = record.time_ns;
  if (ParseMessageDuration(Text(kDuration)) >= kNanosPerSecond)
    took_long_.insert(static_cast<int32_t>(stage - application_->stages.data()));
  stage->name = ToUtf8(Text(kName));
  if (kind == kStageFailed) stage->failure = ToUtf8(Text(kReason).substr(0, kMaxReason));
  if (!record.is_exact_time) Narrow(ParseMessageDuration(Text(kDuration)), &stage->submit_ns, &stage->end_ns);
}

// The row of the message's task with its ids.
size_t LogReconstruction::FillTask() {
  const auto row = static_cast<size_t>(index_.Task(Number(kTask)));
  Tasks& tasks = application_->tasks;
  if (tasks.stage[row] < 0) {
    const int64_t attempt = std::max<int64_t>(0, Number(kStageAttempt));
    StageAttempt(Number(kStage), attempt);
    tasks.stage[row] = index_.FindStage(Number(kStage), attempt);
    tasks.index[row] = Narrow(Number(kIndex));
    tasks.attempt[row] = std::max(0, Narrow(Number(kAttempt)));
    if (file_.executor >= 0 && tasks.executor[row] < 0 && !file_.is_driver) tasks.executor[row] = file_.executor;
  }
  return row;
}

// The row of the message's executor, which is the task's; -1 if the message has none.
int32_t LogReconstruction::FillExecutor(size_t row) {
  const int32_t executor = index_.Executor(Text(kExecutor));
  if (executor < 0) return -1;
  application_->tasks.executor[row] = executor;
  std::string& host = application_->executors[static_cast<size_t>(executor)].host;
  if (host.empty()) host = Text(kHost);
  return executor;
}

void LogReconstruction::EndTask(size_t row, TaskOutcome outcome, const LogRecord& record) {
  Tasks& tasks = application_->tasks;
  tasks.outcome[row] = outcome;
  tasks.finish_ns[row] = record.time_ns;
  if (outcome == TaskOutcome::kSucceeded) tasks.reason[row] = 0;
  const int64_t launch_ns = tasks.launch_ns[row];
  if (launch_ns > 0 && record.time_ns > launch_ns) {
    tasks.Column(TaskMetric::kDuration)[row] = record.time_ns - launch_ns;
  }
}

void LogReconstruction::CountLaunch(size_t row) {
  ++running_[application_->tasks.executor[row]];
  int64_t& launched = launched_[application_->tasks.stage[row]];
  if (launched >= 0) ++launched;
}

// When the first task of a stage ends and others wait to be launched, its executor is full, and Spark has usually
// launched the next task before it logs the end.
void LogReconstruction::CountEnd(size_t row) {
  const Tasks& tasks = application_->tasks;
  int64_t& running = running_[tasks.executor[row]];
  int64_t& launched = launched_[tasks.stage[row]];
  const int64_t planned =
      tasks.stage[row] < 0 ? 0 : application_->stages[static_cast<size_t>(tasks.stage[row])].task_count;
  if (running > 0 && launched > 0 && launched < planned) {
    int64_t& slots = slots_[tasks.executor[row]];
    slots = std::max<int64_t>({1, slots, running - 1});
  }
  launched = -1;
  if (running > 0) --running;
}

// The scheduler numbers the tasks that it launches, and counts those of a stage that have ended: "(12/800)".
void LogReconstruction::CountInDriver(size_t row) {
  if (in_driver_.size() <= row) in_driver_.resize(row + 1);
  in_driver_[row] = true;
  const int32_t stage_row = application_->tasks.stage[row];
  const int64_t done = Number(kDone);
  if (done <= 0 || stage_row < 0) return;
  int64_t& most = done_[stage_row];
  most = std::max(most, done);
  int64_t& planned = application_->stages[static_cast<size_t>(stage_row)].task_count;
  if (planned == 0) planned = std::max<int64_t>(0, Number(kCount));
}

// An executor's own messages are in the order of its work.
void LogReconstruction::CountInExecutor(size_t row, int64_t change) {
  Executing& executing = executing_[application_->tasks.executor[row]];
  executing.now = std::max<int64_t>(0, executing.now + change);
  executing.most = std::max(executing.most, executing.now);
}

// Few logs have the number of an executor's cores. Its own log has the order of its tasks, where times of whole seconds
// overlap.
void LogReconstruction::SetCores() {
  const auto set = [this](int32_t executor, int64_t count) {
    if (executor < 0) return;
    int64_t& cores = application_->executors[static_cast<size_t>(executor)].cores;
    if (cores == 0) cores = count;
  };
  for (const auto& [executor, executing] : executing_) set(executor, executing.most);
  for (const auto& [executor, slots] : slots_) set(executor, slots);
}

// Where a log has seconds, the tasks of an executor are placed one after another on its cores, as far as their seconds
// allow: otherwise tasks shorter than a second would overlap at its start, with idle cores behind them.
void LogReconstruction::PlaceTasks() {
  Tasks& tasks = application_->tasks;
  std::unordered_map<int32_t, std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>>>
      ends_ns;  // ends of slots by executor
  if (latest_launch_ns_.empty()) return;
  for (size_t row = 0; row < tasks.Size(); ++row) {
    const int32_t executor = tasks.executor[row];
    const int64_t cores = executor < 0 ? 0 : application_->executors[static_cast<size_t>(executor)].cores;
    if (cores == 0 || tasks.launch_ns[row] == 0) continue;
    auto& slots = ends_ns[executor];
    const auto latest = latest_launch_ns_.find(row);
    if (static_cast<int64_t>(slots.size()) == cores) {
      if (latest != latest_launch_ns_.end() && slots.top() > tasks.launch_ns[row]) {
        const int64_t moved_ns = std::min(slots.top(), latest->second) - tasks.launch_ns[row];
        tasks.launch_ns[row] += moved_ns;
        tasks.finish_ns[row] += moved_ns;
      }
      slots.pop();
    }
    slots.push(std::max(tasks.launch_ns[row], tasks.finish_ns[row]));
  }
}

// A second attempt next to a running one is speculative.
void LogReconstruction::MarkSpeculative(size_t row) {
  Tasks& tasks = application_->tasks;
  const uint64_t key =
      static_cast<uint64_t>(static_cast<uint32_t>(tasks.stage[row])) << 32 | static_cast<uint32_t>(tasks.index[row]);
  const auto marked = speculatable_.find(key);
  if (marked == speculatable_.end() || tasks.attempt[row] == 0) return;
  tasks.speculative[row] = 1;
  speculatable_.erase(marked);
}

void LogReconstruction::AddTaskMessage(MessageKind kind, const LogRecord& record) {
  Tasks& tasks = application_->tasks;
  if (kind == kTaskSpeculatable) {
    const int32_t stage = index_.FindStage(Number(kStage), std::max<int64_t>(0, Number(kStageAttempt)));
    if (stage < 0) return;
    speculatable_[static_cast<uint64_t>(static_cast<uint32_t>(stage)) << 32 | static_cast<uint32_t>(Number(kIndex))] =
        0;
    return;
  }
  if (Number(kTask) < 0 || kind == kTaskResultIgnored) return;
  const size_t row = FillTask();
  switch (kind) {
    case kTaskLaunched: {
      file_.is_driver = true;
      CountInDriver(row);
      tasks.launch_ns[row] = record.time_ns;
      tasks.locality[row] = LocalityCode(Text(kLocality));
      const int32_t executor = FillExecutor(row);
      if (executor >= 0) {
        int64_t& add_ns = application_->executors[static_cast<size_t>(executor)].add_ns;
        if (add_ns == 0) add_ns = record.time_ns;
      }
      tasks.partition[row] = Narrow(Number(kPartition));
      MarkSpeculative(row);
      CountLaunch(row);
      break;
    }
    case kTaskSucceeded: {
      file_.is_driver = true;
      CountInDriver(row);
      EndTask(row, TaskOutcome::kSucceeded, record);
      FillExecutor(row);
      CountEnd(row);
      const int64_t duration_ns = ParseMessageDuration(Text(kDuration));
      if (duration_ns < 0) break;
      tasks.Column(TaskMetric::kDuration)[row] = duration_ns;
      if (tasks.launch_ns[row] == 0) tasks.launch_ns[row] = record.time_ns - duration_ns;
      if (record.is_exact_time) break;
      const int64_t latest_ns = std::min(tasks.launch_ns[row], record.time_ns - duration_ns) + kNanosPerSecond;
      Narrow(duration_ns, &tasks.launch_ns[row], &tasks.finish_ns[row]);
      if (latest_ns > tasks.launch_ns[row]) latest_launch_ns_[row] = latest_ns;
      break;
    }
    case kTaskLost: {
      file_.is_driver = true;
      CountInDriver(row);
      FillExecutor(row);
      CountEnd(row);
      const std::string_view reason = Text(kReason);
      const bool is_killed = reason.starts_with("TaskKilled") || reason.starts_with("TaskCommitDenied");
      EndTask(row, is_killed ? TaskOutcome::kKilled : TaskOutcome::kFailed, record);
      tasks.reason[row] = InternReason(reason, record, &application_->profile.strings);
      break;
    }
    case kTaskRunning:
      CountInExecutor(row, 1);
      if (tasks.launch_ns[row] == 0) tasks.launch_ns[row] = record.time_ns;
      break;
    case kTaskResultSent:
      CountInExecutor(row, -1);
      tasks.Column(TaskMetric::kResultSize)[row] = std::max<int64_t>(0, Number(kBytes));
      if (tasks.outcome[row] == TaskOutcome::kRunning) EndTask(row, TaskOutcome::kSucceeded, record);
      break;
    case kTaskException:
    case kTaskKilled:
      CountInExecutor(row, -1);
      if (tasks.outcome[row] != TaskOutcome::kRunning) break;
      EndTask(row, kind == kTaskKilled ? TaskOutcome::kKilled : TaskOutcome::kFailed, record);
      tasks.reason[row] = kind == kTaskKilled ? InternReason(Text(kReason), {}, &application_->profile.strings)
                                              : InternReason(record.continuation, {}, &application_->profile.strings);
      break;
    default:
      break;
  }
}

void LogReconstruction::AddExecutorMessage(MessageKind kind, const LogRecord& record) {
  std::string_view id = Text(kExecutor);
  id.remove_prefix(id.rfind('/') + 1);  // a standalone cluster's: "app-20261121164458-0000/3"
  const int32_t row = index_.Executor(id);
  if (row < 0) return;
  sparkprof::Executor& executor = application_->executors[static_cast<size_t>(row)];
  switch (kind) {
    case kExecutorStarting:
      file_.executor = row;
      [[fallthrough]];
    case kExecutorRegistered:
    case kExecutorGranted: {
      const std::string_view host = kind == kExecutorStarting ? Text(kHost) : HostOf(Text(kHost));
      if (executor.host.empty() && !host.empty() && host != "null") executor.host = host;
      if (kind == kExecutorGranted) executor.cores = std::max<int64_t>(0, Number(kCount));
      // Registered is when it can be used; granted is a promise, and only noted with its cores.
      if (kind == kExecutorRegistered || (kind == kExecutorStarting && executor.add_ns == 0)) {
        executor.add_ns = record.time_ns;
      }
      break;
    }
    case kExecutorLost:
    case kExecutorHeartbeatLost:
      file_.is_driver = true;
      if (executor.remove_ns == 0) executor.remove_ns = record.time_ns;
      if (executor.host.empty()) executor.host = Text(kHost);
      if (executor.remove_reason.empty()) {
        std::string_view reason = Text(kReason);
        // The reason alone, "N ms exceeds timeout N ms", would be that of any timeout.
        const size_t whole =
            kind == kExecutorHeartbeatLost ? record.message.find("no recent heartbeats") : record.message.npos;
        if (whole != std::string_view::npos) reason = record.message.substr(whole);
        executor.remove_reason = ToUtf8(LossReason(reason, record));
      }
      break;
    default:
      break;
  }
}

void LogReconstruction::EndJobs() {
  for (Job& job : application_->jobs) {
    const auto final_stage = final_stage_.find(job.id);
    if (final_stage == final_stage_.end()) continue;
    const int32_t row = index_.FindStage(final_stage->second, latest_attempt_[final_stage->second]);
    if (row < 0) continue;
    const Stage& stage = application_->stages[static_cast<size_t>(row)];
    if (job.status == RunStatus::kFailed && job.failure.empty()) job.failure = stage.failure;
    // A map stage's job (adaptive execution) ends without a word.
    if (job.status != RunStatus::kRunning || stage.end_ns == 0) continue;
    job.status = stage.status;
    job.end_ns = stage.end_ns;
    job.failure = stage.failure;
  }
}

// Stages of a job that never ran: their output was there already.
void LogReconstruction::AddSkippedStages() {
  std::vector<std::pair<int64_t, RunStatus>> missing;
  for (const Job& job : application_->jobs) {
    for (const int64_t stage : job.stages) {
      if (index_.FindStage(stage, 0) >= 0) continue;
      missing.emplace_back(stage, job.end_ns == 0 ? RunStatus::kPending : RunStatus::kSkipped);
    }
  }
  for (const auto& [stage, status] : missing) StageAttempt(stage, 0)->status = status;
}

// A log without its beginning: what it has durations of began before its first line. In a log with seconds, ends may be
// up to a second after its last line (Narrow).
void LogReconstruction::ExtendRange() {
  int64_t& start_ns = application_->start_ns;
  int64_t& end_ns = application_->end_ns;
  for (const int64_t launch_ns : application_->tasks.launch_ns) {
    if (launch_ns > 0 && start_ns > 0) start_ns = std::min(start_ns, launch_ns);
  }
  if (end_ns == 0) return;
  for (const int64_t finish_ns : application_->tasks.finish_ns) end_ns = std::max(end_ns, finish_ns);
  for (const Stage& stage : application_->stages) end_ns = std::max(end_ns, stage.end_ns);
  for (const Job& job : application_->jobs) end_ns = std::max(end_ns, job.end_ns);
}

void LogReconstruction::Finish() {
  EndJobs();
  SetCores();
  PlaceTasks();
  ExtendRange();
  AddSkippedStages();
  for (Stage& stage : application_->stages) {
    if (stage.name.empty()) stage.name = "stage " + std::to_string(stage.id);
    const auto job = job_of_stage_.find(stage.id);
    if (job != job_of_stage_.end() && stage.job < 0) stage.job = job->second;
  }
  NoteGaps();
  index_.NoteLeftOut("log_records", left_out_);
  if (ignored_contexts_ > 0) {
    application_->losses.push_back({"log_records", "of a later Spark context in the same file", ignored_contexts_});
  }
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "agent.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/io/private_file.h"
#include "base/text/text.h"
#include "base/time.h"
#include "base/version.h"
#include "capture/container_limits.h"
#include "capture/proc.h"
#include "formats/class_histogram/class_histogram.h"
#include "intervals.h"

namespace sparkprof {
namespace {

constexpr size_t kLargeChunk = size_t{1} << 20;

// Settings and series with the current intervals, in the order of kBudgetEvents.
constexpr auto kIntervalSettings = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"cpu.interval_ns", "sampler.cpu_interval_ns"},
    {"wall.interval_ns", "sampler.wall_interval_ns"},
    {"alloc.interval_bytes", "sampler.alloc_interval_bytes"},
    {"lock.threshold_ns", "sampler.lock_interval_ns"},
});

int64_t NumberOf(const std::map<std::string, std::string>& pairs, const std::string& key, int64_t otherwise) {
  const auto found = pairs.find(key);
  return found == pairs.end() ? otherwise : ParseInteger(found->second).value_or(otherwise);
}

// The `sparkprof run` process among the ancestors of a process; 0 = none.
int64_t FindRun(int64_t pid) {
  constexpr int kMaxAncestors = 32;
  auto stat = ReadProcessStat(pid);
  for (int i = 0; i < kMaxAncestors && stat && stat->parent_pid > 1; ++i) {
    stat = ReadProcessStat(stat->parent_pid);
    if (stat && stat->command.starts_with("sparkprof")) return stat->pid;
  }
  return 0;
}

int64_t CpuNanosOf(const ProcessStat& stat) {
  return (stat.user_ticks + stat.system_ticks) * (kNanosPerSecond / sysconf(_SC_CLK_TCK));
}

std::string TextOf(const std::map<std::string, std::string>& pairs, const std::string& key) {
  const auto found = pairs.find(key);
  return found == pairs.end() ? std::string() : found->second;
}

}  // namespace

Agent::Agent(JfrTail jfr, PluginPipe* plugin)
    : jfr_(std::move(jfr)),
      plugin_(plugin),
      writer_([this](const std::string& block, bool last) { OnBlock(block, last); }),
      spool_([this](const std::string& trouble) { Warn(trouble); }),
      tasks_(&writer_, &join_, &task_times_),
      rings_(&writer_, &python_, &task_times_),
      outside_(&writer_, &python_, &task_times_) {
  // The process that started the agent, until HELLO arrives.
  writer_.source().pid = getppid();
  plugin_->Ready(jfr_.Path());
}

void Agent::OnFrame(const PipeFrame& frame) {
  ++frames_;
  bool good = true;
  switch (frame.kind) {
    case FromPlugin::kHello:
      OnHello(frame.payload);
      break;
    case FromPlugin::kTaskBegin:
      good = tasks_.OnBegin(frame.payload);
      break;
    case FromPlugin::kTaskEnd:
      good = tasks_.OnEnd(frame.payload);
      break;
    case FromPlugin::kSparkEvent:
      writer_.AddSparkEvent(frame.payload);
      break;
    case FromPlugin::kDumped:
      OnDumped(frame.payload);
      break;
    case FromPlugin::kIdentity:
      OnIdentity(frame.payload);
      break;
    case FromPlugin::kLoss:
      OnLoss(frame.payload);
      break;
    case FromPlugin::kNotice:
      OnNotice(frame.payload);
      break;
    case FromPlugin::kStopping:
      stopping_ = true;
      if (monitor_) monitor_->ReadThreads(/*now=*/true);  // pools end before the JVM does
      break;
    case FromPlugin::kUploaded:
      OnUploaded(frame.payload);
      break;
    case FromPlugin::kSettings:
      OnSettings(frame.payload);
      break;
    case FromPlugin::kHeapSummary:
      OnHeapSummary(frame.payload);
      break;
    case FromPlugin::kGauges:
      OnGauges(frame.payload);
      break;
  }
  if (!good) ++damaged_records_;
}

void Agent::OnHello(std::string_view payload) {
  const auto pairs = ReadPairs(payload);
  if (!pairs || monitor_) {
    ++damaged_records_;
    return;
  }
  if (TextOf(*pairs, "protocol") != "1") {
    Warn("the plugin uses protocol \"" + TextOf(*pairs, "protocol") +
         "\", the agent 1: use the same version of plugin and agent");
  }
  Source& source = writer_.source();
  source.application_id = TextOf(*pairs, "application_id");
  source.application_attempt = TextOf(*pairs, "application_attempt");
  source.application_name = TextOf(*pairs, "application_name");
  source.executor_id = TextOf(*pairs, "executor_id");
  source.host = TextOf(*pairs, "host");
  source.boot_id = BootId();
  source.pid = NumberOf(*pairs, "pid", source.pid);
  const auto stat = ReadProcessStat(source.pid);
  source.start_ticks = stat ? stat->start_ticks : 0;
  source.spark_version = TextOf(*pairs, "spark_version");
  source.java_version = TextOf(*pairs, "java_version");
  source.sparkprof_version = Version();
  source.bucket_ns = std::max<int64_t>(1, NumberOf(*pairs, "bucket_ns", kNanosPerSecond));
  source.role = TextOf(*pairs, "role");
  source.sequence = static_cast<uint64_t>(std::max<int64_t>(0, NumberOf(*pairs, "first_sequence", 0)));
  forward_ = TextOf(*pairs, "forward") == "1";
  OwnRedaction redaction;
  redaction.Set(TextOf(*pairs, "redaction_regex"), TextOf(*pairs, "redaction_string_regex"));
  writer_.SetOwnRedaction(std::move(redaction));
  const auto own_stat = ReadProcessStat(getpid());
  own_start_ticks_ = own_stat ? own_stat->start_ticks : 0;
  // The whole run counts once, as the driver's cost.
  if (source.role != "executor") run_pid_ = FindRun(source.pid);
  NotePluginUse(*pairs);
  monitor_.emplace(source.pid, source.start_ticks, &writer_);
  rings_.SetFolder(TextOf(*pairs, "python_rings"));
  python_module_ = TextOf(*pairs, "python_module");
  TakeSettings(*pairs);
  SetSharing(ParseSharing(TextOf(*pairs, "share")).value_or(Sharing::kPrivate));
  spool_.Open(TextOf(*pairs, "spool"), TextOf(*pairs, "node_dir"), NumberOf(*pairs, "max_spool_bytes", 0));
  TellSpool();
}

void Agent::OnIdentity(std::string_view payload) {
  const auto pairs = ReadPairs(payload);
  if (!pairs) {
    ++damaged_records_;
    return;
  }
  Source& source = writer_.source();
  const auto set = [&](const char* key, std::string* value) {
    if (const auto found = pairs->find(key); found != pairs->end()) *value = found->second;
  };
  set("application_id", &source.application_id);
  set("application_attempt", &source.application_attempt);
  set("application_name", &source.application_name);
  set("executor_id", &source.executor_id);
  set("spark_version", &source.spark_version);
  NotePluginUse(*pairs);
  if (const auto found = pairs->find("python_rings"); found != pairs->end()) rings_.SetFolder(found->second);
  if (const auto found = pairs->find("node_dir"); found != pairs->end()) spool_.SetNodeDir(found->second);
  spool_.MoveTo(TextOf(*pairs, "spool"));
  TellSpool();
}

void Agent::OnSettings(std::string_view payload) {
  const auto pairs = ReadPairs(payload);
  if (!pairs) {
    ++damaged_records_;
    return;
  }
  TakeSettings(*pairs);
}

void Agent::TakeSettings(const std::map<std::string, std::string>& pairs) {
  intervals_ = {};
  for (size_t i = 0; i < kIntervalSettings.size(); ++i) {
    const auto& [setting, series] = kIntervalSettings[i];
    intervals_[i] = NumberOf(pairs, "setting." + std::string(setting), 0);
    finest_intervals_[i] = NumberOf(pairs, "finest." + std::string(setting), 0);
    if (!monitor_ || intervals_[i] == 0) continue;
    writer_.AddPoint(series, SeriesKind::kGauge, writer_.source().pid, writer_.source().start_ticks,
                     {EpochNanos(), static_cast<double>(intervals_[i])});
  }
  if (monitor_) {
    writer_.AddPoint("process.allowed_cpus", SeriesKind::kGauge, writer_.source().pid, writer_.source().start_ticks,
                     {EpochNanos(), AllowedCpus()});
    container_ = ContainerMemory(writer_.source().pid);
    NoteContainer();
  }
  constexpr double kBillion = 1e9;
  constexpr int64_t kUsualBudget = 5'000'000;
  const int64_t budget = NumberOf(pairs, "setting.samples.budget_billionths", kUsualBudget);
  sampling_budget_.SetShare(static_cast<double>(budget) / kBillion);
  sampling_budget_.SetIntervals(finest_intervals_, intervals_);
  allocation_weights_.SetInterval(intervals_[2]);
  // JDK 8 ("1.8.0_402") samples TLABs.
  AllocationWeights* by_size = writer_.source().java_version.starts_with("1.") ? nullptr : &allocation_weights_;
  weights_ = {.cpu_interval_ns = intervals_[0],
              .wall_interval_ns = intervals_[1],
              .lock_interval_ns = intervals_[3],
              .native_lock_interval_ns = NumberOf(pairs, "setting.nativelock.threshold_ns", 0),
              .native_memory_interval_bytes = NumberOf(pairs, "setting.nativemem.interval_bytes", 0),
              .allocations = by_size,
              .native_memory = TextOf(pairs, "setting.nativemem.live") == "true" ? &native_memory_ : nullptr};
  if (pairs.contains("python_interval_ns")) {
    const int64_t interval_ns = std::max<int64_t>(0, NumberOf(pairs, "python_interval_ns", 0));
    rings_.SetInterval(interval_ns);
    outside_.SetInterval(interval_ns);
  }
  constexpr std::string_view kPrefix = "setting.";
  for (const auto& [key, value] : pairs) {
    if (key.starts_with(kPrefix)) writer_.AddSetting(key.substr(kPrefix.size()), value);
  }
}

void Agent::OnDumped(std::string_view payload) {
  PayloadReader reader(payload);
  const int64_t monotonic_ns = reader.I64();
  reader.I64();  // number of samples taken: received samples are counted separately
  const int64_t skipped = reader.I64();
  const int64_t overflows = reader.I64();
  if (!reader.Good()) {
    ++damaged_records_;
    return;
  }
  writer_.SetLoss("samples", "sampler busy", skipped);
  writer_.SetLoss("stacks", "stack memory of the profiler full", overflows);
  // After this, Python activity during the chunk is complete.
  DrainRings(MonotonicNanos());
  // A chunk of a later dump may exist already, but not the records of its tasks.
  ReadChunks(monotonic_ns);
  KeepSamplingBudget();
  join_.Forget(monotonic_ns - kJoinMemoryNs);
  task_times_.Forget(monotonic_ns - kJoinMemoryNs);
  python_.Forget(monotonic_ns - kJoinMemoryNs);
}

void Agent::KeepSamplingBudget() {
  const auto stat = ReadProcessStat(writer_.source().pid);
  if (!stat || !monitor_) return;
  const auto next = sampling_budget_.Next(MonotonicNanos(), CpuNanosOf(*stat));
  if (!next) return;
  NoteIntervals(*next);
  plugin_->Intervals(*next);
}

// The series contains all changes; a notice explains only the first per event.
void Agent::NoteIntervals(const EventNumbers& next) {
  for (size_t i = 0; i < next.size(); ++i) {
    if (noted_[i] || next[i] <= intervals_[i]) continue;
    noted_[i] = true;
    const bool is_bytes = kBudgetEvents[i] == Event::kAlloc;
    const std::string text = is_bytes ? FormatBytes(next[i]) : FormatDuration(next[i]);
    writer_.AddNotice(NoticeLevel::kInformation,
                      std::string(EventName(kBudgetEvents[i])) + " is sampled every " + text +
                          ", to keep the cost of sampling below 0.5% of the JVM's CPU time. Set an interval to fix it");
  }
}

void Agent::OnLoss(std::string_view payload) {
  const auto pairs = ReadPairs(payload);
  const int64_t count = pairs ? NumberOf(*pairs, "count", 0) : 0;
  if (count <= 0) {
    ++damaged_records_;
    return;
  }
  const std::pair key(TextOf(*pairs, "what"), TextOf(*pairs, "reason"));
  int64_t& total = plugin_losses_[key];
  total += std::min(count, INT64_MAX - total);
  writer_.SetLoss(key.first, key.second, total);
}

void Agent::OnNotice(std::string_view payload) {
  PayloadReader reader(payload);
  const auto level = static_cast<NoticeLevel>(std::min<uint8_t>(reader.U8(), 2));
  writer_.AddNotice(level, std::string(reader.Rest()));
}

void Agent::OnUploaded(std::string_view payload) {
  PayloadReader reader(payload);
  const int64_t position = reader.I64();
  if (!reader.Good()) {
    ++damaged_records_;
    return;
  }
  if (position == spool_.End()) spool_.Restart();
  TellSpool();
}

void Agent::OnHeapSummary(std::string_view payload) {
  PayloadReader reader(payload);
  const int64_t monotonic_ns = reader.I64();
  const int64_t pause_ns = reader.I64();
  if (!reader.Good() || pause_ns < 0) {
    ++damaged_records_;
    return;
  }
  const Result<ClassHistogram> histogram = ReadClassHistogram(reader.Rest());
  if (histogram) {
    writer_.AddHeapSummary(ToEpoch(monotonic_ns), pause_ns, *histogram);
    return;
  }
  if (unreadable_heap_summaries_++ == 0) Warn(histogram.error().message);
}

void Agent::OnGauges(std::string_view payload) {
  PayloadReader reader(payload);
  const int64_t monotonic_ns = reader.I64();
  const auto pairs = ReadPairs(reader.Rest());
  if (!reader.Good() || !pairs) {
    ++damaged_records_;
    return;
  }
  if (!monitor_) return;
  const int64_t time_ns = ToEpoch(monotonic_ns);
  for (const auto& [series, text] : *pairs) {
    const auto value = ParseInteger(text);
    if (!value || !series.ends_with("_bytes")) continue;
    writer_.AddPoint(series, SeriesKind::kGauge, writer_.source().pid, writer_.source().start_ticks,
                     {time_ns, static_cast<double>(*value)});
  }
}

void Agent::TellSpool() {
  if (!spool_.IsOpen() || (spool_.Path() == told_spool_ && spool_.Base() == told_base_)) return;
  told_spool_ = spool_.Path();
  told_base_ = spool_.Base();
  plugin_->Spool(told_base_, told_spool_);
}

void Agent::ReadChunks(int64_t before_ns) {
  jfr_.ReadChunks(before_ns, [this](std::string_view chunk, const JfrChunkHeader& header, uint64_t offset) {
    ReadChunk(chunk, header, offset);
  });
}

void Agent::ReadChunk(std::string_view chunk, const JfrChunkHeader& header, uint64_t offset) {
  SampleBatch batch;
  SampleCollector collector(header, ReadClocks(), std::max<int64_t>(1, writer_.source().bucket_ns), weights_, join_,
                            python_, &batch);
  JfrReader reader(&batch.strings, &batch.frames, &batch.stacks, &collector);
  const auto status = reader.ReadChunk(chunk, "the profiler's JFR", offset);
  native_memory_.AddReleases(&batch);
  if (status) {
    damaged_events_ += static_cast<int64_t>(status->damaged_events);
  } else {
    if (unreadable_bytes_ == 0) Warn(status.error().message);
    unreadable_bytes_ += static_cast<int64_t>(chunk.size());
  }
  sampling_budget_.Add(collector.CostNs());
  if (monitor_) {
    monitor_->AddHeapSummaries(collector.HeapSummaries());
    for (const Thread& thread : batch.threads) monitor_->NameThread(thread.tid, batch.strings.Get(thread.name));
  }
  // Per chunk, so that each key has one row in a segment.
  writer_.AddSamples(std::move(batch));
  writer_.Flush();
  // Returns freed memory to the system; otherwise memory for the largest chunk so far would never be released.
  if (chunk.size() >= kLargeChunk) malloc_trim(0);
}

void Agent::NoteLosses() {
  rings_.NoteLosses();
  outside_.NoteLosses();
  writer_.SetLoss("python_workers", "exited without a sample: the sampler could not start in time", unsampled_workers_);
  writer_.SetLoss("records", "from the plugin, too short", damaged_records_);
  writer_.SetLoss("jfr_events", "damaged", damaged_events_);
  writer_.SetLoss("native_releases", "too many allocations at once", native_memory_.Dropped());
  writer_.SetLoss("heap_summaries", "unreadable", unreadable_heap_summaries_);
  writer_.SetLoss("chunk_bytes", "no readable JFR chunk", unreadable_bytes_ + jfr_.DroppedBytes());
  writer_.SetLoss("forwarded_bytes", "not accepted by the plugin in time", plugin_->DroppedBytes());
  for (const auto& [reason, bytes] : spool_.DroppedBytes()) writer_.SetLoss("spool_bytes", reason, bytes);
}

// Series have a gap then; samples wait in the profiler's file and in the rings.
void Agent::NoteGap(int64_t now_ns) {
  const int64_t gap_ns = last_time_ns_ == 0 ? 0 : now_ns - last_time_ns_;
  last_time_ns_ = now_ns;
  if (gap_ns < kGapNs || !monitor_) return;
  gap_ms_ += gap_ns / kNanosPerMilli;
  writer_.SetLoss("series_ms", "the agent got no CPU time or was stopped", gap_ms_);
  const int64_t end_ns = EpochNanos();
  writer_.AddNotice(NoticeLevel::kWarning, "The agent did not run for " + FormatDuration(gap_ns) + " (" +
                                               FormatTimestamp(end_ns - gap_ns) + " to " + FormatTimestamp(end_ns) +
                                               "): metrics have a gap");
}

// A frame counts as recorded once the writer has flushed it.
void Agent::NoteRecorded() {
  if (frames_ == recorded_frames_ || !monitor_ || writer_.UrgentSince() != 0) return;
  recorded_frames_ = frames_;
  plugin_->Recorded(frames_);
}

int64_t Agent::OnTime(int64_t now_ns) {
  NoteGap(now_ns);
  if (monitor_ && now_ns >= next_drain_ns_) DrainRings(now_ns);
  if (monitor_ && now_ns >= next_look_ns_) LookAround(now_ns);
  if (now_ns >= outside_.NextNs()) outside_.Sample(now_ns);
  const int64_t urgent_ns = writer_.UrgentSince() == 0 ? INT64_MAX : writer_.UrgentSince() + kUrgentDelayNs;
  const int64_t series_ns = writer_.PendingSince() == 0 ? INT64_MAX : writer_.PendingSince() + kSeriesDelayNs;
  const int64_t due_ns = std::min(urgent_ns, series_ns);
  const bool flushes = due_ns <= now_ns && monitor_;
  if (flushes) {
    NoteLosses();
    writer_.Flush();
  }
  NoteRecorded();
  const int64_t look_ns =
      monitor_ ? std::min({next_look_ns_, next_drain_ns_, outside_.NextNs()}) : now_ns + kNanosPerSecond;
  return flushes ? look_ns : std::min(look_ns, due_ns);
}

void Agent::DrainRings(int64_t now_ns) {
  rings_.Drain([this](int64_t pid, int64_t start_ticks) {
    if (monitor_) monitor_->ReadMemory(pid, start_ticks);
  });
  const int64_t pending_since_ns = rings_.PendingSince();
  if (pending_since_ns != 0 && now_ns - pending_since_ns >= kPythonDelayNs) rings_.HandOver();
  const int64_t outside_since_ns = outside_.PendingSince();
  if (outside_since_ns != 0 && now_ns - outside_since_ns >= kPythonDelayNs) outside_.HandOver();
  next_drain_ns_ = now_ns + kDrainIntervalNs;
}

void Agent::LookAround(int64_t now_ns) {
  monitor_->ReadCounters();
  monitor_->ReadProcesses();
  monitor_->ReadThreads();
  FollowPython();
  NoteOwnUse(now_ns);
  next_look_ns_ = now_ns + budget_.IntervalNs();
}

void Agent::FollowPython() {
  std::map<int64_t, int64_t> without_ring, programs;
  std::map<std::pair<int64_t, int64_t>, bool> workers;
  for (const auto& [pid, process] : monitor_->Processes()) {
    const bool has_ring = rings_.HasRing(pid, process.start_ticks);
    const bool is_program = process.role == ProcessRoleName(ProcessRole::kPythonDriver);
    if (is_program && !has_ring) programs[pid] = process.start_ticks;
    if (process.role != ProcessRoleName(ProcessRole::kPythonWorker)) continue;
    if (!has_ring) without_ring[pid] = process.start_ticks;
    workers[{pid, process.start_ticks}] = has_ring;
  }
  outside_.Follow(without_ring, budget_.IntervalNs() / OwnBudget::kShortestIntervalNs, programs);
  if (outside_.IsOn()) CountUnsampledWorkers(std::move(workers));
}

void Agent::CountUnsampledWorkers(std::map<std::pair<int64_t, int64_t>, bool> workers) {
  bool someone_ended = false;
  for (const auto& [worker, was_sampled] : workers_) {
    const auto still = workers.find(worker);
    if (still != workers.end()) still->second = still->second || was_sampled;
    someone_ended = someone_ended || (still == workers.end() && !was_sampled);
  }
  for (auto& [worker, is_sampled] : workers) is_sampled = is_sampled || outside_.Samples(worker.first);
  // The ring of a worker that started and exited since the last scan may be unread.
  if (someone_ended) rings_.Drain();
  const std::set<std::string> finished = rings_.TakeFinished();
  for (const auto& [worker, was_sampled] : workers_) {
    const bool had_ring = finished.contains(RingName(worker.first, worker.second));
    if (!was_sampled && !had_ring && !workers.contains(worker)) ++unsampled_workers_;
  }
  workers_ = std::move(workers);
}

void Agent::NoteOwnUse(int64_t now_ns) {
  const int64_t cpu_ns = OwnCpuNanos();
  const int64_t epoch_ns = EpochNanos();
  const auto add = [&](std::string_view name, SeriesKind kind, int64_t value) {
    writer_.AddPoint(name, kind, getpid(), own_start_ticks_, {epoch_ns, static_cast<double>(value)});
  };
  add("agent.cpu_ns", SeriesKind::kCounter, cpu_ns);
  add("agent.rss_bytes", SeriesKind::kGauge, OwnRssBytes());
  writer_.AddPoint("sampler.cpu_ns", SeriesKind::kCounter, writer_.source().pid, writer_.source().start_ticks,
                   {epoch_ns, static_cast<double>(sampling_budget_.TotalCostNs())});
  if (run_pid_ > 0) NoteRunUse(epoch_ns);
  if (budget_.Update(now_ns, cpu_ns)) {
    writer_.AddNotice(NoticeLevel::kInformation, "The agent used " + FormatShare(budget_.UsedShare()) +
                                                     " of a core: it now reads metrics every " +
                                                     FormatDuration(budget_.IntervalNs()));
  }
}

void Agent::NoteRunUse(int64_t epoch_ns) {
  const auto run = ReadProcessStat(run_pid_);
  if (!run) return;
  writer_.AddPoint("run.cpu_ns", SeriesKind::kCounter, run_pid_, run->start_ticks,
                   {epoch_ns, static_cast<double>(CpuNanosOf(*run))});
}

// CPU time of the plugin on Spark's threads, and on its own threads before the agent could read them.
void Agent::NotePluginUse(const std::map<std::string, std::string>& pairs) {
  const int64_t cpu_ns = NumberOf(pairs, "plugin_cpu_ns", 0);
  if (cpu_ns <= 0) return;
  writer_.AddPoint("plugin.cpu_ns", SeriesKind::kCounter, writer_.source().pid, writer_.source().start_ticks,
                   {EpochNanos(), static_cast<double>(cpu_ns)});
}

void Agent::NoteContainer() {
  const auto add = [&](std::string_view series, SeriesKind kind, std::optional<int64_t> value) {
    if (!value) return;
    writer_.AddPoint(series, kind, writer_.source().pid, writer_.source().start_ticks,
                     {EpochNanos(), static_cast<double>(*value)});
  };
  add("process.memory_limit_bytes", SeriesKind::kGauge, container_.LimitBytes());
  add("process.memory_kills", SeriesKind::kGauge, container_.Kills());
}

void Agent::Flush() {
  rings_.Drain();
  rings_.HandOver();
  outside_.HandOver();
  NoteLosses();
  writer_.Flush();
}

void Agent::Finish() {
  // First writes the available data: reading a large last chunk may exceed the agent's deadline.
  Flush();
  for (const auto& [worker, was_sampled] : workers_) {
    if (!was_sampled && !rings_.HasRing(worker.first, worker.second)) ++unsampled_workers_;
  }
  rings_.Finish();
  RemovePythonModule();
  outside_.HandOver();
  ReadChunks(INT64_MAX);
  if (monitor_) {
    monitor_->ReadProcesses();
    monitor_->ReadThreads(/*now=*/true);
    monitor_->NoteLastSeen();
    NoteOwnUse(MonotonicNanos());
    NoteContainer();
  }
  NoteLosses();
  if (monitor_) writer_.FlushLast(stopping_);
  spool_.Close();
}

// Removes the module, which a killed JVM cannot do itself.
void Agent::RemovePythonModule() const {
  const std::string name = python_module_.substr(python_module_.rfind('/') + 1);
  if (name.starts_with("sparkprof_python_") && name.ends_with(".py")) unlink(python_module_.c_str());
}

void Agent::OnBlock(const std::string& block, bool last) {
  spool_.Append(block, last);
  TellSpool();
  if (forward_) plugin_->Block(block);
}

void Agent::Warn(const std::string& text) {
  writer_.AddNotice(NoticeLevel::kWarning, text);
  plugin_->Log(NoticeLevel::kWarning, text);
}

}  // namespace sparkprof

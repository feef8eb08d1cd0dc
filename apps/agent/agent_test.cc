// SPDX-License-Identifier: Apache-2.0
// The real agent, spoken to as the plugin speaks to it.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/time.h"
#include "capture/proc.h"
#include "cpython/ring/ring_writer.h"
#include "cpython/ring/testing/ring_folder.h"
#include "testing/agent_fixture.h"
#include "testing/sample_chunk.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

// How long a process has run on a core or waited for one.
int64_t ScheduledNanos(int64_t pid) {
  std::istringstream fields(ReadFile("/proc/" + std::to_string(pid) + "/schedstat").value_or(""));
  int64_t ran_ns = 0, waited_ns = 0;
  fields >> ran_ns >> waited_ns;
  return ran_ns + waited_ns;
}

TEST_F(AgentTest, PythonsRingsAreReadAndTheJvmsSamplesSayWhatPythonDid) {
  const testing::RingFolder rings;
  const ChildProcess worker({"sleep", "600"});
  const auto stat = ReadProcessStat(worker.Pid());
  ASSERT_TRUE(stat);
  auto pairs = HelloPairs();
  pairs["python_rings"] = rings.Path();
  Start(pairs);
  const int64_t now = MonotonicNanos();
  agent_.TaskBegin(now - kNanosPerSecond, 5, 77);
  RingWriter ring;
  ASSERT_TRUE(ring.Create(rings.Ring(worker.Pid(), stat->start_ticks).c_str(), worker.Pid(), stat->start_ticks,
                          10'000'000, now - kNanosPerSecond));
  ring.AddCode(1, "score", "/home/me/job.py", 10);
  for (int64_t i = 1; i <= 100; ++i) {
    RingSample sample{};
    sample.monotonic_ns = now - kNanosPerSecond + i * 10'000'000;
    sample.task = 5;
    sample.cpu_ns = sample.wall_ns = 10'000'000;
    sample.tid = static_cast<int32_t>(worker.Pid());
    sample.frames = 1;
    const RingFrame frame{1, 12};
    ring.AddSample(sample, &frame);
    ASSERT_TRUE(ring.Publish());
  }
  agent_.AppendJfr(SampleChunk(now - kNanosPerSecond).Wall(now - kNanosPerSecond / 2, 77, 1, 0).Finish());
  agent_.Dumped(now);
  agent_.Stopping();
  agent_.End();
  EXPECT_EQ(agent_.ExitCode(), 0);
  EXPECT_EQ(rings.Files(), 0u);
  int64_t python_cpu_ns = 0, jvm_rows = 0;
  for (const Segment& segment : Read(spool_)) {
    for (const SegmentSample& sample : segment.samples) {
      const bool is_python = segment.threads[sample.thread].pid == worker.Pid();
      if (is_python && sample.event == Event::kCpu) python_cpu_ns += sample.weight;
      if (is_python) continue;
      EXPECT_EQ(sample.python, PythonState::kRunning);
      ++jvm_rows;
    }
  }
  EXPECT_EQ(python_cpu_ns, kNanosPerSecond);
  EXPECT_EQ(jvm_rows, 1);
}

TEST_F(AgentTest, FramesAreConfirmedWhenTheirContentIsInTheRecording) {
  Start();
  agent_.Event(R"({"Event":"SparkListenerApplicationStart"})");
  agent_.Dumped(MonotonicNanos());
  int64_t confirmed = 0;
  while (confirmed < 3) {
    const AgentProcess::Frame frame = agent_.Read();
    ASSERT_NE(frame.kind, ToPlugin{0});
    if (frame.kind == ToPlugin::kRecorded) confirmed = PayloadReader(frame.payload).I64();
    if (confirmed >= 2) {
      ASSERT_FALSE(Read(spool_).empty());
    }
  }
  EXPECT_EQ(confirmed, 3);
  agent_.Kill();
  int64_t events = 0;
  for (const Segment& segment : Read(spool_)) events += static_cast<int64_t>(segment.spark_events.size());
  EXPECT_EQ(events, 1);
}

TEST_F(AgentTest, SparksEventsAreRedactedBeforeTheyAreWritten) {
  auto pairs = HelloPairs();
  pairs["redaction_regex"] = "salary";
  pairs["redaction_string_regex"] = "cust-[0-9]+";
  Start(pairs);
  agent_.Event(
      R"({"Event":"E","Properties":{"my.salary":"hunter1","db.password":"hunter2"},"pin":{"password":77012}})");
  agent_.Event(R"({"Event":"E","Description":"password:\n  hunter3","Name":"of cust-77"})");
  agent_.Notice(1, "cannot read: password=hunter4");
  agent_.Stopping();
  agent_.End();
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    if (!entry.is_regular_file()) continue;
    for (const Segment& segment : Read(entry.path())) {
      std::string texts;
      for (const std::string& event : segment.spark_events) texts += event;
      for (const Notice& notice : segment.notices) texts += notice.text;
      for (const std::string secret : {"hunter", "77012", "cust-77"}) {
        EXPECT_EQ(texts.find(secret), std::string::npos) << texts;
      }
    }
  }
  EXPECT_TRUE(HasEvents(Read(spool_)));
}

TEST_F(AgentTest, TheModuleOfAKilledJvmsPythonGoesWithTheAgent) {
  const std::string module = Path("sparkprof_python_17.py"), other = Path("job.py");
  ASSERT_TRUE(WriteFile(module, "") && WriteFile(other, ""));
  auto pairs = HelloPairs();
  pairs["python_module"] = module;
  Start(pairs);
  agent_.End();
  EXPECT_FALSE(fs::exists(module));
  EXPECT_TRUE(fs::exists(other));
}

TEST_F(AgentTest, ASessionFromHelloToItsEndIsRecorded) {
  Start();
  const int64_t now = MonotonicNanos();
  agent_.TaskBegin(now, 5, 77);
  agent_.Event(R"({"Event":"SparkListenerApplicationStart"})");
  agent_.Notice(1, "kernel frames are not visible");
  agent_.AppendJfr(SampleChunk().Cpu(now + 10, 77).Cpu(now + 20, 77).Cpu(now + 30, 78, 2).Finish());
  agent_.TaskEnd(now + 1'000'000, 5, 77, 1);
  agent_.Loss("task_records", 2);
  agent_.Loss("spark_events", 1);
  agent_.Loss("spark_events", 2);
  agent_.Dumped(now + 2'000'000, 4);
  agent_.Stopping();
  agent_.End();
  EXPECT_EQ(agent_.ExitCode(), 0);

  const auto segments = Read(spool_);
  ASSERT_FALSE(segments.empty());
  std::map<std::string, int64_t> losses;
  std::set<std::string> series, roles;
  int64_t in_task = 0, elsewhere = 0;
  std::vector<TaskInterval> intervals;
  std::vector<std::string> notices, settings, events;
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    EXPECT_EQ(segment.source.sequence, i);
    EXPECT_EQ(segment.source.executor_id, "7");
    EXPECT_EQ(segment.source.pid, jvm_.Pid());
    EXPECT_GT(segment.source.start_ticks, 0);
    EXPECT_FALSE(segment.source.boot_id.empty());
    EXPECT_EQ(segment.final, i + 1 == segments.size());
    for (const SegmentSample& sample : segment.samples) {
      (sample.task == 5 && sample.category == Category::kTask ? in_task : elsewhere) += sample.count;
      EXPECT_EQ(sample.weight, sample.count * 10'000'000);
      EXPECT_NEAR(static_cast<double>(sample.bucket), static_cast<double>(EpochNanos()) / 1e9, 20);
    }
    for (const Loss& loss : segment.losses) losses[loss.what] = loss.count;
    for (const Series& one : segment.series) series.insert(one.name);
    for (const Process& process : segment.processes) roles.insert(process.role);
    for (const Notice& notice : segment.notices) notices.push_back(notice.text);
    for (const ProfilerSetting& setting : segment.settings) settings.push_back(setting.name);
    intervals.insert(intervals.end(), segment.task_intervals.begin(), segment.task_intervals.end());
    events.insert(events.end(), segment.spark_events.begin(), segment.spark_events.end());
  }
  EXPECT_EQ(in_task, 2);
  EXPECT_EQ(elsewhere, 1);
  ASSERT_FALSE(intervals.empty());
  EXPECT_EQ(intervals.back().task, 5);
  EXPECT_EQ(intervals.back().stage, 3);
  EXPECT_EQ(intervals.back().partition, 7);
  EXPECT_EQ(intervals.back().status, TaskStatus::kSucceeded);
  EXPECT_EQ(intervals.back().end_ns - intervals.back().begin_ns, 1'000'000);
  EXPECT_EQ(events, std::vector<std::string>{R"({"Event":"SparkListenerApplicationStart"})"});
  EXPECT_EQ(losses["samples"], 4);
  EXPECT_EQ(losses["task_records"], 2);
  EXPECT_EQ(losses["spark_events"], 3);
  EXPECT_EQ(notices[0], "kernel frames are not visible");
  EXPECT_EQ(settings, (std::vector<std::string>{"cpu.interval_ns", "wall.interval_ns"}));
  for (const char* name :
       {"process.cpu_ns", "process.rss_bytes", "process.threads", "agent.cpu_ns", "agent.rss_bytes"}) {
    EXPECT_TRUE(series.contains(name)) << name;
  }
  // Neither `sparkprof run` nor the plugin's time is known here.
  EXPECT_FALSE(series.contains("run.cpu_ns"));
  EXPECT_FALSE(series.contains("plugin.cpu_ns"));
  EXPECT_TRUE(roles.contains("jvm"));
}

TEST_F(AgentTest, ThePluginsOwnCpuTimeIsASeries) {
  auto pairs = HelloPairs();
  pairs["plugin_cpu_ns"] = "120000000";
  Start(pairs);
  agent_.Stopping();
  agent_.End();
  double cpu_ns = 0;
  for (const Segment& segment : Read(spool_)) {
    for (const Series& series : segment.series) {
      if (series.name == "plugin.cpu_ns") cpu_ns = series.points.back().value;
    }
  }
  EXPECT_EQ(cpu_ns, 120'000'000);
}

TEST_F(AgentTest, ATaskThatRunsIsInTheRecordingBeforeItEnds) {
  Start();
  agent_.TaskBegin(MonotonicNanos(), 5, 77);
  EXPECT_TRUE(Await(spool_, [](const std::vector<Segment>& segments) {
    return std::any_of(segments.begin(), segments.end(), [](const Segment& segment) {
      return !segment.task_intervals.empty() && segment.task_intervals[0].end_ns == 0;
    });
  }));
  agent_.End();
  EXPECT_EQ(agent_.ExitCode(), 0);
}

TEST_F(AgentTest, AfterAKillOfTheJvmEverythingUpToTheLastWholeChunkIsThere) {
  Start();
  const int64_t now = MonotonicNanos();
  agent_.TaskBegin(now, 5, 77);
  const std::string chunk = SampleChunk().Cpu(now + 10, 77).Finish();
  agent_.AppendJfr(chunk + chunk.substr(0, chunk.size() / 2));
  // No DUMPED and no STOPPING; the pipe stays open, as if a child had inherited it.
  jvm_.Kill();
  agent_.WaitForEnd();
  const auto segments = Read(spool_);
  ASSERT_FALSE(segments.empty());
  EXPECT_FALSE(segments.back().final);
  int64_t samples = 0;
  for (const Segment& segment : segments) {
    for (const SegmentSample& sample : segment.samples) {
      EXPECT_EQ(sample.task, 5);
      samples += sample.count;
    }
  }
  EXPECT_EQ(samples, 1);
}

TEST_F(AgentTest, EndsWithoutEverHearingHello) {
  agent_pid_ = agent_.Pid();
  agent_.End();
  EXPECT_EQ(agent_.ExitCode(), 0);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(AgentTest, SamplesHaveTheIntervalThatWasInEffect) {
  Start();
  const int64_t now = MonotonicNanos();
  agent_.AppendJfr(SampleChunk(now - kNanosPerSecond).Cpu(now - kNanosPerSecond / 2, 77, 1).Finish());
  agent_.Dumped(now);
  agent_.Settings({{"setting.cpu.interval_ns", "30000000"}, {"setting.events", "cpu"}});
  agent_.AppendJfr(SampleChunk(now).Cpu(now + 1, 77, 1).Finish());
  agent_.Dumped(now + 2);
  agent_.Stopping();
  agent_.End();
  std::vector<int64_t> weights;
  std::set<std::string> intervals;
  for (const Segment& segment : Read(spool_)) {
    for (const SegmentSample& sample : segment.samples) weights.push_back(sample.weight);
    for (const ProfilerSetting& setting : segment.settings) {
      if (setting.name == "cpu.interval_ns") intervals.insert(setting.value);
    }
  }
  EXPECT_EQ(weights, (std::vector<int64_t>{10'000'000, 30'000'000}));
  EXPECT_EQ(intervals, (std::set<std::string>{"10000000", "30000000"}));
}

TEST_F(AgentTest, SamplesThatCostTooMuchGetALongerInterval) {
  auto pairs = HelloPairs();
  pairs["setting.alloc.interval_bytes"] = pairs["finest.alloc.interval_bytes"] = "2097152";
  // The user has fixed this one.
  pairs["setting.lock.threshold_ns"] = "1000000";
  Start(pairs);
  const auto chunk = [](int64_t start_ns) {
    SampleChunk samples(start_ns);
    for (int i = 0; i < 5'000; ++i) samples.Allocation(start_ns + i, 77, 2'097'152).Lock(start_ns + i, 77, 1'000);
    return samples.Finish();
  };
  // Whatever the time between the two dumps, 5,000 samples cost more than its share.
  agent_.AppendJfr(chunk(MonotonicNanos()));
  agent_.Dumped(MonotonicNanos());
  std::optional<std::string> intervals;
  while (!intervals) {
    const int64_t start_ns = MonotonicNanos();
    agent_.AppendJfr(chunk(start_ns));
    agent_.Dumped(MonotonicNanos());
    const AgentProcess::Frame frame = agent_.Read();
    if (frame.kind == ToPlugin::kIntervals) intervals = frame.payload;
  }
  ASSERT_EQ(intervals->size(), 32u);
  PayloadReader reader(*intervals);
  EXPECT_EQ(reader.I64(), 10'000'000) << "not given as changeable";
  EXPECT_EQ(reader.I64(), 50'000'000);
  const int64_t alloc = reader.I64();
  EXPECT_GE(alloc, 4 << 20);
  EXPECT_EQ(alloc % (2 << 20), 0) << "a multiple of the configured one";
  EXPECT_EQ(reader.I64(), 1'000'000);
  agent_.Stopping();
  agent_.End();
  std::string notices;
  for (const Segment& segment : Read(spool_)) {
    for (const Notice& notice : segment.notices) notices += notice.text + "\n";
  }
  EXPECT_NE(notices.find("alloc is sampled every"), std::string::npos) << notices;
}

TEST_F(AgentTest, TermMakesItWriteAtOnceAndGoOn) {
  Start();
  agent_.Event("{}");
  ASSERT_TRUE(Await(spool_, HasEvents));
  kill(static_cast<pid_t>(agent_pid_), SIGTERM);
  kill(static_cast<pid_t>(agent_pid_), SIGINT);
  agent_.TaskBegin(MonotonicNanos(), 9, 77);
  EXPECT_TRUE(Await(spool_, [](const std::vector<Segment>& segments) {
    return !segments.empty() && !segments.back().task_intervals.empty();
  }));
  agent_.Stopping();
  agent_.End();
  EXPECT_EQ(agent_.ExitCode(), 0);
  EXPECT_TRUE(Read(spool_).back().final);
}

TEST_F(AgentTest, HeapSummariesAreRecordedAndUnreadableOnesCounted) {
  Start();
  const int64_t start_ns = MonotonicNanos();
  const std::string head = AgentProcess::I64(start_ns) + AgentProcess::I64(7'000'000);
  const int64_t epoch_ns = EpochNanos();
  agent_.Send(FromPlugin::kHeapSummary, head + "   1:  3  72  [Lorg.example.Node;\nTotal 3 72\n");
  agent_.Send(FromPlugin::kHeapSummary, head + "   1:  3  72  [Lorg.example.No");
  agent_.Send(FromPlugin::kHeapSummary, "short");
  agent_.Stopping();
  agent_.End();
  std::vector<HeapSummary> summaries;
  std::map<std::string, int64_t> losses;
  std::string warnings;
  for (const Segment& segment : Read(spool_)) {
    for (const HeapSummary& summary : segment.heap_summaries) {
      summaries.push_back(summary);
      EXPECT_EQ(segment.strings.Get(summary.classes.at(0).name), "org.example.Node[]");
    }
    for (const Loss& loss : segment.losses) losses[loss.what] = loss.count;
    for (const Notice& notice : segment.notices) warnings += notice.text + "\n";
  }
  ASSERT_EQ(summaries.size(), 1u);
  EXPECT_EQ(summaries[0].pause_ns, 7'000'000);
  EXPECT_EQ(summaries[0].classes[0].objects.instances, 3);
  EXPECT_LT(std::abs(summaries[0].time_ns - epoch_ns), kPatienceNs);
  EXPECT_EQ(losses["heap_summaries"], 1);
  EXPECT_EQ(losses["records"], 1);
  EXPECT_EQ(warnings, "class histogram: truncated, no line \"Total\" after 1 classes\n");
}

TEST_F(AgentTest, GarbageOnItsInputEndsItInOrder) {
  Start();
  agent_.Event("{}");
  ASSERT_TRUE(Await(spool_, HasEvents));
  agent_.Send(FromPlugin{77}, "a kind of a later version");
  agent_.Send(FromPlugin::kTaskBegin, "short");
  agent_.Send(FromPlugin::kHello, "\xff\xff\xff\xff");
  agent_.Send(FromPlugin::kDumped, "");
  agent_.AppendJfr(std::string(5000, 'x'));
  agent_.Dumped(MonotonicNanos());
  agent_.End();
  EXPECT_EQ(agent_.ExitCode(), 0);
  std::map<std::string, int64_t> losses;
  for (const Segment& segment : Read(spool_)) {
    for (const Loss& loss : segment.losses) losses[loss.what] = loss.count;
  }
  EXPECT_EQ(losses["records"], 3);
  EXPECT_EQ(losses["chunk_bytes"], 5000);
}

TEST_F(AgentTest, TakesManyEventsWithoutRestingBetween) {
  Start();
  // Two do not fit into one page of the pipe, which is thus full before it holds all that the agent can read at once.
  const std::string event = "{\"padding\":\"" + std::string(3'000, 'x') + "\"}";
  constexpr size_t kEvents = 32'000;
  const int64_t start = MonotonicNanos();
  const int64_t sent_before = ScheduledNanos(getpid());
  const int64_t read_before = ScheduledNanos(agent_pid_);
  for (size_t i = 0; i < kEvents; ++i) agent_.Event(event);
  const int64_t busy = ScheduledNanos(getpid()) - sent_before + ScheduledNanos(agent_pid_) - read_before;
  // A rest of 50 ms after each full pipe would add up to 100 s in which neither side ran or waited for a core.
  EXPECT_LT(MonotonicNanos() - start - busy, 50 * kNanosPerSecond);
  agent_.End();
  EXPECT_EQ(agent_.ExitCode(), 0);
  size_t recorded = 0;
  for (const Segment& segment : Read(spool_)) recorded += segment.spark_events.size();
  EXPECT_EQ(recorded, kEvents);
}

TEST_F(AgentTest, StaysSmallWhileTensOfThousandsOfTasksAndMuchJfrGoThrough) {
  Start();
  int64_t now = MonotonicNanos();
  for (int round = 0; round < 20; ++round) {
    SampleChunk chunk(now);
    for (int task = 0; task < 1'000; ++task) {
      agent_.TaskBegin(now, round * 1'000 + task, 77);
      for (int sample = 0; sample < 10; ++sample) chunk.Cpu(now + sample, 77);
      agent_.TaskEnd(now += 1'000, round * 1'000 + task, 77, 1);
    }
    agent_.AppendJfr(chunk.Finish());
    agent_.Dumped(now);
  }
  agent_.Stopping();
  ASSERT_TRUE(Await(spool_, [](const std::vector<Segment>& segments) {
    return !segments.empty() && std::any_of(segments.begin(), segments.end(), [](const Segment& segment) {
      return !segment.samples.empty() && segment.samples.back().task == 19'999;
    });
  }));
  EXPECT_TRUE(Eventually([&] { return agent_.JfrBlocks() * 512 <= 8192; }));
  const std::string status = ReadFile("/proc/" + std::to_string(agent_pid_) + "/status").value_or("");
  const size_t at = status.find("VmHWM:");
  ASSERT_NE(at, std::string::npos);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(std::stoll(status.substr(at + 6)), 32 << 10) << "kB at most";
#endif
  agent_.End();
  EXPECT_EQ(agent_.ExitCode(), 0);
  int64_t samples = 0;
  for (const Segment& segment : Read(spool_)) {
    for (const SegmentSample& sample : segment.samples)
      samples += sample.category == Category::kTask ? sample.count : 0;
  }
  EXPECT_EQ(samples, 200'000);
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "base/time.h"
#include "recording/application_builder.h"
#include "recording/profile_recording.h"
#include "recording/source_grouping.h"

namespace sparkprof {
namespace {

constexpr int64_t kStartNs = 1'700'000'000 * kNanosPerSecond;
constexpr int64_t kMs = kNanosPerMilli;
constexpr int64_t kJvm = 42, kPython = 50, kOther = 99;
constexpr int64_t kThread = 77;

// Executor 1 on host-a: task 12 from 100 ms to 900 ms on its thread, task 13 since 1 s, and in a Python worker.
Segment Executor() {
  Segment segment;
  segment.source.application_id = "app-1";
  segment.source.executor_id = "1";
  segment.source.host = "host-a";
  segment.source.boot_id = "boot";
  segment.source.pid = kJvm;
  segment.source.start_ticks = 5;
  segment.source.bucket_ns = kNanosPerSecond;
  segment.source.role = "executor";
  segment.anchors = {{1, kStartNs}, {2, kStartNs + 2 * kNanosPerSecond}};
  segment.task_intervals = {
      {12, 3, 0, 5, 0, kThread, -1, kStartNs + 100 * kMs, kStartNs + 900 * kMs, TaskStatus::kSucceeded},
      {13, 3, 0, 6, 0, kThread, -1, kStartNs + 1000 * kMs, 0, TaskStatus::kRunning}};
  segment.python_tasks = {{13, kPython, 9, kStartNs + 1100 * kMs, 0, 0}};
  return segment;
}

struct HostSample {
  int64_t pid = kJvm, tid = kThread, at_ms = 0;
  std::string name = {};
};

std::string HostProfile(const std::string& host, const std::vector<HostSample>& samples, int64_t bucket_ns) {
  Profile profile;
  const EventId cpu = profile.AddEvent(Event::kCpu);
  const FrameId frame = profile.frames.Intern({profile.strings.Intern("work"), 0, 0, FrameKind::kJit});
  for (const HostSample& sample : samples) {
    profile.threads.push_back({.process = sample.pid, .tid = sample.tid, .name = sample.name});
    profile.samples.push_back({.stack = profile.stacks.Push(0, frame),
                               .thread = static_cast<uint32_t>(profile.threads.size() - 1),
                               .event = cpu,
                               .time_ns = kStartNs + sample.at_ms * kMs,
                               .weight = 50 * kMs});
  }
  ProfileUpload upload;
  upload.id = std::string(kHostProfileIdPrefix) + host + "_service-20231114-00000000";
  upload.host = host;
  upload.start_ns = kStartNs;
  upload.bucket_ns = bucket_ns;
  std::string blocks;
  WriteProfileRecording(std::move(profile), upload, [&](std::string_view block) { blocks += block; });
  return blocks;
}

class ProfileJoinTest : public testing::Test {
 protected:
  void Join(const std::string& host, const std::vector<HostSample>& samples, Segment executor = Executor(),
            int64_t bucket_ns = 20 * kMs) {
    SourceGrouping grouping;
    grouping.BeginFile();
    grouping.Add(std::move(executor));
    grouping.EndFile(false);
    grouping.BeginFile();
    const Result<RecordingStatus> read = ReadBlocks(HostProfile(host, samples, bucket_ns), "profile",
                                                    [&](Segment&& segment) { grouping.Add(std::move(segment)); });
    ASSERT_TRUE(read) << read.error().message;
    grouping.EndFile(false);
    for (RecordedApplication& recorded : grouping.Take()) {
      Application built = BuildApplication(std::move(recorded));
      (built.is_foreign ? profile_ : application_) = std::move(built);
    }
  }

  // "TASK EXECUTOR" of each sample, in order of time; "-" = none.
  static std::vector<std::string> Samples(const Application& application, const std::vector<Sample>& samples) {
    std::vector<std::string> rows;
    for (const Sample& sample : samples) {
      const int64_t task = application.profile.tasks[sample.task].task;
      const int32_t executor = application.profile.threads[sample.thread].executor;
      rows.push_back((task == kNoTask ? "-" : std::to_string(task)) + " " +
                     (executor < 0 ? "-" : application.executors[static_cast<size_t>(executor)].id));
    }
    return rows;
  }
  std::vector<std::string> OfJvms() const { return Samples(application_, application_.profile.samples); }
  std::vector<std::string> OfPython() const { return Samples(application_, application_.python_samples); }

  Application application_, profile_;
};

using Rows = std::vector<std::string>;

TEST_F(ProfileJoinTest, ASampleBelongsToTheTaskOfItsThreadAtItsTime) {
  Join("host-a", {{.at_ms = 500}, {.at_ms = 1500}});
  EXPECT_EQ(OfJvms(), (Rows{"12 1", "13 1"}));
  EXPECT_FALSE(application_.is_foreign);
  EXPECT_EQ(application_.profile.events[0], (ProfileEvent{"cpu", "ns"}));
  ASSERT_EQ(application_.notices.size(), 1U);
  EXPECT_EQ(application_.notices[0].notice.text,
            "Samples of a profiler of the host in processes of executor 1: 2; of tasks: 2");
}

TEST_F(ProfileJoinTest, SamplesBetweenTasksAndOfOtherThreadsBelongToTheProcess) {
  Join("host-a", {{.at_ms = 50}, {.at_ms = 940}, {.tid = 78, .at_ms = 500}});
  EXPECT_EQ(OfJvms(), (Rows{"- 1", "- 1"})) << "one row for a thread and a second";
  int64_t count = 0;
  for (const Sample& sample : application_.profile.samples) count += sample.count;
  EXPECT_EQ(count, 3);
}

TEST_F(ProfileJoinTest, AnyThreadOfAPythonWorkerRunsItsTask) {
  Join("host-a", {{.pid = kPython, .tid = 51, .at_ms = 1300}, {.pid = kPython, .tid = 50, .at_ms = 1050}});
  EXPECT_TRUE(OfJvms().empty());
  EXPECT_EQ(OfPython(), (Rows{"13 1", "- 1"}));
}

TEST_F(ProfileJoinTest, OtherProcessesHostsAndTimesAreNotOfTheApplication) {
  Join("host-a", {{.pid = kOther, .at_ms = 500}, {.at_ms = 40'000}, {.at_ms = -40'000}});
  EXPECT_TRUE(OfJvms().empty());
  Join("host-b", {{.at_ms = 500}});
  EXPECT_TRUE(OfJvms().empty());
  EXPECT_TRUE(application_.notices.empty());
  EXPECT_EQ(profile_.profile.samples.size(), 1U) << "the host's profile keeps it";
}

TEST_F(ProfileJoinTest, WhereHostsCannotBeComparedATaskOfTheJvmMustBeSampled) {
  Segment executor = Executor();
  executor.source.host = "10.0.0.7";
  for (const char* const host : {"", "host-a"}) {
    Join(host, {{.tid = 78, .at_ms = 500}, {.pid = kPython, .tid = 51, .at_ms = 1300}}, executor);
    EXPECT_TRUE(OfJvms().empty() && OfPython().empty()) << host;
    Join(host, {{.tid = 78, .at_ms = 500}, {.pid = kPython, .tid = 51, .at_ms = 1300}, {.at_ms = 500}}, executor);
    EXPECT_EQ(OfJvms(), (Rows{"- 1", "12 1"})) << host;
    EXPECT_EQ(OfPython(), Rows{"13 1"}) << host;
  }
  Join("10.0.0.8", {{.at_ms = 500}}, executor);
  EXPECT_TRUE(OfJvms().empty()) << "another address";
}

TEST_F(ProfileJoinTest, InAPodWithItsOwnProcessIdsThreadsHaveTheNameOfTheirTask) {
  Segment executor = Executor();
  executor.source.host = "10.0.0.7";
  const std::vector<HostSample> samples = {{.pid = 9001, .tid = 9007, .at_ms = 500, .name = "TID 12"},
                                           {.pid = 9001, .tid = 9007, .at_ms = 950, .name = "TID 12"},
                                           {.pid = 9001, .tid = 9008, .at_ms = 500, .name = "TID 999"},
                                           {.pid = 9001, .tid = 9009, .at_ms = 500, .name = "GC Thread#0"}};
  Join("10.0.0.7", samples, executor);
  EXPECT_EQ(OfJvms(), Rows{"12 1"}) << "while it ran";
  Join("10.0.0.8", samples, executor);
  EXPECT_TRUE(OfJvms().empty()) << "another pod";
}

TEST_F(ProfileJoinTest, TheEventsThatTheApplicationSampledItselfCountOnce) {
  Segment executor = Executor();
  executor.threads = {{kThread, 0, 0}};
  executor.samples = {{.bucket = kStartNs / kNanosPerSecond, .event = Event::kCpu, .weight = 7, .count = 1}};
  Join("host-a", {{.at_ms = 500}}, executor);
  ASSERT_EQ(application_.profile.samples.size(), 1U);
  EXPECT_EQ(application_.profile.samples[0].weight, 7);
  executor.samples[0].event = Event::kAlloc;
  Join("host-a", {{.at_ms = 500}}, executor);
  EXPECT_EQ(application_.profile.samples.size(), 2U);
}

TEST_F(ProfileJoinTest, InWideBucketsTheTaskIsUnknown) {
  Join("host-a", {{.at_ms = 500}}, Executor(), 10 * kNanosPerSecond);
  EXPECT_EQ(OfJvms(), Rows{"- 1"});
}

TEST_F(ProfileJoinTest, ManyThreadsAndManyNamedSamplesCostTheirSum) {
  constexpr int64_t kCount = 20'000;
  Segment executor = Executor();
  for (int64_t thread = 1; thread <= kCount; ++thread) {
    executor.task_intervals.push_back({1'000 + thread, 3, 0, 5, 0, 1'000 + thread, -1, kStartNs + 100 * kMs,
                                       kStartNs + 900 * kMs, TaskStatus::kSucceeded});
  }
  std::vector<HostSample> samples;
  for (int64_t row = 0; row < kCount; ++row) samples.push_back({.pid = 1, .tid = row, .at_ms = 500, .name = "TID 7"});
  samples.push_back({.pid = 1, .tid = 5, .at_ms = 500, .name = "TID 1007"});
  const std::clock_t begin = std::clock();
  Join("host-a", samples, std::move(executor));
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 5);
  EXPECT_EQ(OfJvms(), Rows{"1007 1"});
}

}  // namespace
}  // namespace sparkprof

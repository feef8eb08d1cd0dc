// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>
#include <utility>

#include "base/testing/folder_test.h"
#include "base/time.h"
#include "model/testing/example_segment.h"
#include "recording/application_builder.h"
#include "recording/recordings.h"
#include "recording/source_grouping.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

class RecordingReaderTest : public FolderTest {
 protected:
  std::string WriteSegments(const std::string& name, std::initializer_list<Segment> segments) const {
    std::string bytes;
    for (const Segment& segment : segments) bytes += EncodeBlock(segment);
    return Write(name, bytes);
  }

  // The only application below the folder, which is the same if its segments stay in their files until they are used.
  Application ReadOne() const {
    Result<Recording> recording = ReadRecordings({folder_});
    EXPECT_TRUE(recording.has_value()) << recording.error().message;
    EXPECT_EQ(recording->applications.size(), 1u);
    EXPECT_EQ(Recorded(ReadFromFiles()), Recorded(recording->applications.front()));
    return std::move(recording->applications.front());
  }

  Application ReadFromFiles() const {
    SourceGrouping sources;
    bool is_file_unreadable = false;
    const std::vector<std::string> paths = RecordingsBelow(folder_).value();
    for (const std::string& path : paths) {
      Result<RecordedFile> file = ReadRecordedFile(path, /*in_memory=*/false);
      is_file_unreadable = is_file_unreadable || !file;
      if (file) sources.AddFile(std::move(*file));
    }
    std::vector<RecordedApplication> recorded = sources.Take();
    EXPECT_EQ(recorded.size(), 1u);
    Application application = BuildApplication(std::move(recorded.front()));
    application.complete = application.complete && !is_file_unreadable;
    return application;
  }

  static std::string Recorded(const Application& application) {
    std::string bytes;
    WriteRecording(application, [&](std::string_view block) { bytes += block; });
    return bytes;
  }
};

constexpr int64_t kStartNanos = 1'700'000'000'000'000'000;

// An empty segment of one JVM.
Segment SegmentOf(const std::string& application, const std::string& executor, int64_t pid, uint64_t sequence) {
  Segment segment;
  segment.source = {
      application, "",      "job", executor, "host-a",      "boot",   pid,
      7,           "4.1.1", "17",  "0.1.0",  1'000'000'000, sequence, executor == "driver" ? "driver" : "executor"};
  const int64_t seconds = static_cast<int64_t>(sequence) * 1'000'000'000;
  segment.anchors = {{pid * 1'000'000'000'000 + seconds, kStartNanos + seconds}};
  segment.final = true;
  return segment;
}

// `count` cpu samples of 10 ms in the given second on a thread, with a stack of one frame.
void AddSample(Segment* segment, int64_t second, int64_t tid, int64_t task, std::string_view function, int64_t count) {
  const FrameId frame = segment->frames.Intern({segment->strings.Intern(function), 0, 0, FrameKind::kJit});
  segment->threads.push_back({tid, segment->strings.Intern("thread " + std::to_string(tid))});
  segment->samples.push_back({second, Event::kCpu, task == kNoTask ? Category::kNone : Category::kTask,
                              ThreadState::kRunning, PythonState::kUnknown,
                              static_cast<uint32_t>(segment->threads.size() - 1), task, segment->stacks.Push(0, frame),
                              count * 10'000'000, count});
}

std::string_view LeafName(const Application& application, const Sample& sample) {
  return application.profile.strings.Get(
      application.profile.frames.Get(application.profile.stacks.Get(sample.stack).frame).name);
}

const Executor* FindExecutor(const Application& application, const std::string& id) {
  for (const Executor& executor : application.executors) {
    if (executor.id == id) return &executor;
  }
  return nullptr;
}

TEST_F(RecordingReaderTest, SamplesOfSeveralSegmentsMeetInTheTablesOfTheApplication) {
  Segment first = SegmentOf("app-1", "0", 42, 0);
  AddSample(&first, 1'700'000'000, 77, 5, "unused", 1);
  AddSample(&first, 1'700'000'000, 78, 5, "burn", 2);
  first.final = false;
  Segment second = SegmentOf("app-1", "0", 42, 1);
  AddSample(&second, 1'700'000'000, 78, 5, "burn", 3);
  WriteSegments("a.sprof", {first, second});

  const Application application = ReadOne();
  ASSERT_EQ(application.profile.samples.size(), 2u);
  const Sample& merged = application.profile.samples[1];
  EXPECT_EQ(merged.count, 5);
  EXPECT_EQ(merged.weight, 50'000'000);
  EXPECT_EQ(LeafName(application, merged), "burn");
  EXPECT_EQ(application.profile.threads[merged.thread].tid, 78);
  EXPECT_EQ(application.executors[static_cast<size_t>(application.ExecutorOf(merged))].id, "0");
  EXPECT_TRUE(application.complete);
}

TEST_F(RecordingReaderTest, TheSameThreadIdInTwoExecutorsIsTwoThreads) {
  Segment first = SegmentOf("app-1", "0", 42, 0);
  AddSample(&first, 1'700'000'000, 77, 5, "burn", 1);
  Segment second = SegmentOf("app-1", "1", 43, 0);
  AddSample(&second, 1'700'000'000, 77, 5, "burn", 1);
  WriteSegments("a.sprof", {first});
  WriteSegments("b.sprof", {second});
  const Application application = ReadOne();
  EXPECT_EQ(application.profile.samples.size(), 2u);
  EXPECT_EQ(application.profile.threads.size(), 3u);  // row 0 is unknown
}

TEST_F(RecordingReaderTest, SegmentsBeforeTheApplicationIdWasKnownBelongToTheApplication) {
  Segment early = SegmentOf("", "driver", 42, 0);
  AddSample(&early, 1'700'000'000, 42, kNoTask, "main", 1);
  early.final = false;
  WriteSegments("a.sprof", {early, SegmentOf("app-1", "driver", 42, 1)});
  const Application application = ReadOne();
  EXPECT_EQ(application.id, "app-1");
  EXPECT_EQ(application.profile.samples.size(), 1u);
  EXPECT_TRUE(application.complete);
}

TEST_F(RecordingReaderTest, ApplicationsThatRanOneAfterAnotherInOneJvmAreToldApart) {
  Segment second_begin = SegmentOf("", "driver", 42, 0);
  second_begin.anchors.front().monotonic_ns += 99;
  second_begin.anchors.front().epoch_ns += 60'000'000'000;
  AddSample(&second_begin, 1'700'000'060, 42, kNoTask, "second", 1);
  Segment second_end = SegmentOf("app-2", "driver", 42, 1);
  second_end.anchors.front().monotonic_ns += 99;
  // A recording like one that was put together from two spools.
  WriteSegments("a.sprof",
                {SegmentOf("", "driver", 42, 0), SegmentOf("app-1", "driver", 42, 1), second_begin, second_end});
  const Result<Recording> recording = ReadRecordings({folder_});
  ASSERT_TRUE(recording.has_value());
  ASSERT_EQ(recording->applications.size(), 2u);
  EXPECT_EQ(recording->applications[0].id, "app-1");
  EXPECT_EQ(recording->applications[0].profile.samples.size(), 0u);
  EXPECT_EQ(recording->applications[1].id, "app-2");
  EXPECT_EQ(recording->applications[1].profile.samples.size(), 1u);
}

TEST_F(RecordingReaderTest, APieceWithoutApplicationIdBelongsToTheApplicationThatGoesOnWhereItEnds) {
  Segment early = SegmentOf("", "driver", 42, 0);
  AddSample(&early, 1'700'000'000, 42, kNoTask, "main", 1);
  early.final = false;
  WriteSegments("driver-000000.sprof", {early});
  WriteSegments("driver-000001.sprof", {SegmentOf("app-1", "driver", 42, 1)});
  Segment other = SegmentOf("app-1", "0", 43, 1);
  other.final = false;
  WriteSegments("executor-000001.sprof", {other});
  const Application application = ReadOne();
  EXPECT_EQ(application.id, "app-1");
  EXPECT_EQ(application.profile.samples.size(), 1u);
  EXPECT_FALSE(application.complete);  // the executor's first piece is missing
}

TEST_F(RecordingReaderTest, ACopyOfASpoolCountsOnce) {
  Segment first = SegmentOf("", "0", 42, 0);
  AddSample(&first, 1'700'000'000, 77, 5, "burn", 4);
  const Segment second = SegmentOf("app-1", "0", 42, 1);
  WriteSegments("recording.sprof", {first, second});
  WriteSegments("spools/42.sprof", {first, second});
  WriteSegments("cut/42.sprof", {first});
  const Application application = ReadOne();
  ASSERT_EQ(application.profile.samples.size(), 1u);
  EXPECT_EQ(application.profile.samples[0].count, 4);
}

TEST_F(RecordingReaderTest, SegmentsWithoutClockAnchorsAreNotTakenForCopies) {
  Segment segment = SegmentOf("", "driver", 42, 0);
  segment.anchors.clear();
  AddSample(&segment, 1'700'000'000, 77, kNoTask, "burn", 4);
  WriteSegments("a.sprof", {segment});
  WriteSegments("b.sprof", {segment});
  EXPECT_EQ(ReadOne().profile.samples.at(0).count, 8);
}

TEST_F(RecordingReaderTest, SourcesThatNeverLearnedTheirApplicationFormOneOfTheirOwn) {
  WriteSegments("a.sprof", {SegmentOf("", "driver", 42, 0)});
  WriteSegments("b.sprof", {SegmentOf("", "driver", 43, 0)});
  EXPECT_EQ(ReadOne().id, "unidentified");
}

TEST_F(RecordingReaderTest, AnExecutorThatDoesNotKnowItsAttemptJoinsTheOneThatRanThen) {
  for (int64_t attempt = 1; attempt <= 2; ++attempt) {
    const int64_t begin_ns = kStartNanos + attempt * 100'000'000'000;
    Segment driver = SegmentOf("app-1", "driver", attempt, 0);
    driver.source.application_attempt = std::to_string(attempt);
    driver.anchors.front().epoch_ns = begin_ns;
    Segment executor = SegmentOf("app-1", std::to_string(attempt * 10), 100 + attempt, 0);
    executor.anchors.front().epoch_ns = begin_ns + 5;
    WriteSegments("driver" + std::to_string(attempt) + ".sprof", {driver});
    WriteSegments("executor" + std::to_string(attempt) + ".sprof", {executor});
  }
  const Result<Recording> recording = ReadRecordings({folder_});
  ASSERT_TRUE(recording.has_value());
  ASSERT_EQ(recording->applications.size(), 2u);
  EXPECT_EQ(recording->applications[0].attempt, "1");
  EXPECT_NE(FindExecutor(recording->applications[0], "10"), nullptr);
  EXPECT_NE(FindExecutor(recording->applications[1], "20"), nullptr);
}

TEST_F(RecordingReaderTest, TasksComeFromIntervalsWhereTheDriversEventsAreMissing) {
  Segment begin = SegmentOf("app-1", "0", 42, 0);
  begin.task_intervals = {{12, 3, 1, 5, 2, 77, 9, kStartNanos + 1, 0, TaskStatus::kRunning},
                          {13, 3, 1, 6, 0, 78, 9, kStartNanos + 2, 0, TaskStatus::kRunning}};
  AddSample(&begin, 1'700'000'000, 77, 12, "burn", 3);
  begin.final = false;
  Segment end = SegmentOf("app-1", "0", 42, 1);
  end.task_intervals = {{12, 3, 1, 5, 2, 77, 9, kStartNanos + 1, kStartNanos + 1'000'001, TaskStatus::kSucceeded}};
  WriteSegments("a.sprof", {begin, end});

  const Application application = ReadOne();
  const Tasks& tasks = application.tasks;
  ASSERT_EQ(tasks.Size(), 2u);
  EXPECT_EQ(tasks.id[0], 12);
  EXPECT_EQ(tasks.partition[0], 5);
  EXPECT_EQ(tasks.attempt[0], 2);
  EXPECT_EQ(tasks.launch_ns[0], kStartNanos + 1);
  EXPECT_EQ(tasks.finish_ns[0], kStartNanos + 1'000'001);
  EXPECT_EQ(tasks.outcome[0], TaskOutcome::kSucceeded);
  EXPECT_EQ(tasks.outcome[1], TaskOutcome::kRunning);
  EXPECT_EQ(tasks.Column(TaskMetric::kDuration)[0], 1'000'000);
  EXPECT_EQ(tasks.Column(TaskMetric::kCpuSamples)[0], 30'000'000);
  ASSERT_EQ(application.stages.size(), 1u);
  EXPECT_EQ(application.stages[0].name, "stage 3");
  EXPECT_EQ(application.stages[0].attempt, 1);
  EXPECT_EQ(application.stages[0].sql_execution, 9);
  EXPECT_EQ(application.stages[0].status, RunStatus::kRunning);
  EXPECT_EQ(application.stages[0].submit_ns, kStartNanos + 1);
  EXPECT_EQ(application.stages[0].task_count, 2);
}

TEST_F(RecordingReaderTest, WhatTheDriverSaysOfATaskHolds) {
  Segment driver = SegmentOf("app-1", "driver", 41, 0);
  driver.spark_events = {
      R"({"Event":"SparkListenerApplicationStart","App Name":"n","App ID":"app-1","Timestamp":1699999999000,"User":"u"})",
      R"({"Event":"SparkListenerTaskEnd","Stage ID":3,"Stage Attempt ID":0,"Task End Reason":{"Reason":"Success"},)"
      R"("Task Info":{"Task ID":12,"Index":4,"Attempt":0,"Launch Time":1700000000000,"Executor ID":"0","Host":"h",)"
      R"("Finish Time":1700000002000,"Failed":false,"Killed":false},"Task Metrics":{"Executor Run Time":1500}})"};
  Segment executor = SegmentOf("app-1", "0", 42, 0);
  executor.task_intervals = {{12, 3, 0, 4, 0, 77, -1, kStartNanos + 5, kStartNanos + 6, TaskStatus::kFailed}};
  WriteSegments("a.sprof", {executor});
  WriteSegments("b.sprof", {driver});
  const Application application = ReadOne();
  ASSERT_EQ(application.tasks.Size(), 1u);
  EXPECT_EQ(application.tasks.outcome[0], TaskOutcome::kSucceeded);
  EXPECT_EQ(application.tasks.launch_ns[0], kStartNanos);
  EXPECT_EQ(application.tasks.Column(TaskMetric::kDuration)[0], 2'000'000'000);
  EXPECT_EQ(application.tasks.Column(TaskMetric::kExecutorRunTime)[0], 1'500'000'000);
  EXPECT_EQ(application.name, "n");
  EXPECT_EQ(application.user, "u");
  EXPECT_EQ(application.start_ns, 1'699'999'999'000'000'000);
  ASSERT_EQ(application.executors.size(), 2u);
}

TEST_F(RecordingReaderTest, AnExecutorWhoseBlocksAreAllMissingIsCounted) {
  Segment driver = SegmentOf("app-1", "driver", 41, 0);
  driver.settings = {{"executor.fraction", "1"}};
  for (const char* executor : {"0", "1"}) {
    driver.spark_events.push_back(
        std::string(R"({"Event":"SparkListenerTaskEnd","Stage ID":3,"Stage Attempt ID":0,"Task End Reason":)"
                    R"({"Reason":"Success"},"Task Info":{"Task ID":1)") +
        executor + R"(,"Index":0,"Attempt":0,"Launch Time":1700000000000,"Executor ID":")" + executor +
        R"(","Host":"h","Finish Time":1700000002000,"Failed":false,"Killed":false},"Task Metrics":{}})");
  }
  WriteSegments("driver.sprof", {driver});
  WriteSegments("0.sprof", {SegmentOf("app-1", "0", 42, 0)});
  const std::string second = WriteSegments("1.sprof", {SegmentOf("app-1", "1", 43, 0)});
  EXPECT_TRUE(ReadOne().complete);
  fs::remove(second);

  const Application application = ReadOne();
  EXPECT_FALSE(application.complete);
  ASSERT_EQ(application.losses.size(), 1u);
  EXPECT_EQ(application.losses[0].what, "executors");
  EXPECT_EQ(application.losses[0].count, 1);
  ASSERT_EQ(application.notices.size(), 1u);
  EXPECT_TRUE(application.notices[0].notice.text.starts_with("Executor 1 ran tasks"));
}

TEST_F(RecordingReaderTest, NarrowBucketsAreBroughtToTheWidest) {
  Segment narrow = SegmentOf("app-1", "0", 42, 0);
  narrow.source.bucket_ns = 100'000'000;
  AddSample(&narrow, 17'000'000'009, 77, 5, "burn", 1);
  AddSample(&narrow, 17'000'000'010, 77, 5, "burn", 1);
  Segment wide = SegmentOf("app-1", "1", 43, 0);
  AddSample(&wide, 1'700'000'001, 78, 6, "burn", 1);
  WriteSegments("a.sprof", {narrow});
  WriteSegments("b.sprof", {wide});
  const Application application = ReadOne();
  EXPECT_EQ(application.profile.bucket_ns, 1'000'000'000);
  ASSERT_EQ(application.profile.samples.size(), 3u);
  EXPECT_EQ(application.profile.samples[0].time_ns, 1'700'000'000 * kNanosPerSecond);
  EXPECT_EQ(application.profile.samples[1].time_ns, 1'700'000'001 * kNanosPerSecond);
  EXPECT_EQ(application.profile.samples[2].time_ns, 1'700'000'001 * kNanosPerSecond);
}

TEST_F(RecordingReaderTest, SeriesProcessesNoticesAndSettingsAreBroughtTogether) {
  Segment first = SegmentOf("app-1", "0", 42, 0);
  first.processes = {{42, 7, 1, "jvm", "java", kStartNanos + 10, kStartNanos + 20}};
  first.series = {{"process.rss_bytes", 42, 7, SeriesKind::kGauge, {{kStartNanos + 30, 3}}}};
  first.notices = {{kStartNanos + 9, NoticeLevel::kWarning, "later"}};
  first.settings = {{"cpu.engine", "perf_events"}};
  first.final = false;
  Segment second = SegmentOf("app-1", "0", 42, 1);
  second.processes = {{42, 7, 1, "jvm", "java -Xmx1g", kStartNanos + 15, kStartNanos + 40}};
  second.series = {{"process.rss_bytes", 42, 7, SeriesKind::kGauge, {{kStartNanos + 10, 1}, {kStartNanos + 20, 2}}}};
  second.notices = {{kStartNanos + 1, NoticeLevel::kError, "sooner"}};
  second.settings = {{"cpu.engine", "perf_events"}, {"events", "cpu"}};
  WriteSegments("a.sprof", {first, second});

  const Application application = ReadOne();
  ASSERT_EQ(application.processes.size(), 1u);
  EXPECT_EQ(application.processes[0].process.command, "java -Xmx1g");
  EXPECT_EQ(application.processes[0].process.first_seen_ns, kStartNanos + 10);
  EXPECT_EQ(application.processes[0].process.last_seen_ns, kStartNanos + 40);
  ASSERT_EQ(application.series.size(), 1u);
  EXPECT_EQ(application.series[0].process, 0);
  ASSERT_EQ(application.series[0].points.size(), 3u);
  EXPECT_EQ(application.series[0].points[0].value, 1);
  EXPECT_EQ(application.series[0].points[2].value, 3);
  ASSERT_EQ(application.notices.size(), 2u);
  EXPECT_EQ(application.notices[0].notice.text, "sooner");
  EXPECT_EQ(application.settings.size(), 2u);
}

TEST_F(RecordingReaderTest, HeapSummariesOfSeveralJvmsAreInOrderOfTime) {
  const auto with_summary = [](const std::string& executor, int64_t pid, int64_t second, std::string_view name) {
    Segment segment = SegmentOf("app-1", executor, pid, 0);
    segment.strings.Intern("another string of " + executor);
    segment.heap_summaries = {
        {kStartNanos + second * kNanosPerSecond, 1, {{segment.strings.Intern(name), {2, 48}}}, 0, {}}};
    return segment;
  };
  WriteSegments("a.sprof", {with_summary("0", 42, 90, "Node")});
  WriteSegments("b.sprof", {with_summary("1", 43, 30, "byte[]")});
  const Application application = ReadOne();
  ASSERT_EQ(application.heap_summaries.size(), 2u);
  std::string text;
  for (const auto& [executor, summary] : application.heap_summaries) {
    text += application.executors[static_cast<size_t>(executor)].id + " ";
    text += application.profile.strings.Get(summary.classes.at(0).name);
    text += "\n";
  }
  EXPECT_EQ(text, "1 byte[]\n0 Node\n");
  EXPECT_EQ(application.end_ns, kStartNanos + 90 * kNanosPerSecond);
}

TEST_F(RecordingReaderTest, LossesOfASecondAgentAddToThoseOfTheFirstAndTheGapIsNotComplete) {
  Segment first = SegmentOf("app-1", "0", 42, 0);
  first.losses = {{"spool_bytes", "full", 7}};
  first.final = false;
  Segment second = SegmentOf("app-1", "0", 42, kSequencesOfAgent);
  second.losses = {{"spool_bytes", "full", 2}};
  WriteSegments("b.sprof", {second});
  WriteSegments("a.sprof", {first});

  const Application application = ReadOne();
  ASSERT_EQ(application.losses.size(), 1u);
  EXPECT_EQ(application.losses[0].count, 9);
  EXPECT_FALSE(application.complete);
}

TEST_F(RecordingReaderTest, LossesAreTheLastTotalsOfEachSourceAndShownByEvent) {
  Segment first = SegmentOf("app-1", "0", 42, 0);
  AddSample(&first, 1'700'000'000, 77, 5, "burn", 10);
  AddSample(&first, 1'700'000'000, 78, kNoTask, "gc", 10);
  first.losses = {{"cpu_samples", "skipped", 3}};
  first.final = false;
  Segment second = SegmentOf("app-1", "0", 42, 1);
  second.losses = {{"cpu_samples", "skipped", 5}, {"samples", "overflow", 7}, {"task_records", "full", 1}};
  Segment other = SegmentOf("app-1", "1", 43, 0);
  other.losses = {{"cpu_samples", "skipped", 100}};
  WriteSegments("a.sprof", {first, second});
  WriteSegments("b.sprof", {other});

  const Application application = ReadOne();
  EXPECT_EQ(application.losses.size(), 3u);
  ASSERT_EQ(application.coverage.size(), 1u);
  const Coverage& coverage = application.coverage[0];
  EXPECT_EQ(coverage.event, Event::kCpu);
  EXPECT_EQ(coverage.count, 20);
  EXPECT_EQ(coverage.weight, 200'000'000);
  EXPECT_EQ(coverage.on_task_threads, 10);
  EXPECT_EQ(coverage.joined, 10);
  EXPECT_EQ(coverage.lost, 112);
}

TEST_F(RecordingReaderTest, ARecordingWithoutItsEndOrWithAHoleIsNotComplete) {
  Segment open = SegmentOf("app-1", "0", 42, 0);
  open.final = false;
  WriteSegments("a.sprof", {open});
  EXPECT_FALSE(ReadOne().complete);

  WriteSegments("a.sprof", {open, SegmentOf("app-1", "0", 42, 2)});
  EXPECT_FALSE(ReadOne().complete);

  WriteSegments("a.sprof", {open, SegmentOf("app-1", "0", 42, 1)});
  EXPECT_TRUE(ReadOne().complete);
}

TEST_F(RecordingReaderTest, ACutRecordingIsReadUpToItsLastWholeBlock) {
  Segment open = SegmentOf("app-1", "0", 42, 0);
  AddSample(&open, 1'700'000'000, 77, 5, "burn", 10);
  const std::string whole = EncodeBlock(open);
  Write("a.sprof", whole + EncodeBlock(SegmentOf("app-1", "0", 42, 1)).substr(0, 40));
  const Result<Recording> recording = ReadRecordings({Path("a.sprof")});
  ASSERT_TRUE(recording.has_value());
  EXPECT_EQ(recording->status.blocks, 1u);
  EXPECT_EQ(recording->status.cut_bytes, 40u);
  ASSERT_EQ(recording->applications.size(), 1u);
  EXPECT_EQ(recording->applications[0].profile.samples.size(), 1u);
  EXPECT_FALSE(recording->applications[0].complete);
}

TEST_F(RecordingReaderTest, AnEmptyFileDoesNotHideTheOthersInItsFolder) {
  Write("a.sprof", "");
  WriteSegments("b.sprof", {SegmentOf("app-1", "0", 42, 0)});
  const Application application = ReadOne();
  EXPECT_EQ(application.id, "app-1");
  EXPECT_FALSE(application.complete);
}

TEST_F(RecordingReaderTest, ErrorsNameTheFileAndWhatWasExpected) {
  const auto message = [&](const std::string& path) {
    const Result<Recording> recording = ReadRecordings({path});
    return recording ? std::string() : recording.error().message;
  };
  const std::string foreign = Write("foreign.sprof", "hello, this is not a recording");
  EXPECT_NE(message(foreign).find("foreign.sprof: offset 0: not a sparkprof recording"), std::string::npos);
  EXPECT_NE(message(Path("missing.sprof")).find("missing.sprof"), std::string::npos);
  const std::string damaged = Write("damaged.sprof", EncodeBlock(SegmentOf("a", "0", 1, 0)).substr(0, 30));
  EXPECT_NE(message(damaged).find("damaged.sprof: offset 0: truncated recording: the first block is incomplete"),
            std::string::npos);
  fs::create_directories(Path("empty"));
  EXPECT_NE(message(Path("empty")).find("no .sprof file"), std::string::npos);
}

}  // namespace
}  // namespace sparkprof

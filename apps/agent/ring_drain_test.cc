// SPDX-License-Identifier: Apache-2.0
#include "ring_drain.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <vector>

#include "base/time.h"
#include "capture/proc.h"
#include "capture/testing/child_process.h"
#include "cpython/ring/ring_writer.h"
#include "cpython/ring/testing/ring_folder.h"
#include "model/segment/block.h"

namespace sparkprof {
namespace {

constexpr int64_t kTick = 10 * kNanosPerMilli;
constexpr char kWorker[] = "/opt/spark/python/lib/pyspark.zip/pyspark/worker.py";
constexpr char kSerializers[] = "/opt/spark/python/lib/pyspark.zip/pyspark/serializers.py";

class RingDrainTest : public ::testing::Test {
 protected:
  RingDrainTest() : start_ns_(MonotonicNanos() - 10 * kNanosPerSecond) {
    writer_.source().bucket_ns = kNanosPerSecond;
    drain_.SetFolder(folder_.Path());
    const auto stat = ReadProcessStat(worker_.Pid());
    ticks_ = stat ? stat->start_ticks : 0;
    ring_path_ = folder_.Ring(worker_.Pid(), ticks_);
    EXPECT_TRUE(ring_.Create(ring_path_.c_str(), worker_.Pid(), ticks_, kTick, start_ns_));
    ring_.AddCode(0, "main", kWorker, 1);
    ring_.AddCode(1, "score", "/home/me/job.py", 10);
    ring_.AddCode(2, "read_int", kSerializers, 590);
  }

  // A sample at start + `at`: in the user's function, or reading from the JVM.
  void AddSample(int64_t at_ns, int64_t task, bool in_user, int64_t cpu_ns, int64_t wall_ns = kTick, int32_t tid = 0,
                 uint16_t flags = 0) {
    RingSample sample{};
    sample.monotonic_ns = start_ns_ + at_ns;
    sample.task = task;
    sample.cpu_ns = cpu_ns;
    sample.wall_ns = wall_ns;
    sample.flags = flags;
    sample.tid = tid == 0 ? static_cast<int32_t>(worker_.Pid()) : tid;
    sample.frames = 2;
    const RingFrame frames[] = {{in_user ? 1U : 2U, 12}, {0, 600}};
    ring_.AddSample(sample, frames);
    EXPECT_TRUE(ring_.Publish());
  }
  void Begin(int64_t at_ns, int64_t task, int64_t cpu_ns) {
    RingTaskBegin begin{};
    begin.monotonic_ns = start_ns_ + at_ns;
    begin.task = task;
    begin.process_cpu_ns = cpu_ns;
    ring_.AddTaskBegin(begin);
    ring_.Publish();
  }
  void End(int64_t at_ns, int64_t task, int64_t cpu_ns) {
    RingTaskEnd end{};
    end.monotonic_ns = start_ns_ + at_ns;
    end.task = task;
    end.process_cpu_ns = cpu_ns;
    ring_.AddTaskEnd(end);
    ring_.Publish();
  }

  Segment Written() {
    writer_.Flush();
    Segment all = std::move(segment_);
    segment_ = Segment();
    return all;
  }
  static int64_t Weight(const Segment& segment, Event event, int64_t task) {
    int64_t weight = 0;
    for (const SegmentSample& sample : segment.samples) {
      if (sample.event == event && sample.task == task) weight += sample.weight;
    }
    return weight;
  }

  testing::RingFolder folder_;
  ChildProcess worker_{{"sleep", "600"}};
  int64_t ticks_ = 0;
  const int64_t start_ns_;
  std::string ring_path_;
  RingWriter ring_;
  Segment segment_;
  SegmentWriter writer_{[this](const std::string& block, bool) {
    (void)ReadBlocks(block, "block", [this](Segment&& segment) { segment_ = std::move(segment); });
  }};
  PythonActivity activity_;
  TaskTimes times_;
  RingDrain drain_{&writer_, &activity_, &times_};
};

TEST_F(RingDrainTest, ARingThatWasDeletedIsReadAsLongAsItsWorkerLives) {
  drain_.Drain();
  std::filesystem::remove_all(folder_.Path());
  for (int i = 1; i <= 10; ++i) AddSample(i * kTick, 5, true, kTick);
  drain_.Drain();
  EXPECT_TRUE(drain_.HasRing(worker_.Pid(), ticks_));
  const std::string name = RingName(worker_.Pid(), ticks_);
  worker_.Kill();
  drain_.Drain();
  drain_.HandOver();
  EXPECT_EQ(Weight(Written(), Event::kCpu, 5), 10 * kTick);
  EXPECT_EQ(drain_.TakeFinished(), std::set<std::string>{name});
}

TEST_F(RingDrainTest, SamplesBecomeRowsOfCpuAndWallWithTheirThreadsProcess) {
  for (int i = 1; i <= 10; ++i) AddSample(i * kTick, 5, true, kTick / 2);
  drain_.Drain();
  drain_.HandOver();
  const Segment segment = Written();
  EXPECT_EQ(Weight(segment, Event::kCpu, 5), 5 * kTick);
  EXPECT_EQ(Weight(segment, Event::kWall, 5), 10 * kTick);
  ASSERT_FALSE(segment.samples.empty());
  const SegmentSample& sample = segment.samples[0];
  EXPECT_EQ(segment.threads[sample.thread].pid, worker_.Pid());
  EXPECT_EQ(sample.category, Category::kTask);
  std::vector<FrameId> frames;
  segment.stacks.Unwind(sample.stack, &frames);
  ASSERT_EQ(frames.size(), 2u);
  const Frame& leaf = segment.frames.Get(frames[1]);
  EXPECT_EQ(segment.strings.Get(leaf.name), "score");
  EXPECT_EQ(segment.strings.Get(leaf.file), "/home/me/job.py");
  EXPECT_EQ(leaf.line, 12u);
  EXPECT_EQ(leaf.kind, FrameKind::kPython);
}

TEST_F(RingDrainTest, AllocationsAreHeldUntilTheirReleaseOrTheEndOfTheirWorker) {
  RingAllocation allocation{};
  allocation.monotonic_ns = start_ns_ + kTick;
  allocation.task = 5;
  allocation.tid = static_cast<int32_t>(worker_.Pid());
  allocation.frames = 1;
  const RingFrame frame{1, 12};
  for (const int64_t weight : {100, 20}) {
    ++allocation.number;
    allocation.weight = weight;
    ring_.AddAllocation(allocation, &frame);
  }
  RingRelease release{};
  release.monotonic_ns = start_ns_ + 3 * kNanosPerSecond;
  release.number = 1;
  ring_.AddRelease(release);
  ASSERT_TRUE(ring_.Publish());
  drain_.Drain();
  const int64_t pid = worker_.Pid();
  worker_.Kill();
  drain_.Drain();
  drain_.Finish();
  const Segment segment = Written();
  EXPECT_EQ(Weight(segment, Event::kPythonAlloc, 5), 120);
  EXPECT_EQ(Weight(segment, Event::kPythonFree, 5), 120);
  std::map<int64_t, int64_t> held;  // by bucket
  for (const SegmentSample& sample : segment.samples) {
    held[sample.bucket] += sample.event == Event::kPythonAlloc ? sample.weight : -sample.weight;
    const Frame& leaf = segment.frames.Get(segment.stacks.Get(sample.stack).frame);
    EXPECT_EQ(segment.strings.Get(leaf.name), "score");
    EXPECT_EQ(leaf.line, 12u);
    EXPECT_EQ(segment.threads[sample.thread].pid, pid);
  }
  std::vector<int64_t> changes;
  for (const auto& [bucket, bytes] : held) changes.push_back(bytes);
  EXPECT_EQ(changes, (std::vector<int64_t>{120, -100, -20}));
}

TEST_F(RingDrainTest, BlocksFreedDuringAPauseAreNotHeld) {
  RingAllocation allocation{};
  allocation.monotonic_ns = start_ns_ + kTick;
  allocation.number = 1;
  allocation.task = kNoTask;
  allocation.weight = 100;
  allocation.frames = 1;
  const RingFrame frame{1, 12};
  ring_.AddAllocation(allocation, &frame);
  ASSERT_TRUE(ring_.Publish());
  drain_.SetInterval(kTick);
  drain_.SetInterval(0);
  RingRelease release{};
  release.monotonic_ns = start_ns_ + 3 * kNanosPerSecond;
  release.number = 1;
  ring_.AddRelease(release);
  ASSERT_TRUE(ring_.Publish());
  drain_.Finish();
  const Segment segment = Written();
  EXPECT_EQ(Weight(segment, Event::kPythonAlloc, kNoTask), 100);
  EXPECT_EQ(Weight(segment, Event::kPythonFree, kNoTask), 100);
}

TEST_F(RingDrainTest, AWorkerThatReadsRunsOnlyWithMuchCpu) {
  AddSample(kTick, 5, true, kTick / 5);                       // running, but the machine also serves others
  AddSample(2 * kTick, 5, false, kTick / 5);                  // waits for rows
  AddSample(3 * kTick, 5, false, kTick);                      // unpickles
  AddSample(4 * kTick, 5, true, 0);                           // sleeps
  AddSample(5 * kTick, 5, true, 0, kTick, 0, kRingHoldsGil);  // would run if there were a CPU for it
  drain_.Drain();
  EXPECT_EQ(activity_.At(5, start_ns_ + kTick / 2), PythonState::kRunning);
  EXPECT_EQ(activity_.At(5, start_ns_ + kTick + kTick / 2), PythonState::kWaiting);
  EXPECT_EQ(activity_.At(5, start_ns_ + 2 * kTick + kTick / 2), PythonState::kRunning);
  EXPECT_EQ(activity_.At(5, start_ns_ + 3 * kTick + kTick / 2), PythonState::kWaiting);
  EXPECT_EQ(activity_.At(5, start_ns_ + 4 * kTick + kTick / 2), PythonState::kRunning);
}

TEST_F(RingDrainTest, SamplesAroundATaskBelongToItWhileTheJvmSaysItRuns) {
  times_.Begin(5, start_ns_ + 2 * kTick);
  AddSample(1 * kTick, -1, false, 0, kTick);
  AddSample(3 * kTick, -1, true, kTick, kTick);
  Begin(4 * kTick, 5, 0);
  AddSample(5 * kTick, 5, true, kTick, kTick);
  End(6 * kTick, 5, 0);
  AddSample(7 * kTick, -1, true, kTick, kTick);
  times_.End(5, start_ns_ + 8 * kTick);
  AddSample(9 * kTick, -1, false, 0, kTick);
  drain_.Drain();
  drain_.HandOver();
  const Segment segment = Written();
  EXPECT_EQ(Weight(segment, Event::kWall, 5), 3 * kTick);
  EXPECT_EQ(Weight(segment, Event::kWall, kNoTask), 2 * kTick);
  for (const SegmentSample& sample : segment.samples) {
    EXPECT_EQ(sample.category, sample.task == 5 ? Category::kTask : Category::kIdlePool);
  }
}

TEST_F(RingDrainTest, ASampleThatReachesBackBeyondItsTaskGivesItNoMoreThanItsAge) {
  times_.Begin(5, start_ns_ + 2 * kTick);
  AddSample(3 * kTick, -1, false, 0, 4000 * kTick);  // the worker was idle for 40 s
  Begin(3 * kTick, 5, 0);
  drain_.Drain();
  drain_.HandOver();
  const Segment segment = Written();
  EXPECT_EQ(Weight(segment, Event::kWall, 5), kTick);
  EXPECT_EQ(Weight(segment, Event::kWall, kNoTask), 3999 * kTick);
}

TEST_F(RingDrainTest, TasksCarryTheWorkersOwnClockAndUdfsAreSaidOnce) {
  Begin(0, 5, 100);
  for (int i = 0; i < 3; ++i) ring_.AddUdf(5, 200, "score", "/home/me/job.py", 10);
  ring_.Publish();
  End(kNanosPerSecond, 5, 700);
  Begin(kNanosPerSecond, 6, 700);
  int ended = 0;
  drain_.Drain([&](int64_t pid, int64_t ticks) {
    EXPECT_EQ(pid, worker_.Pid());
    EXPECT_EQ(ticks, ticks_);
    ++ended;
  });
  EXPECT_EQ(ended, 1);
  drain_.Finish();
  const Segment segment = Written();
  ASSERT_EQ(segment.udfs.size(), 1u);
  EXPECT_EQ(segment.udfs[0].task, 5);
  ASSERT_EQ(segment.python_tasks.size(), 2u);
  EXPECT_EQ(segment.python_tasks[0].cpu_ns, 600);
  EXPECT_EQ(segment.python_tasks[0].end_ns - segment.python_tasks[0].begin_ns, kNanosPerSecond);
  EXPECT_EQ(segment.python_tasks[1].task, 6) << "still running at the end";
  EXPECT_EQ(segment.python_tasks[1].end_ns, 0);
  EXPECT_EQ(folder_.Files(), 0u) << "nothing is left at the end, even while the worker lives";
}

TEST_F(RingDrainTest, AKilledWorkersRingIsReadThenRemoved) {
  drain_.Drain();
  EXPECT_EQ(folder_.Files(), 1u);
  AddSample(kTick, 5, true, kTick);
  worker_.Kill();
  worker_.Wait();
  drain_.Drain();
  EXPECT_EQ(folder_.Files(), 0u);
  drain_.HandOver();
  EXPECT_EQ(Weight(Written(), Event::kCpu, 5), kTick);
}

TEST_F(RingDrainTest, TheEndRemovesThePluginsFolderAndNoOther) {
  const std::filesystem::path place =
      std::filesystem::path(::testing::TempDir()) / ("drain-" + std::to_string(getpid()));
  for (const char* name : {"sparkprof-python-1", "other"}) {
    std::filesystem::create_directories(place / name / "rings");
    RingDrain drain(&writer_, &activity_, &times_);
    drain.SetFolder((place / name / "rings").string());
    drain.Finish();
  }
  EXPECT_FALSE(std::filesystem::exists(place / "sparkprof-python-1"));
  EXPECT_TRUE(std::filesystem::exists(place / "other" / "rings"));
  std::filesystem::remove_all(place);
}

TEST_F(RingDrainTest, NoticesBeyondTheFirstFiveOfAWorkerAreCounted) {
  for (int i = 0; i < 8; ++i) ring_.AddNotice(1, "notice " + std::to_string(i));
  ASSERT_TRUE(ring_.Publish());
  drain_.Drain();
  drain_.NoteLosses();
  const Segment segment = Written();
  EXPECT_EQ(segment.notices.size(), 5u);
  ASSERT_EQ(segment.losses.size(), 1u);
  EXPECT_EQ(segment.losses[0].what, "python_notices");
  EXPECT_EQ(segment.losses[0].count, 3);
}

TEST_F(RingDrainTest, LossesOutliveTheirRingAndWhatIsNoRingIsRemoved) {
  ring_.SetTorn(3);
  ASSERT_TRUE(WriteFile(folder_.Path() + "/1-1.ring", "no ring, and no such process"));
  ASSERT_TRUE(WriteFile(folder_.Path() + "/other.txt", "not ours"));
  worker_.Kill();
  worker_.Wait();
  drain_.Drain();
  EXPECT_EQ(folder_.Files(), 1u);
  drain_.NoteLosses();
  std::map<std::string, int64_t> losses;
  for (const Loss& loss : Written().losses) losses[loss.what + ": " + loss.reason] = loss.count;
  EXPECT_EQ(losses, (std::map<std::string, int64_t>{{"python_samples: stack changed while it was read", 3},
                                                    {"python_rings: unreadable", 1}}));
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "sample_collector.h"

#include <gtest/gtest.h>

#include <map>

#include "base/time.h"
#include "testing/sample_chunk.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;

// Samples of `chunk`, with an epoch that is 100 s ahead of the monotonic clock and buckets of a second.
SampleBatch Collect(SampleChunk* chunk, const TaskJoin& join, const PythonActivity& python = {},
                    NativeMemory* native_memory = nullptr) {
  const std::string bytes = chunk->Finish();
  const auto header = ParseJfrChunkHeader(bytes, "chunk", 0);
  SampleBatch batch;
  const SampleWeights weights{.cpu_interval_ns = 10'000'000,
                              .wall_interval_ns = 50'000'000,
                              .native_memory_interval_bytes = 4'000'000,
                              .native_memory = native_memory};
  SampleCollector collector(*header, {0, 100 * kSecond}, kSecond, weights, join, python, &batch);
  const auto status = JfrReader(&batch.strings, &batch.frames, &batch.stacks, &collector).ReadChunk(bytes, "chunk", 0);
  EXPECT_TRUE(status) << status.error().message;
  if (native_memory != nullptr) native_memory->AddReleases(&batch);
  return batch;
}

std::string Leaf(const SampleBatch& batch, const SegmentSample& sample) {
  return std::string(batch.strings.Get(batch.frames.Get(batch.stacks.Get(sample.stack).frame).name));
}

TEST(SampleCollector, CpuSamplesAreJoinedWeightedAndAddedUpByBucket) {
  TaskJoin join;
  join.Begin(77, 5, 1 * kSecond);
  join.End(77, 5, 3 * kSecond);
  SampleChunk chunk;
  chunk.Cpu(kSecond, 77).Cpu(kSecond + 1, 77).Cpu(2 * kSecond, 77).Cpu(2 * kSecond, 78, 2);
  const SampleBatch batch = Collect(&chunk, join);
  const auto& rows = batch.samples.Rows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].bucket, 101);
  EXPECT_EQ(rows[0].task, 5);
  EXPECT_EQ(rows[0].category, Category::kTask);
  EXPECT_EQ(rows[0].count, 2);
  EXPECT_EQ(rows[0].weight, 20'000'000);
  EXPECT_EQ(rows[1].bucket, 102);
  EXPECT_EQ(rows[2].category, Category::kNone);
  EXPECT_EQ(batch.threads[rows[2].thread].tid, 78);
}

TEST(SampleCollector, WallClockSamplesOfATaskSayWhatItsPythonWorkerDid) {
  TaskJoin join;
  join.Begin(77, 5, 0);
  PythonActivity python;
  python.Add(5, 4711, kSecond, 2 * kSecond, PythonState::kRunning);
  python.Add(5, 4711, 2 * kSecond, 3 * kSecond, PythonState::kWaiting);
  SampleChunk chunk;
  // A batch of four, at 0.5, 1.1, 1.7 and 2.3 s.
  chunk.Wall(kSecond / 2, 77, 4, 4 * (kSecond * 6 / 10)).Cpu(kSecond + 1, 77);
  const SampleBatch batch = Collect(&chunk, join, python);
  std::map<PythonState, int64_t> wall, cpu;
  for (const SegmentSample& row : batch.samples.Rows())
    (row.event == Event::kWall ? wall : cpu)[row.python] += row.count;
  EXPECT_EQ(wall, (std::map<PythonState, int64_t>{
                      {PythonState::kUnknown, 1}, {PythonState::kRunning, 2}, {PythonState::kWaiting, 1}}));
  EXPECT_EQ(cpu, (std::map<PythonState, int64_t>{{PythonState::kUnknown, 1}}));
}

TEST(SampleCollector, AThreadBesideATasksOwnWorksForTheTaskThatItIsNamedAfter) {
  TaskJoin join;
  join.Begin(77, 5, 0);
  SampleChunk chunk;
  chunk.Cpu(kSecond, 79, 2).Wall(kSecond, 79, 1, 0, 2).Cpu(kSecond, 78, 2);
  const SampleBatch batch = Collect(&chunk, join);
  std::map<std::pair<int64_t, Event>, int64_t> tasks;
  for (const SegmentSample& row : batch.samples.Rows()) {
    tasks[{batch.threads[row.thread].tid, row.event}] = row.task;
    EXPECT_EQ(row.category, row.task == kNoTask ? Category::kNone : Category::kTask);
  }
  EXPECT_EQ(tasks, (std::map<std::pair<int64_t, Event>, int64_t>{
                       {{78, Event::kCpu}, kNoTask}, {{79, Event::kCpu}, 9}, {{79, Event::kWall}, kNoTask}}));
}

TEST(SampleCollector, AllocationsAndLocksEndInTheTypeTheyAreAbout) {
  TaskJoin join;
  join.Begin(77, 5, 0);
  SampleChunk chunk;
  chunk.Allocation(10, 77, 524'288).Lock(20, 77, 7'000);
  const SampleBatch batch = Collect(&chunk, join);
  const auto& rows = batch.samples.Rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(Leaf(batch, rows[0]), "byte[]");
  EXPECT_EQ(batch.frames.Get(batch.stacks.Get(rows[0].stack).frame).kind, FrameKind::kSynthetic);
  EXPECT_EQ(rows[0].weight, 524'288);
  EXPECT_EQ(Leaf(batch, rows[1]), "java.lang.Object");
  EXPECT_EQ(rows[1].weight, 7'000);
}

TEST(SampleCollector, ANativeAllocationStandsForThoseSinceTheLastSample) {
  TaskJoin join;
  join.Begin(77, 5, 0);
  SampleChunk chunk;
  chunk.NativeAllocation(10, 77, 64).NativeAllocation(20, 78, 9'000'000);
  const SampleBatch batch = Collect(&chunk, join);
  const auto& rows = batch.samples.Rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].event, Event::kMalloc);
  EXPECT_EQ(rows[0].task, 5);
  EXPECT_EQ(rows[0].weight, 4'000'000) << "small ones are as many as the interval";
  EXPECT_EQ(rows[1].weight, 9'000'000);
}

// {bucket: bytes} of an event.
std::map<int64_t, int64_t> BytesByBucket(const SampleBatch& batch, Event event) {
  std::map<int64_t, int64_t> bytes;
  for (const SegmentSample& row : batch.samples.Rows()) {
    if (row.event == event) bytes[row.bucket] += row.weight;
  }
  return bytes;
}

TEST(SampleCollector, AReleaseHasTheTaskAndTheStackOfItsAllocation) {
  TaskJoin join;
  join.Begin(77, 5, 0);
  NativeMemory memory;
  SampleChunk first;
  first.NativeAllocation(10, 77, 5'000'000).NativeAllocation(20, 77, 7'000'000, 16);
  Collect(&first, join, {}, &memory);
  SampleChunk second;
  second.NativeRelease(3 * kSecond, 78, 8).NativeRelease(3 * kSecond, 78, 4711);
  const SampleBatch batch = Collect(&second, join, {}, &memory);
  ASSERT_EQ(batch.samples.Rows().size(), 1u) << "a release of memory that was not sampled is left out";
  const SegmentSample& row = batch.samples.Rows()[0];
  EXPECT_EQ(row.event, Event::kFree);
  EXPECT_EQ(row.bucket, 103);
  EXPECT_EQ(row.task, 5);
  EXPECT_EQ(row.weight, 5'000'000);
  EXPECT_EQ(batch.threads[row.thread].tid, 77);
  EXPECT_EQ(batch.strings.Get(batch.threads[row.thread].name), "Executor task launch worker");
  EXPECT_EQ(Leaf(batch, row), "com.example.Job.burn");
}

TEST(SampleCollector, CallsOfOtherThreadsAreInOrderOfTime) {
  TaskJoin join;
  NativeMemory memory;
  SampleChunk chunk;
  chunk.NativeRelease(2 * kSecond, 78).NativeAllocation(kSecond, 77, 5'000'000);
  const SampleBatch batch = Collect(&chunk, join, {}, &memory);
  EXPECT_EQ(BytesByBucket(batch, Event::kFree), (std::map<int64_t, int64_t>{{102, 5'000'000}}));
}

// A release is reported when it has happened: another thread may have got the address by then.
TEST(SampleCollector, AnAddressThatIsTakenAgainWasReleasedBefore) {
  TaskJoin join;
  NativeMemory memory;
  SampleChunk chunk;
  chunk.NativeAllocation(kSecond, 77, 5'000'000).NativeAllocation(2 * kSecond, 78, 6'000'000);
  chunk.NativeRelease(2 * kSecond + 100, 77).NativeRelease(3 * kSecond, 78);
  const SampleBatch batch = Collect(&chunk, join, {}, &memory);
  EXPECT_EQ(BytesByBucket(batch, Event::kFree), (std::map<int64_t, int64_t>{{102, 5'000'000}, {103, 6'000'000}}));
}

TEST(SampleCollector, AWaitBelongsToTheTaskInWhichItEnds) {
  TaskJoin join;
  join.Begin(77, 5, 1'000);
  SampleChunk chunk;
  chunk.Lock(500, 77, 2'000);
  EXPECT_EQ(Collect(&chunk, join).samples.Rows()[0].task, 5);
}

TEST(SampleCollector, ABatchOnATaskThreadIsSpreadOverTasksAndBuckets) {
  TaskJoin join;
  join.Begin(77, 1, 0);
  join.End(77, 1, 2 * kSecond);
  join.Begin(77, 2, 2 * kSecond);
  join.End(77, 2, 9 * kSecond);
  SampleChunk chunk;
  chunk.Wall(kSecond / 2, 77, 100, 5 * kSecond);
  const SampleBatch batch = Collect(&chunk, join);
  int64_t count = 0, weight = 0, of_first = 0;
  std::vector<int64_t> buckets;
  for (const SegmentSample& row : batch.samples.Rows()) {
    count += row.count;
    weight += row.weight;
    if (row.task == 1) of_first += row.count;
    EXPECT_EQ(row.category, Category::kTask);
    EXPECT_EQ(row.state, ThreadState::kSleeping);
    buckets.push_back(row.bucket);
  }
  EXPECT_EQ(count, 100);
  EXPECT_EQ(weight, int64_t{100} * 50'000'000);
  EXPECT_EQ(of_first, 30);
  EXPECT_EQ(buckets, (std::vector<int64_t>{100, 101, 102, 103, 104, 105}));
}

TEST(SampleCollector, ABatchElsewhereStaysOneRow) {
  SampleChunk chunk;
  chunk.Wall(0, 78, 100, 5 * kSecond, 2);
  const SampleBatch batch = Collect(&chunk, TaskJoin());
  ASSERT_EQ(batch.samples.Rows().size(), 1u);
  EXPECT_EQ(batch.samples.Rows()[0].count, 100);
  EXPECT_EQ(batch.samples.Rows()[0].weight, int64_t{100} * 50'000'000);
}

TEST(SampleCollector, RuntimeWorkAndIdleThreadsAreToldApartByTheStack) {
  TaskJoin join;
  join.Begin(77, 5, 1'000);
  join.End(77, 5, 2'000);
  SampleChunk chunk;
  chunk.Cpu(900, 77, 1).Cpu(900, 77, 2);
  const SampleBatch batch = Collect(&chunk, join);
  ASSERT_EQ(batch.samples.Rows().size(), 2u);
  EXPECT_EQ(batch.samples.Rows()[0].category, Category::kTaskRuntime);
  EXPECT_EQ(batch.samples.Rows()[0].task, 5);
  EXPECT_EQ(batch.samples.Rows()[1].category, Category::kIdlePool);
  EXPECT_EQ(batch.samples.Rows()[1].task, kNoTask);
}

TEST(SampleCollector, AShortWaitStandsForTheWaitsThatWereNotTaken) {
  SampleChunk chunk;
  chunk.Lock(kSecond, 77, 1'000'000).Lock(2 * kSecond, 77, 30'000'000);
  const std::string bytes = chunk.Finish();
  const auto header = ParseJfrChunkHeader(bytes, "chunk", 0);
  SampleBatch batch;
  const SampleWeights weights{.lock_interval_ns = 5'000'000};
  const TaskJoin tasks;
  const PythonActivity python;
  SampleCollector collector(*header, {0, 100 * kSecond}, kSecond, weights, tasks, python, &batch);
  ASSERT_TRUE(JfrReader(&batch.strings, &batch.frames, &batch.stacks, &collector).ReadChunk(bytes, "chunk", 0));
  const auto& rows = batch.samples.Rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].weight, 5'000'000);
  EXPECT_EQ(rows[1].weight, 30'000'000);
}

TEST(SampleCollector, AllocationsHaveTheWeightOfTheirSizeAndInterval) {
  SampleChunk chunk;
  chunk.Allocation(kSecond, 77, 1 << 20);  // an object of 24 bytes
  const std::string bytes = chunk.Finish();
  const auto header = ParseJfrChunkHeader(bytes, "chunk", 0);
  SampleBatch batch;
  AllocationWeights allocations;
  allocations.SetInterval(8 << 20);
  const SampleWeights weights{.allocations = &allocations};
  const TaskJoin tasks;
  const PythonActivity python;
  SampleCollector collector(*header, {0, 100 * kSecond}, kSecond, weights, tasks, python, &batch);
  ASSERT_TRUE(JfrReader(&batch.strings, &batch.frames, &batch.stacks, &collector).ReadChunk(bytes, "chunk", 0));
  ASSERT_EQ(batch.samples.Rows().size(), 1u);
  EXPECT_EQ(batch.samples.Rows()[0].weight, (8 << 20) + 12) << "half of the object is past the point of the sample";
  const EventNumbers cost = collector.CostNs();
  EXPECT_EQ(cost, (EventNumbers{0, 0, 5'000 + 2 * 250, 0}));
}

}  // namespace
}  // namespace sparkprof

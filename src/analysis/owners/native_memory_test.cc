// SPDX-License-Identifier: Apache-2.0
#include "analysis/owners/native_memory.h"

#include <gtest/gtest.h>

#include <map>

namespace sparkprof {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// A JVM with a thread; memory is allocated and released in buckets of a second.
class NativeMemoryTest : public testing::Test {
 protected:
  NativeMemoryTest() {
    application_.executors = {{.id = "1"}};
    application_.settings = {{"nativemem.live", "true"}};
    profile().threads.push_back({.tid = 7, .name = "worker", .executor = 0});
  }

  Profile& profile() { return application_.profile; }

  StackId Stack(std::initializer_list<const char*> names) {
    StackId stack = 0;
    for (const char* name : names) {
      stack = profile().stacks.Push(stack, profile().frames.Intern({.name = profile().strings.Intern(name)}));
    }
    return stack;
  }

  void Add(Event event, int64_t second, StackId stack, int64_t bytes) {
    profile().samples.push_back({.stack = stack,
                                 .thread = 1,
                                 .event = profile().AddEvent(event),
                                 .time_ns = second * kSecond,
                                 .weight = bytes});
  }

  void Recorded(const char* role, const char* series, double value) {
    if (application_.processes.empty() || application_.processes.back().process.role != role) {
      application_.processes.push_back({.process = {.role = role}, .executor = 0});
    }
    application_.series.push_back({.name = series,
                                   .executor = 0,
                                   .process = static_cast<int32_t>(application_.processes.size() - 1),
                                   .points = {{10 * kSecond, value}}});
  }

  Application application_;
};

TEST_F(NativeMemoryTest, MemoryInUseIsAllocatedAndNotReleased) {
  const StackId a = Stack({"f", "a", "malloc"}), b = Stack({"f", "b", "malloc"});
  Add(Event::kMalloc, 1, a, 100);
  Add(Event::kMalloc, 2, b, 70);
  Add(Event::kFree, 3, a, 100);
  std::map<int64_t, double> in_use;
  const auto by_executor = NativeMemoryInUse(application_);
  for (const SeriesPoint& point : by_executor.at(0)) in_use[point.time_ns] = point.value;
  EXPECT_EQ(in_use, (std::map<int64_t, double>{{2 * kSecond, 100}, {3 * kSecond, 170}, {4 * kSecond, 70}}));
  const auto at_peak = NativeUses(application_, {{0, 2 * kSecond}});
  ASSERT_EQ(at_peak.at(0).size(), 2U);
  EXPECT_EQ(at_peak.at(0)[0].bytes, 100);
  const auto at_end = NativeUses(application_, {{0, 9 * kSecond}});
  ASSERT_EQ(at_end.at(0).size(), 1U);
  EXPECT_EQ(at_end.at(0)[0].owner.second, "thread worker");
  EXPECT_EQ(CallPath(profile(), at_end.at(0)[0].stack, 2), "b → malloc");
  EXPECT_TRUE(NativeUses(application_, {{3, 9 * kSecond}}).empty()) << "another JVM";
}

TEST_F(NativeMemoryTest, MemoryInUseIsUnknownWithoutReleases) {
  Add(Event::kMalloc, 1, Stack({"a"}), 100);
  EXPECT_EQ(NativeMemoryInUse(application_).size(), 1U) << "recorded, but nothing was released";
  application_.settings = {{"nativemem.live", "false"}};
  EXPECT_TRUE(NativeMemoryInUse(application_).empty());
}

TEST_F(NativeMemoryTest, SamplesOfAllocationsBecomeThoseNotReleasedBetweenTwoTimes) {
  const StackId a = Stack({"a"}), b = Stack({"b"});
  Add(Event::kMalloc, 1, a, 100);
  Add(Event::kFree, 5, a, 100);
  Add(Event::kMalloc, 6, b, 70);
  Profile at_four = profile(), from_two = profile();
  KeepUnreleased(std::nullopt, 4 * kSecond, &at_four);
  KeepUnreleased(2 * kSecond, std::nullopt, &from_two);
  const auto bytes = [](const Profile& of) {
    std::map<StackId, int64_t> by_stack;
    for (const Sample& sample : of.samples) {
      if (sample.event == of.Row(Event::kMalloc)) by_stack[sample.stack] += sample.weight;
    }
    return by_stack;
  };
  EXPECT_EQ(bytes(at_four), (std::map<StackId, int64_t>{{a, 100}}));
  EXPECT_EQ(bytes(from_two), (std::map<StackId, int64_t>{{b, 70}}))
      << "a release of what was there before is not negative";
}

TEST_F(NativeMemoryTest, ThePartsOfTheMemoryAddUp) {
  Add(Event::kMalloc, 1, Stack({"a"}), 90);
  Add(Event::kMalloc, 1, Stack({"b"}), 10);
  Add(Event::kFree, 2, Stack({"b"}), 10);
  Recorded("jvm", "process.rss_bytes", 500);
  Recorded("jvm", "jvm.heap_used_bytes", 200);
  Recorded("jvm", "jvm.heap_committed_bytes", 300);
  Recorded("jvm", "process.memory_limit_bytes", 600);
  Recorded("jvm", "spark.off_heap_execution_bytes", 40);
  Recorded("jvm", "spark.off_heap_storage_bytes", 20);
  Recorded("python_worker", "process.rss_bytes", 80);
  Recorded("python_worker", "process.pss_bytes", 50);
  const std::vector<MemoryParts> rows = MemoryOverTime(application_);
  ASSERT_EQ(rows.size(), 1U);
  const MemoryParts& parts = rows[0];
  EXPECT_EQ(parts.total, 550);
  EXPECT_EQ(parts.heap_used, 200);
  EXPECT_EQ(parts.spark_off_heap, 60);
  EXPECT_EQ(parts.native, 30) << "90 in use, of which Spark has reserved 60";
  EXPECT_EQ(parts.python, 50) << "shared pages once";
  EXPECT_EQ(parts.limit, 600);
  EXPECT_EQ(parts.untracked, 500 - 200 - 60 - 30);
  EXPECT_FALSE(parts.metaspace || parts.direct_buffers) << "not recorded";
}

TEST_F(NativeMemoryTest, TheRestOfPythonsMemoryIsNeitherHeldNorArrows) {
  Add(Event::kPythonAlloc, 1, Stack({"a"}), 30);
  Recorded("jvm", "process.rss_bytes", 500);
  Recorded("python_worker", "process.rss_bytes", 80);
  const MemoryParts without = MemoryOverTime(application_).at(0);
  EXPECT_EQ(without.python_live, 30);
  EXPECT_FALSE(without.arrow) << "not read";
  EXPECT_EQ(without.other_native, 50);
  Recorded("python_worker", "process.arrow_bytes", 45);
  EXPECT_EQ(MemoryOverTime(application_).at(0).arrow, 45);
  EXPECT_EQ(MemoryOverTime(application_).at(0).other_native, 5);
  Recorded("python_driver", "process.rss_bytes", 70);
  EXPECT_EQ(MemoryOverTime(application_).at(0).python, 150);
  EXPECT_EQ(MemoryOverTime(application_).at(0).program, 70);
  EXPECT_EQ(MemoryOverTime(application_).at(0).other_native, 75);
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/selection/threads.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

TEST(ThreadKindTest, IsFoundByTheName) {
  const std::pair<const char*, ThreadKind> names[] = {
      {"main", ThreadKind::kOther},
      {"Executor task launch worker for task 1.0", ThreadKind::kTask},
      {"C2 CompilerThre", ThreadKind::kJit},
      {"GC Thread#3", ThreadKind::kGc},
      {"GC task thread#0 (ParallelGC)", ThreadKind::kGc},
      {"ParGC Thread#1", ThreadKind::kGc},
      {"Gang worker#0", ThreadKind::kGc},
      {"G1 Conc#0", ThreadKind::kGc},
      {"Concurrent Mark-Sweep GC Thread", ThreadKind::kGc},
      {"Shenandoah GC", ThreadKind::kGc},
      {"ZWorker#1", ThreadKind::kGc},
      {"ZDirector", ThreadKind::kGc},
      {"ZDriverMinor", ThreadKind::kGc},
      {"XWorker#0", ThreadKind::kGc},
      {"Reference Handler", ThreadKind::kVm},
      {"VM Thread", ThreadKind::kVm},
      {"VM Periodic Task Thread", ThreadKind::kVm},
      {"Finalizer", ThreadKind::kVm},
      {"Signal Dispatcher", ThreadKind::kVm},
      {"Service Thread", ThreadKind::kVm},
      {"Monitor Deflation Thread", ThreadKind::kVm},
      {"Common-Cleaner", ThreadKind::kVm},
      {"Notification Thread", ThreadKind::kVm},
      {"Sweeper thread", ThreadKind::kVm},
      {"Attach Listener", ThreadKind::kVm},
  };
  ApplicationBuilder builder;
  builder.application().profile.threads.clear();
  for (const auto& [name, kind] : names) builder.AddThread(1, name, -1);
  const std::vector<ThreadKind> kinds = KindsOfThreads(builder.application());
  ASSERT_EQ(kinds.size(), std::size(names));
  for (size_t row = 0; row < kinds.size(); ++row) {
    EXPECT_EQ(ThreadKindName(kinds[row]), ThreadKindName(names[row].second)) << names[row].first;
  }
}

TEST(ThreadKindTest, AThreadWithATasksSamplesIsATasks) {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 1);
  const uint32_t pool = builder.AddThread(1, "pool-1", executor), main = builder.AddThread(2, "main", executor);
  builder.AddSample(Event::kCpu, 0, pool, 7, builder.AddStack({"f"}), 1);
  builder.AddSample(Event::kCpu, 0, main, kNoTask, builder.AddStack({"f"}), 1);
  const std::vector<ThreadKind> kinds = KindsOfThreads(builder.application());
  EXPECT_EQ(kinds[pool], ThreadKind::kTask);
  EXPECT_EQ(kinds[main], ThreadKind::kOther);
}

TEST(ThreadKindTest, EveryKindHasAName) {
  EXPECT_EQ(ThreadKindName(ThreadKind::kOther), "other");
  EXPECT_EQ(ThreadKindName(ThreadKind::kTask), "task");
  EXPECT_EQ(ThreadKindName(ThreadKind::kGc), "gc");
  EXPECT_EQ(ThreadKindName(ThreadKind::kJit), "jit");
  EXPECT_EQ(ThreadKindName(ThreadKind::kVm), "vm");
}

}  // namespace
}  // namespace sparkprof

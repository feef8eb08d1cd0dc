// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/stack_kinds.h"

#include <gtest/gtest.h>

#include "analysis/selection/threads.h"
#include "analysis/testing/application_builder.h"
#include "profiles/frame_origin.h"

namespace sparkprof {
namespace {

constexpr std::string_view kHasNext = "org.apache.spark.api.python.BasePythonRunner$ReaderIterator.hasNext";
constexpr std::string_view kRead41 = "org.apache.spark.api.python.BasePythonRunner$ReaderInputStream.read";
constexpr std::string_view kWrite41 = "org.apache.spark.api.python.PythonRunner$$anon$2.writeNextInputToStream";

StackKind KindOf(ApplicationBuilder& builder, StackId stack) { return KindsOfStacks(builder.application())[stack]; }

TEST(StackKindsTest, AnEpollWaitInThePythonReaderWaitsForPython) {
  ApplicationBuilder builder;
  const FrameId epoll = builder.AddFrame("epoll_wait", FrameKind::kNative);
  const FrameId kernel = builder.AddFrame("do_epoll_wait", FrameKind::kKernel);
  EXPECT_EQ(KindOf(builder, builder.AddStack({builder.AddFrame(kHasNext), builder.AddFrame(kRead41), epoll, kernel})),
            StackKind::kPythonWait);
}

TEST(StackKindsTest, ASocketReadOfSpark35WaitsForPython) {
  ApplicationBuilder builder;
  EXPECT_EQ(KindOf(builder, builder.AddStack(
                                {kHasNext, "java.io.DataInputStream.readInt", "sun.nio.ch.SocketDispatcher.read0"})),
            StackKind::kPythonWait);
  EXPECT_EQ(KindOf(builder, builder.AddStack({kHasNext, "java.net.SocketInputStream.socketRead0"})),
            StackKind::kPythonWait);
}

TEST(StackKindsTest, StartingAPythonWorkerIsAKindOfItsOwn) {
  ApplicationBuilder builder;
  EXPECT_EQ(KindOf(builder, builder.AddStack({"org.apache.spark.api.python.PythonWorkerFactory.startDaemon",
                                              "java.io.FileInputStream.readBytes"})),
            StackKind::kPythonStart);
}

TEST(StackKindsTest, ComputingTheInputForPythonIsNotWaiting) {
  ApplicationBuilder builder;
  const FrameId read = builder.AddFrame("read", FrameKind::kNative);
  EXPECT_EQ(KindOf(builder, builder.AddStack({kHasNext, kRead41, kWrite41, "com.example.Job.map"})), StackKind::kOther);
  EXPECT_EQ(KindOf(builder,
                   builder.AddStack({builder.AddFrame(kHasNext), builder.AddFrame(kRead41), builder.AddFrame(kWrite41),
                                     builder.AddFrame("java.io.FileInputStream.read"), read})),
            StackKind::kOther);
}

TEST(StackKindsTest, AWaitForPythonBelowAnotherPythonRunnerCounts) {
  ApplicationBuilder builder;
  EXPECT_EQ(KindOf(builder, builder.AddStack({kHasNext, kRead41, kWrite41, kHasNext, "sun.nio.ch.EPoll.wait"})),
            StackKind::kPythonWait);
}

TEST(StackKindsTest, AReadElsewhereIsNoWaitForPython) {
  ApplicationBuilder builder;
  EXPECT_EQ(KindOf(builder, builder.AddStack({"io.netty.channel.epoll.Native.epollWait", "sun.nio.ch.EPoll.wait"})),
            StackKind::kOther);
}

TEST(StackKindsTest, TellsGcAndJitByTheirLoops) {
  ApplicationBuilder builder;
  EXPECT_EQ(
      KindOf(builder, builder.AddStack({builder.AddFrame("CompileBroker::compiler_thread_loop", FrameKind::kNative)})),
      StackKind::kJit);
  EXPECT_EQ(KindOf(builder,
                   builder.AddStack({builder.AddFrame("WorkerThread::run", FrameKind::kNative),
                                     builder.AddFrame("G1ParEvacuateFollowersClosure::do_void", FrameKind::kNative)})),
            StackKind::kGc);
}

TEST(StackKindsTest, TheVmThreadCollectsGarbageToo) {
  ApplicationBuilder builder;
  const auto kind = [&](std::string_view operation) {
    return KindOf(builder, builder.AddStack({builder.AddFrame("VMThread::run", FrameKind::kNative),
                                             builder.AddFrame(operation, FrameKind::kNative),
                                             builder.AddFrame("leaf", FrameKind::kNative)}));
  };
  for (const std::string_view operation :
       {"VM_GenCollectForAllocation::doit", "VM_GenCollectFull::doit", "VM_CollectForMetadataAllocation::doit",
        "VM_SerialCollectForAllocation::doit", "VM_ParallelGCFailedAllocation::doit", "VM_G1CollectForAllocation::doit",
        "VM_CMS_Initial_Mark::doit", "VM_ZMarkStart::doit", "VM_ShenandoahInitMark::doit"}) {
    EXPECT_EQ(kind(operation), StackKind::kGc) << operation;
  }
  for (const std::string_view operation : {"VM_ThreadDump::doit", "VM_GC_HeapInspection::doit",
                                           "VM_BulkRevokeBias::doit", "VM_GenCollectFull::doit_prologue"})
    EXPECT_EQ(kind(operation), StackKind::kOther) << operation;
}

TEST(ThreadKindTest, GoesByNameAndByWhatRanThere) {
  ApplicationBuilder builder;
  for (const char* name :
       {"main", "GC Thread#0", "C1 CompilerThre", "VM Thread", "Executor task launch worker-0", "renamed"}) {
    builder.AddThread(1, name, -1);
  }
  builder.AddSample(Event::kCpu, 0, 6, 12, 0, 1);
  using enum ThreadKind;
  EXPECT_EQ(KindsOfThreads(builder.application()),
            (std::vector<ThreadKind>{kOther, kOther, kGc, kJit, kVm, kTask, kTask}));
}

TEST(FrameOriginTest, TellsTheUsersCodeFromEverythingElse) {
  const auto java = [](std::string_view name) { return OriginOf(name, {}, FrameKind::kInlined); };
  EXPECT_EQ(java("com.example.Job.map"), FrameOrigin::kUser);
  EXPECT_EQ(java("org.apache.spark.examples.SparkPi$.main"), FrameOrigin::kUser);
  EXPECT_EQ(
      java("org.apache.spark.sql.catalyst.expressions.GeneratedClass$GeneratedIteratorForCodegenStage1.processNext"),
      FrameOrigin::kSpark);
  EXPECT_EQ(java("org.apache.hadoop.fs.FileSystem.open"), FrameOrigin::kLibrary);
  EXPECT_EQ(java("scala.collection.Iterator.map"), FrameOrigin::kJdk);
  EXPECT_EQ(java("java.lang.Thread.run"), FrameOrigin::kJdk);
  const auto python = [](std::string_view file) { return OriginOf("f", file, FrameKind::kPython); };
  EXPECT_EQ(python("/home/me/job.py"), FrameOrigin::kUser);
  EXPECT_EQ(python("/venv/lib/python3.11/site-packages/pyspark/worker.py"), FrameOrigin::kSpark);
  EXPECT_EQ(python("/usr/lib/python3.11/json/decoder.py"), FrameOrigin::kPythonRuntime);
  EXPECT_EQ(python("/venv/lib/python3.11/site-packages/pandas/core/frame.py"), FrameOrigin::kLibrary);
  EXPECT_EQ(OriginOf("G1ParScanThreadState::trim_queue", "/usr/lib/jvm/lib/server/libjvm.so", FrameKind::kNative),
            FrameOrigin::kVm);
  EXPECT_EQ(OriginOf("CompileBroker::invoke_compiler_on_method", {}, FrameKind::kNative), FrameOrigin::kVm);
  EXPECT_EQ(OriginOf("memcpy", "libc.so.6", FrameKind::kNative), FrameOrigin::kLibrary);
  EXPECT_EQ(OriginOf("schedule", {}, FrameKind::kKernel), FrameOrigin::kLibrary);
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
// Tests without a JVM; the others are in tests/e2e/test_attach.py.
#include <gtest/gtest.h>
#include <unistd.h>

#include "capture/jvm_attach/async_profiler.h"
#include "capture/jvm_attach/attach_protocol.h"
#include "capture/jvm_attach/loaded_profiler.h"

namespace sparkprof {
namespace {

TEST(AttachProtocolTest, ReadsTheAnswersOfAllJdks) {
  EXPECT_EQ(ParseLoadAnswer("0\n").value(), 0);                   // 8
  EXPECT_EQ(ParseLoadAnswer("return code: 100\n").value(), 100);  // 9 and later
  EXPECT_EQ(ParseLoadAnswer("").value(), 0);
  const auto error = ParseLoadAnswer("Dynamic agent loading is not enabled.\n");
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().message, "Dynamic agent loading is not enabled.");
}

TEST(AttachProtocolTest, AnArgumentThatAJvmWouldCutIsRefused) {
  const TargetProcess target{.pid = getpid(), .namespace_pid = getpid()};
  const auto answer = AskJvm(target, "load", {std::string(1024, 'x')});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("1024 bytes"), std::string::npos) << answer.error().message;
}

TEST(TargetProcessTest, AProcessWithoutAJvmIsNone) {
  const auto target = InspectTarget(getpid());
  ASSERT_FALSE(target);
  EXPECT_NE(target.error().message.find("is not a HotSpot JVM"), std::string::npos) << target.error().message;
}

TEST(LoadedProfilerTest, TellsOwnPluginsAndOthersApart) {
  const std::string attach = "7f0-7f1 r-xp 0 00:1b 9   /tmp/sparkprof-attach-ab12cd34/libasyncProfiler.so (deleted)\n";
  const std::string plugin = "7f0-7f1 r-xp 0 00:1b 9   /tmp/libsparkprof-engine-123.so (deleted)\n";
  const std::string other = "7f0-7f1 r-xp 0 00:1b 9   /opt/async-profiler/lib/libasyncProfiler.so\n";
  const std::string jvm = "7f0-7f1 r-xp 0 00:1b 9   /usr/lib/jvm/17/lib/server/libjvm.so\n7f3-7f4 rw-p 0 00:00 0\n";
  EXPECT_EQ(FindLoadedProfiler(jvm).origin, ProfilerOrigin::kNone);
  EXPECT_EQ(FindLoadedProfiler(jvm + attach).origin, ProfilerOrigin::kAttach);
  EXPECT_EQ(FindLoadedProfiler(jvm + attach).path, "/tmp/sparkprof-attach-ab12cd34/libasyncProfiler.so");
  EXPECT_EQ(FindLoadedProfiler(attach + plugin).origin, ProfilerOrigin::kPlugin);
  EXPECT_EQ(FindLoadedProfiler(attach + other + plugin).origin, ProfilerOrigin::kOther);
  EXPECT_EQ(FindLoadedProfiler("7f0-7f1 r-xp 0 00:1b 9 /x/libjavaProfiler-12.so\n").origin, ProfilerOrigin::kOther);
}

TEST(StartOptionsTest, GiveEveryIntervalAndAnEnd) {
  EXPECT_EQ(
      StartOptions({.events = {"cpu"}, .longest_s = 60}, "/tmp/x.jfr").value(),
      "start,quiet,jfr,event=cpu,interval=10000000,clock=monotonic,memlimit=128m,jfropts=3,chunktime=5,timeout=60,"
      "file=/tmp/x.jfr");
  const std::string several = StartOptions({.events = {"wall", "alloc", "cpu"}, .interval = 1000000}, "f").value();
  EXPECT_NE(several.find(",wall=1000000,alloc=524287,event=cpu,interval=10000000,"), std::string::npos) << several;
  const std::string method = StartOptions({.events = {"java.lang.String.hashCode"}}, "f").value();
  EXPECT_NE(method.find(",event=java.lang.String.hashCode,clock"), std::string::npos) << method;
}

TEST(StartOptionsTest, RefuseWhatCannotBeSampledOrWouldBecomeAnotherOption) {
  EXPECT_FALSE(StartOptions({.events = {"cpu", "cache-misses"}}, "f"));
  for (const char* event : {"", "cpu,file=/etc/x", "a b", "x=y"}) EXPECT_FALSE(StartOptions({.events = {event}}, "f"));
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/testing/read_profile.h"
#include "formats/thread_dump/dumped_threads.h"

namespace sparkprof::testing {
namespace {

// Stacks of the threads that are marked as runnable.
Stacks RunnableOf(std::string text) {
  const Result<Profile> profile = ReadProfile("thread-dump", std::move(text));
  EXPECT_TRUE(profile) << profile.error().message;
  return profile ? StacksOf(*profile, 1) : Stacks();
}

// The names of all threads with a stack.
std::vector<std::string> NamesOf(std::string text) {
  const Result<Profile> profile = ReadProfile("thread-dump", std::move(text), {.keep_threads = true});
  EXPECT_TRUE(profile) << profile.error().message;
  std::vector<std::string> names;
  for (const Sample& sample : profile->samples) {
    if (sample.event == 0) names.push_back(profile->threads[sample.thread].name);
  }
  return names;
}

constexpr const char* kAgent =
    "Attaching to process ID 30107, please wait...\nDebugger attached successfully.\nDeadlock Detection:\n\n"
    "\"main \"x\"\" #1 prio=5 tid=0x00007f1f nid=0x75a1 in Object.wait() [0x00007f1f]\n"
    "   java.lang.Thread.State: WAITING (on object monitor)\n   JavaThread state: _thread_blocked\n"
    " - java.lang.Object.wait(long) @bci=0 (Interpreted frame)\n"
    "\t- waiting on <0x00000000ffd02030> (a java.lang.Thread)\n"
    " - V.main(java.lang.String[]) @bci=144, line=20 (Compiled frame; information may be imprecise)\n\n"
    "Locked ownable synchronizers:\n    - None\n\n";
constexpr const char* kAgentOfJdk8 =
    "Thread 12: (state = BLOCKED)\n - java.lang.Object.wait(long) @bci=0 (Interpreted frame)\n\n\n"
    "Thread 13: (state = IN_NATIVE)\n - V.run(int, long) @bci=4, line=7 (Compiled frame)\n\n\n";
constexpr const char* kMixed =
    "----------------- 30184 -----------------\n"
    "\"burner\" #16 prio=5 tid=0x00007f1f nid=30184 runnable [0x00]\n   java.lang.Thread.State: RUNNABLE\n"
    "0x00007f1f8bbb272f\t__GI_accept + 0x4f\n0x00007f1f8b4a009f\tJavaThread::run(int) + 0x1af\n"
    "0x00007f1f8b4a0090\t????????\n0x00007f1f8b4a0091\t<Unknown compiled code>\n"
    "0x00007f1f8b4a0092\t* V.burn(int) bci:21 line:7 (Interpreted frame)\n"
    "----------------- 30185 -----------------\n0x00007f1f8bb2df16\t__futex + 0xc6\n";
constexpr const char* kManagement =
    "\"main\" prio=5 Id=1 BLOCKED on java.lang.Object@7f owned by \"a \"b\"\" Id=22\n"
    "\tat app//V.main(V.java:20)\n\t...\n\n"
    "\"run\" daemon prio=5 Id=2 RUNNABLE (in native)\n\tat java.base@25.0.3/java.net.Socket.read(Native Method)\n"
    "\t-  locked java.lang.Object@1\n\n";
constexpr const char* kDumpToFile =
    "30108\n2026-11-22T20:57:10.4Z\n25.0.3+9-LTS\n\n"
    "#3 \"main\" WAITING 2026-11-22T20:57:11.000000001Z\n    at java.base/java.lang.Thread.join(Thread.java:1963)\n"
    "    - waiting on <java.lang.Thread@20c9c547>\n\n"
    "#29 \"\" virtual RUNNABLE 2026-11-22T20:57:12Z\n    at V.burn(V.java:7)\n\n";
constexpr const char* kDumpToFileOfJdk21 =
    "30108\n2026-11-22T20:57:10.4Z\n21+35\n\n#1 \"main\"\n      java.base/java.lang.Thread.join(Thread.java:1963)\n\n"
    "#22 \"\" virtual\n      V.burn(V.java:7)\n\n";
constexpr const char* kDumpToFileJson =
    R"x({"threadDump":{"processId":"1","time":"2026-11-22T20:57:10Z","threadContainers":[)x"
    R"x({"container":"<root>","parent":null,"threads":[)x"
    R"x({"tid":"3","time":"2026-11-22T20:57:11Z","name":"ma]{\"in","state":"WAITING","stack":)x"
    R"x(["java.base\/java.lang.Thread.join(Thread.java:1963)","V.main(V.java:20)"],"monitorsOwned":[{"depth":2}]}]},)x"
    R"x({"container":"pool","parent":"<root>","threads":[{"tid":"9","name":"","virtual":true,"stack":["V.burn(V.java:7)"]},)x"
    R"x({"tid":"10","name":"Signal Dispatcher","stack":[]}],"threadCount":"2"}]}})x";
constexpr const char* kSpark =
    "[ {\n  \"threadId\" : 60,\n  \"threadName\" : \"Executor task launch worker\",\n  \"threadState\" : "
    "\"RUNNABLE\",\n"
    "  \"stackTrace\" : {\n    \"elems\" : [ \"java.base@17.0.15/java.io.In.read(In.java:263) => holding "
    "Monitor(java.io.In@19)\", \"app//org.apache.spark.Task.run(Task.scala:1)\\n\\t-  locked x@1\\n\" ]\n  },\n"
    "  \"blockedByLock\" : \"\",\n  \"holdingLocks\" : [ ]\n}, {\n  \"threadId\" : 61,\n  \"threadName\" : \"old\",\n"
    "  \"threadState\" : \"WAITING\",\n  \"stackTrace\" : \"a.B.c(B.java:1)\\na.B.d(B.java:2)\"\n} ]";

TEST(ThreadDumpTest, TheServiceabilityAgentsFramesAreRead) {
  EXPECT_EQ(StacksOfText("thread-dump", kAgent), (Stacks{{"V.main:20;java.lang.Object.wait", 1}}));
  EXPECT_EQ(RunnableOf(kAgent), Stacks());
  EXPECT_EQ(NamesOf(kAgent), (std::vector<std::string>{"main \"x\""}));
  EXPECT_EQ(StacksOfText("thread-dump", kAgentOfJdk8), (Stacks{{"java.lang.Object.wait", 1}, {"V.run:7", 1}}));
  EXPECT_EQ(RunnableOf(kAgentOfJdk8), (Stacks{{"V.run:7", 1}}));
}

TEST(ThreadDumpTest, MixedStacksHaveNativeFrames) {
  EXPECT_EQ(StacksOfText("thread-dump", kMixed),
            (Stacks{{"V.burn:7;<Unknown compiled code>;[unknown];JavaThread::run;__GI_accept", 1}, {"__futex", 1}}));
  EXPECT_EQ(NamesOf(kMixed), (std::vector<std::string>{"burner", "thread 30185"}));
}

TEST(ThreadDumpTest, ThreadsOfJmxAreRead) {
  EXPECT_EQ(StacksOfText("thread-dump", kManagement),
            (Stacks{{"[truncated];V.main:20", 1}, {"java.net.Socket.read", 1}}));
  EXPECT_EQ(RunnableOf(kManagement), (Stacks{{"java.net.Socket.read", 1}}));
  EXPECT_EQ(NamesOf(kManagement), (std::vector<std::string>{"main", "run"}));
  EXPECT_EQ(
      StacksOfText("thread-dump", "\"t\" - Thread t@332\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.c(B.java:1)\n"),
      (Stacks{{"a.B.c:1", 1}}));
}

TEST(ThreadDumpTest, VirtualThreadsAreThreads) {
  const Stacks stacks{{"java.lang.Thread.join:1963", 1}, {"V.burn:7", 1}};
  EXPECT_EQ(StacksOfText("thread-dump", kDumpToFile), stacks);
  EXPECT_EQ(StacksOfText("thread-dump", kDumpToFileOfJdk21), stacks);
  EXPECT_EQ(RunnableOf(kDumpToFile), (Stacks{{"V.burn:7", 1}}));
  EXPECT_EQ(NamesOf(kDumpToFile), (std::vector<std::string>{"main", "thread #29"}));
  const std::string mounted =
      "\"ForkJoinPool-1-worker-2\" #30 [5] daemon prio=5 tid=0x7f nid=5 runnable\n   Carrying virtual thread #29\n"
      "\tat a.Carrier.run(C.java:1)\n   Mounted virtual thread #29\n\tat V.burn(V.java:7)\n\n";
  EXPECT_EQ(StacksOfText("thread-dump", mounted), (Stacks{{"a.Carrier.run:1", 1}, {"V.burn:7", 1}}));
  EXPECT_EQ(NamesOf(mounted), (std::vector<std::string>{"ForkJoinPool-1-worker-2", "thread #29"}));
}

TEST(ThreadDumpTest, AMountedVirtualThreadRunsInsteadOfItsCarrier) {
  // JDK 25 prints no state for the carrier.
  const std::string mounted =
      "Full thread dump OpenJDK 64-Bit Server VM (25+36-LTS mixed mode, sharing):\n\n"
      "\"ForkJoinPool-1-worker-1\" #22 [3110] daemon prio=5 os_prio=0 cpu=2.01ms elapsed=6.01s tid=0x7fd7 [0x7fd7]\n"
      "   Carrying virtual thread #23\n\tat a.Carrier.run(java.base@25/C.java:1)\n"
      "   Mounted virtual thread #23\n\tat V.burn(V.java:7)\n\tat V.main(V.java:2)\n\n";
  EXPECT_EQ(StacksOfText("thread-dump", mounted), (Stacks{{"a.Carrier.run:1", 1}, {"V.main:2;V.burn:7", 1}}));
  EXPECT_EQ(RunnableOf(mounted), (Stacks{{"V.main:2;V.burn:7", 1}}));
}

constexpr const char* kStackDump =
    "Stack dump for PID 4242, thread 4243 (main thread, has GIL, on CPU; most recent call last):\n"
    "  File \"job.py\", line 40, in <module>\n    main()\n"
    "  File \"/usr/lib/python3.15/json/decoder.py\", line 12, in JSONDecoder.decode  opcode=CALL\n"
    "    File \"x\", line 1, in source\n"
    "  File \"<frozen runpy>\", in generated\n"
    "  <GC>\n\n"
    "Stack dump, thread 4300 (interpreter 1; idle; most recent call last):\n"
    "  File \"job.py\", line 20, in bg\n    time.sleep(1)\n\n"
    "Stack dump, thread 4301 (waiting for GIL; most recent call last):\n  File \"job.py\", line 21, in wait\n\n"
    "Stack dump, thread 4302 (idle; most recent call last):\nNo Python frames\n";

TEST(ThreadDumpTest, DumpsOfPythonsSamplingProfilerAreRead) {
  const std::string decode = "<module> (job.py:40);JSONDecoder.decode (decoder.py:12);generated (<frozen runpy>);<GC>";
  EXPECT_EQ(StacksOfText("thread-dump", kStackDump),
            (Stacks{{decode, 1}, {"bg (job.py:20)", 1}, {"wait (job.py:21)", 1}}));
  EXPECT_EQ(RunnableOf(kStackDump), (Stacks{{decode, 1}}));
  const Result<Profile> profile = ReadProfile("thread-dump", kStackDump, {.keep_threads = true});
  EXPECT_EQ(profile->threads[profile->samples[0].thread], (ProfileThread{4242, 4243, "thread 4243"}));
  EXPECT_EQ(profile->threads[profile->samples.back().thread], (ProfileThread{4242, 4301, "thread 4301"}));
  EXPECT_EQ(DamageOf("thread-dump", "Stack dump (most recent call last):\n  File \"x\", line 1\n"),
            "input: line 2: expected File \"FILE\", line NUMBER in FUNCTION");
  const std::string text(kStackDump);
  for (size_t size = 0; size < text.size(); ++size) {
    (void)ReadProfile("thread-dump", text.substr(0, size), {.lenient = true});
  }
}

TEST(ThreadDumpTest, NativeFramesOfPySpyAreKept) {
  const std::string text =
      "Process 42: python job.py\nPython v3.11.7 (/usr/bin/python3.11)\n\nThread 42 (active): \"MainThread\"\n"
      "    poll (libc.so.6)\n    read_all (native/reader.cpp:88)\n    fetch (job.py:12)\n        Arguments:\n"
      "            size: (1, 2)\n            f: f (x)\n    <module> (job.py:40)\n";
  const std::string stack = "<module> (job.py:40);fetch (job.py:12);read_all (reader.cpp:88);poll";
  EXPECT_EQ(StacksOfText("thread-dump", text), (Stacks{{stack, 1}}));
  const std::string json =
      R"([{"pid":42,"thread_id":7,"os_thread_id":43,"active":true,"owns_gil":true,"frames":[)"
      R"({"name":"poll","filename":"libc.so.6","module":"/lib/libc.so.6","short_filename":null,"line":0},)"
      R"({"name":"read_all","filename":"native/reader.cpp","module":"/opt/reader.so","short_filename":null,"line":88},)"
      R"({"name":"fetch","filename":"/srv/job.py","module":null,"short_filename":"job.py","line":12},)"
      R"({"name":"<module>","filename":"/srv/job.py","module":null,"short_filename":"job.py","line":40}]}])";
  EXPECT_EQ(StacksOfText("py-spy-dump", json), (Stacks{{stack, 1}}));
}

constexpr const char* kActuator =
    R"({"threads":[{"threadName":"main","threadId":1,"threadState":"RUNNABLE","stackTrace":[)"
    R"({"classLoaderName":"app","moduleName":null,"methodName":"work","fileName":"Work.java","lineNumber":10,)"
    R"("nativeMethod":false,"className":"a.Work"},{"methodName":"main","fileName":"Work.java","lineNumber":5,)"
    R"("nativeMethod":false,"className":"a.Work"}],"lockedMonitors":[{"lockedStackFrame":{"methodName":"x"}}],)"
    R"("lockInfo":null},{"threadName":"pool-1","threadId":2,"threadState":"WAITING","stackTrace":[)"
    R"({"methodName":"park","fileName":"Unsafe.java","lineNumber":-2,"nativeMethod":true,"className":"b.Unsafe"},)"
    R"({"methodName":"run","fileName":"Thread.java","lineNumber":840,"className":"java.lang.Thread"}]},)"
    R"({"threadName":"GC","threadState":"RUNNABLE","stackTrace":[]}]})";

TEST(ThreadDumpTest, JsonOfSpringIsRead) {
  const Stacks stacks{{"a.Work.main:5;a.Work.work:10", 1}, {"java.lang.Thread.run:840;b.Unsafe.park", 1}};
  const std::string text(kActuator), array = text.substr(text.find('['), text.size() - text.find('[') - 1);
  for (const std::string& dump : {text, array}) {
    EXPECT_TRUE(LooksLikeThreadDump(dump));
    EXPECT_EQ(StacksOfText("thread-dump", dump), stacks);
    EXPECT_EQ(RunnableOf(dump), (Stacks{{"a.Work.main:5;a.Work.work:10", 1}}));
    EXPECT_EQ(NamesOf(dump), (std::vector<std::string>{"main", "pool-1"}));
  }
  EXPECT_EQ(StacksOfText("thread-dump", text.substr(0, text.find("pool-1")), {.lenient = true}),
            (Stacks{{"a.Work.main:5;a.Work.work:10", 1}}));
  EXPECT_EQ(
      DamageOf("thread-dump", R"({"threads":[{"threadName":"a","threadState":"NEW","stackTrace":[{"line":1}]}]})"),
      "input: offset 76: expected a frame with className and methodName");
}

TEST(ThreadDumpTest, JsonOfTheJdkIsRead) {
  EXPECT_EQ(StacksOfText("thread-dump", kDumpToFileJson),
            (Stacks{{"V.main:20;java.lang.Thread.join:1963", 1}, {"V.burn:7", 1}}));
  EXPECT_EQ(NamesOf(kDumpToFileJson), (std::vector<std::string>{"ma]{\"in", "thread #9"}));
  EXPECT_EQ(RunnableOf(kDumpToFileJson), (Stacks{{"V.burn:7", 1}}));
  EXPECT_EQ(StacksOfText("thread-dump", std::string(kDumpToFileJson) + "\n" + kDumpToFileJson),
            (Stacks{{"V.main:20;java.lang.Thread.join:1963", 2}, {"V.burn:7", 2}}));
}

TEST(ThreadDumpTest, JsonOfSparkIsRead) {
  EXPECT_EQ(StacksOfText("thread-dump", kSpark),
            (Stacks{{"org.apache.spark.Task.run:1;java.io.In.read:263", 1}, {"a.B.d:2;a.B.c:1", 1}}));
  EXPECT_EQ(RunnableOf(kSpark), (Stacks{{"org.apache.spark.Task.run:1;java.io.In.read:263", 1}}));
}

TEST(ThreadDumpTest, JsonThatIsCutKeepsItsCompleteThreads) {
  const std::string text(kDumpToFileJson);
  const std::string cut = text.substr(0, text.find("V.burn"));
  EXPECT_EQ(DamageOf("thread-dump", cut),
            "input: offset 416: expected the end of the JSON document, found the end of the input");
  EXPECT_EQ(StacksOfText("thread-dump", cut, {.lenient = true}), (Stacks{{"V.main:20;java.lang.Thread.join:1963", 1}}));
  EXPECT_EQ(DamageOf("thread-dump", "[{\"threadId\":1,\"threadState\":\"NEW\",\"stackTrace\":x}]"),
            "input: offset 50: expected a thread, found invalid JSON before it ends");
  EXPECT_EQ(DamageOf("thread-dump", "[{\"threadId\":1,\"threadState\":\"NEW\"}]"),
            "input: offset 35: expected a thread with a stack, found none");
  EXPECT_EQ(DamageOf("thread-dump", "[{\"threadId\":1,\"threadState\":\"NEW\",\"stackTrace\":\"what\"}]"),
            "input: offset 55: expected CLASS.METHOD(FILE:LINE), found 'what'");
}

TEST(ThreadDumpTest, EveryFormIsRecognized) {
  for (const char* const text : {kAgent, kAgentOfJdk8, kMixed, kManagement, kDumpToFile, kDumpToFileOfJdk21,
                                 kDumpToFileJson, kSpark, kStackDump, kActuator}) {
    EXPECT_TRUE(LooksLikeThreadDump(text)) << text;
  }
  for (const char* const text :
       {"[{\"id\":1}]", "{\"a\":1}", "# \"main\"\n", "\"a\",\"b\"\n", "Thread x: (state = BLOCKED)\n", ""}) {
    EXPECT_FALSE(LooksLikeThreadDump(text)) << text;
  }
}

TEST(ThreadDumpTest, TimesOfDumpsAndThreadsAreKept) {
  const auto times_of = [](std::string text) {
    const Result<Profile> profile = ReadProfile("thread-dump", std::move(text), {.bucket_ns = 1, .keep_order = true});
    std::vector<int64_t> times;
    for (const Sample& sample : profile->samples) {
      if (sample.event == 0) times.push_back(sample.time_ns - 1'795'381'000'000'000'000);
    }
    return times;
  };
  EXPECT_EQ(times_of(kDumpToFile), (std::vector<int64_t>{31'000'000'001, 32'000'000'000}));
  EXPECT_EQ(times_of(kDumpToFileOfJdk21), (std::vector<int64_t>{30'400'000'000, 30'400'000'000}));
  EXPECT_EQ(times_of(kDumpToFileJson), (std::vector<int64_t>{31'000'000'000, 30'000'000'000}));
}

TEST(DumpTimeTest, OnlyCompleteTimesAreRead) {
  EXPECT_EQ(ParseDumpTime("2026-11-22 20:57:10"), 1'795'381'030'000'000'000);
  EXPECT_EQ(ParseDumpTime("2026-11-22T20:57:10.000000001Z"), 1'795'381'030'000'000'001);
  for (const char* const text :
       {"2026-11-22 20:57:1", "2026-11-22 20:57:10 INFO", "2026-13-22 20:57:10", "9999-11-22 20:57:10", ""}) {
    EXPECT_EQ(ParseDumpTime(text), std::nullopt) << text;
  }
}

TEST(JavaFrameTest, ModulesAndLoadersAreCut) {
  StringTable strings;
  const auto name_of = [&](std::string_view text) {
    const std::optional<Frame> frame = ParseJavaFrame(text, &strings);
    return frame ? std::string(strings.Get(frame->name)) : "none";
  };
  EXPECT_EQ(name_of("java.base@17/java.lang.Thread.run(Thread.java:840)"), "java.lang.Thread.run");
  EXPECT_EQ(name_of("java.lang.Thread.run(java.base@17/Thread.java:840)"), "java.lang.Thread.run");
  EXPECT_EQ(name_of("app//V$$Lambda$1549/0x00007f30a47c46f0.run(Unknown Source)"),
            "V$$Lambda$1549/0x00007f30a47c46f0.run");
  EXPECT_EQ(name_of("java.base@25/a.LambdaForm$DMH/0x9606c000.f(LambdaForm$DMH)"), "a.LambdaForm$DMH/0x9606c000.f");
  EXPECT_EQ(name_of("V$$Lambda$5/1234.run(Unknown Source)"), "V$$Lambda$5/1234.run");
  EXPECT_EQ(name_of("V.run"), "none");
}

}  // namespace
}  // namespace sparkprof::testing

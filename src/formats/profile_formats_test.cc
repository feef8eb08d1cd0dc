// SPDX-License-Identifier: Apache-2.0
#include "formats/profile_formats.h"

#include <gtest/gtest.h>

#include "formats/jfr_profile/jfr_profile_reader.h"
#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

constexpr const char* kDump =
    "2026-11-21 13:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):\n\n"
    "\"main\" #1 prio=5 os_prio=0 cpu=12.34ms tid=0x00007f nid=0x12 runnable  [0x00]\n"
    "   java.lang.Thread.State: RUNNABLE\n"
    "\tat java.io.FileInputStream.read(java.base@17.0.15/Native Method)\n"
    "\tat com.example.Load.main(Load.java:7)\n"
    "\t- locked <0x000000071> (a java.lang.Object)\n\n"
    "\"pool\" #2 prio=5 tid=0x00007f nid=0x13 waiting on condition  [0x00]\n"
    "   java.lang.Thread.State: WAITING (parking)\n"
    "\tat java.base@17.0.15/java.lang.Thread.run(Thread.java:840)\n\nJNI global refs: 15, weak refs: 0\n\n";

constexpr const char* kHtmlOld =
    "<!DOCTYPE html>\n<canvas></canvas>\n<script>\n\tfunction f(level, left, width, type, title) {}\n"
    "f(0,0,10,3,'all')\nf(1,0,10,1,'a')\nf(2,0,4,0,'b\\'s')\n</script>\n";
constexpr const char* kHtmlNew =
    "<!DOCTYPE html>\n<h1>CPU profile</h1>\n<canvas></canvas>\n\tconst units = 'samples';\nconst cpool = [\n' all',\n' "
    "com.A',\n"
    "'%B'\n];\nunpack(cpool);\n\nn(3,10)\nu(9,10)\nu(16,4)\nn(9,3)\n\nsearch();\n</script></body></html>\n";
constexpr const char* kSpeedscope =
    R"({"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"},{"name":"b"}]},)"
    R"("profiles":[{"type":"sampled","name":"t","unit":"milliseconds","startValue":0,"endValue":3,"samples":[[0],[0,1]],)"
    R"("weights":[1,2]},{"type":"evented","name":"u","unit":"milliseconds","startValue":0,"endValue":4,)"
    R"("events":[{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":1},{"type":"C","frame":1,"at":3},)"
    R"({"type":"C","frame":0,"at":4}]}]})";
constexpr const char* kFaultHandler =
    "Timeout (0:00:10)!\nThread 0x00007f1 (most recent call first):\n  File \"/x/job.py\", line 12 in burn\n"
    "  File \"/x/job.py\", line 20 in <module>\n\n";
constexpr const char* kStatsd =
    "app.cpu.trace.java-lang-Object-wait--2.java-lang-Thread-run-745:7|g\napp.heap.total.used:12|g\napp.cpu.trace.3:3|"
    "g\n"
    "cpu.trace.A-b-12,pid=4,host=h value=2i 1795256429005000000\n";
constexpr const char* kBabar =
    "\nBABAR\tvm_1\tCPU_TRACES\t1795256429005\t9.0\tmain|Load.main:7|java.lang.Thread.run:809\n";

TEST(ProfileFormatsTest, ContentSaysTheFormat) {
  const std::pair<const char*, const char*> texts[] = {
      {"collapsed", "a;b 3\n"},
      {"collapsed", "main 12\n"},
      {"perf", "java 1/2 [000] 3.4: 5 cycles: \n\t7f f+0x1 (/lib/x)\n\n"},
      {"thread-dump", kDump},
      {"thread-dump", kFaultHandler},
      {"thread-dump", "Process 1: python x.py\n\nThread 1 (active): \"MainThread\"\n    f (x.py:1)\n"},
      {"asprof-html", kHtmlOld},
      {"asprof-html", kHtmlNew},
      {"speedscope", kSpeedscope},
      {"statsd", kStatsd},
      {"records", kBabar},
      {"trace-events", "[\n{\"name\": \"speedscope\", \"ph\": \"B\""},
      {"trace-events", R"({"displayTimeUnit":"ms","traceEvents":[)"},
      {"firefox", R"({"meta":{"interval":1,"startTime":0,"preprocessedProfileVersion":57},"shared":{)"},
      {"py-spy-dump", R"([{"pid":1,"thread_id":2,"owns_gil":false,"frames":[]}])"},
      {"call-tree", R"({"event":"cpu","unit":"ns","total":1,"count":1,"root":{"name":"all","value":1)"},
      {"call-tree", R"({"name":"root","value":1,"children":[)"},
      {"report", "<!doctype html><title>sparkprof report</title><script>\"sparkprof-data\" canvas function f("},
      {"svg", "<?xml version=\"1.0\"?>\n<svg>\n<text>Flame Graph</text>"},
      {"svg", "<!DOCTYPE svg PUBLIC \"x\">\n<!-- Flame graph -->\n<svg>\n<text>Flame Graph</text>"},
      {"svg", "<!doctype html>\n<p>Flame Graph</p>\n<svg><g class=\"func_g\">"},
      {"otlp", R"({"resourceProfiles":[)"},
  };
  for (const auto& [name, text] : texts) {
    const ProfileFormat* format = RecognizeProfileFormat(text);
    ASSERT_NE(format, nullptr) << text;
    EXPECT_EQ(format->name, name) << text;
  }
  EXPECT_EQ(RecognizeProfileFormat("just text\nof any kind\n"), nullptr);
  EXPECT_EQ(RecognizeProfileFormat(""), nullptr);
}

TEST(ThreadDumpTest, EachThreadOfEachDumpIsASample) {
  const Result<Profile> profile = ReadProfile("thread-dump", std::string(kDump) + kDump);
  ASSERT_TRUE(profile);
  EXPECT_EQ(StacksOf(*profile, 0),
            (Stacks{{"com.example.Load.main:7;java.io.FileInputStream.read", 2}, {"java.lang.Thread.run:840", 2}}));
  EXPECT_EQ(StacksOf(*profile, 1), (Stacks{{"com.example.Load.main:7;java.io.FileInputStream.read", 2}}));
  EXPECT_EQ(StacksOfText("thread-dump", kFaultHandler), (Stacks{{"<module> (job.py:20);burn (job.py:12)", 1}}));
  EXPECT_EQ(DamageOf("thread-dump", "nothing\n"), "input: line 1: expected a thread dump, found none");
}

TEST(ThreadDumpTest, HotSpotsDumpsKnowTheirTime) {
  std::string undated(kDump), impossible(kDump);
  undated.erase(0, undated.find('\n') + 1);
  impossible.replace(5, 2, "13");
  const std::string text = kDump + undated + impossible;
  const Result<Profile> profile = ReadProfile("thread-dump", text, {.bucket_ns = 1, .keep_order = true});
  ASSERT_TRUE(profile);
  std::vector<int64_t> times;
  for (const Sample& sample : profile->samples) {
    if (sample.event == 1) times.push_back(sample.time_ns);
  }
  EXPECT_EQ(times, (std::vector<int64_t>{1795266000'000'000'000, kNoTime, kNoTime}));
}

TEST(ThreadDumpTest, DumpsMayEndAfterAnyThread) {
  const std::string dump = kDump;
  const std::string without_end = dump.substr(0, dump.find("JNI"));
  EXPECT_EQ(StacksOfText("thread-dump", without_end), StacksOfText("thread-dump", dump));
  EXPECT_EQ(StacksOfText("thread-dump", without_end + dump), StacksOfText("thread-dump", dump + dump));
}

TEST(ThreadDumpTest, FramesThatAreCutAreDamage) {
  const std::string dump = kDump;
  EXPECT_EQ(DamageOf("thread-dump", dump.substr(0, dump.find("Native Method"))),
            "input: line 6: expected at CLASS.METHOD(FILE:LINE)");
  EXPECT_EQ(
      DamageOf("thread-dump", std::string(kFaultHandler) + "Thread 0x00007f1 (most recent call first):\n  File \"/x"),
      "input: line 7: expected File \"FILE\", line NUMBER in FUNCTION");
}

TEST(SpeedscopeTest, ReadsSampledAndEventedProfiles) {
  EXPECT_EQ(StacksOfText("speedscope", kSpeedscope), (Stacks{{"a", 3'000'000}, {"a;b", 4'000'000}}));
  const Result<Profile> broken = ReadProfile("speedscope", "{\"shared\":");
  ASSERT_FALSE(broken);
  EXPECT_TRUE(broken.error().message.starts_with("input: offset 10: expected speedscope's JSON, found its end"));
}

TEST(StatsdTest, ReadsDatagramsAndLineProtocol) {
  EXPECT_EQ(StacksOfText("statsd", kStatsd),
            (Stacks{{"java.lang.Thread.run:745;java.lang.Object.wait", 7}, {"A.b:12", 2}}));
  EXPECT_EQ(DamageOf("statsd", "x.cpu.trace.A-b-1 what\n").substr(0, 14), "input: line 1:");
}

TEST(RecordsProfileTest, ReadsStacksOfRecords) {
  const Stacks stacks = StacksOfText("records", kBabar);
  ASSERT_EQ(stacks.size(), 1u);
  EXPECT_EQ(stacks.begin()->second, 9);
}

TEST(TaskTagTest, ReadsPositionsAndNames) {
  const ProfileTask task{.task = 42, .stage = 3, .stage_attempt = 1, .partition = 7};
  EXPECT_EQ(ParseTaskTag("3,1,7,42,0,SUCCESS"), task);
  EXPECT_EQ(
      ParseTaskTag("stageId=3,stageAttemptNumber=1,partitionId=7,taskAttemptId=42,attemptNumber=0,status=success"),
      task);
  EXPECT_EQ(ParseTaskTag("Stage-ID: 3, stage_attempt: 1, Partition.Id: 7, TID: 42"), task);
  EXPECT_EQ(ParseTaskTag("tid = 42, partition = 7, host = h1, stage attempt = 1, stage = 3"), task);
  EXPECT_EQ(ParseTaskTag("3,1,7,42"), task);
  EXPECT_EQ(ParseTaskTag("0,0,0,0"), (ProfileTask{.task = 0, .stage = 0, .stage_attempt = 0, .partition = 0}));
  EXPECT_EQ(ParseTaskTag("3,1,7"), std::nullopt);
  EXPECT_EQ(ParseTaskTag("3,1,7,-1"), std::nullopt);
  EXPECT_EQ(ParseTaskTag("-1,1,7,42"), std::nullopt);
  EXPECT_EQ(ParseTaskTag("stage=3,attempt=1,partition=7,host=h"), std::nullopt);
  EXPECT_EQ(ParseTaskTag("request"), std::nullopt);
  EXPECT_EQ(ParseTaskTag("a,b,c,d"), std::nullopt);
}

TEST(BinaryFormatsTest, CutAndForeignBytesAreDamage) {
  EXPECT_EQ(DamageOf("pprof", std::string("\x0a\x04\x08\x01\x10\x02\x12\x7f", 8)).substr(0, 13), "input: offset");
  EXPECT_EQ(DamageOf("otlp", std::string("\x0a\x02\x12\x00", 4)).substr(0, 15), "input: offset 0");
  EXPECT_FALSE(ReadProfile("jfr", "not a recording"));
}

}  // namespace
}  // namespace sparkprof::testing

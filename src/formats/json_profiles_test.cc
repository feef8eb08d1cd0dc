// SPDX-License-Identifier: Apache-2.0
// Profiles in JSON that need few tests each: py-spy dump, call trees, and Firefox profiles.
#include <gtest/gtest.h>

#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

TEST(PySpyDumpTest, EachThreadIsASample) {
  const Result<Profile> profile = ReadProfile(
      "py-spy-dump",
      R"([{"pid":1,"thread_id":2,"thread_name":"MainThread","os_thread_id":3,"active":true,"owns_gil":true,"frames":[)"
      R"({"name":"f","filename":"/x/job.py","line":3},{"name":"<module>","filename":"/x/job.py","line":9}]},)"
      R"({"pid":1,"thread_id":4,"active":false,"owns_gil":false,"frames":[{"name":"g","filename":"/x/y.py","line":0}]}])",
      {.keep_threads = true});
  ASSERT_TRUE(profile);
  EXPECT_EQ(StacksOf(*profile, 0), (Stacks{{"<module> (job.py:9);f (job.py:3)", 1}, {"g (y.py)", 1}}));
  EXPECT_EQ(StacksOf(*profile, 1), (Stacks{{"<module> (job.py:9);f (job.py:3)", 1}}));
  EXPECT_EQ(profile->threads[profile->samples[0].thread],
            (ProfileThread{.process = 1, .tid = 3, .name = "MainThread"}));
  EXPECT_EQ(DamageOf("py-spy-dump", "[{}]"), "input: thread 0: expected an object with frames");
}

TEST(CallTreeTest, OwnTreesKeepEventAndFrames) {
  const std::string text =
      R"({"event":"cpu","unit":"ns","total":5,"count":2,"root":{"name":"all","value":5,"self":0,"count":2,"children":[)"
      R"({"name":"f","value":5,"self":3,"count":2,"kind":"python","file":"job.py","line":2,"children":[)"
      R"({"name":"b","value":2,"self":2,"count":1,"kind":"native","children":[]}]}]}})";
  const Result<Profile> profile = ReadProfile("call-tree", text);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->events, (std::vector<ProfileEvent>{{.name = "cpu", .unit = "ns"}}));
  EXPECT_EQ(StacksOf(*profile, 0), (Stacks{{"f (job.py:2)", 3}, {"f (job.py:2);b", 2}}));
  EXPECT_EQ(DamageOf("call-tree", text.substr(0, text.find("}]}]}}"))).substr(0, 47),
            "input: offset " + std::to_string(text.find("}]}]}}")) + ": expected a call tree in JSON");
}

TEST(CallTreeTest, WithoutSelfTheRestOfTheValueIsTheNodesOwn) {
  EXPECT_EQ(StacksOfText(
                "call-tree",
                R"({"name":"root","value":9,"children":[{"name":"a","value":7,"children":[{"name":"b","value":2}]}]})"),
            (Stacks{{"", 2}, {"a", 5}, {"a;b", 2}}));
  EXPECT_EQ(DamageOf("call-tree", R"({"name":"root","value":1,"children":[{"name":"a","value":2}]})"),
            "input: offset 0: expected callees to weigh no more than their caller, found 1 that do");
}

TEST(CallTreeTest, StacksAreAsDeepAsTheyAre) {
  constexpr int kDeep = 20'000;
  std::string text = R"({"name":"all","value":1,"children":[)";
  for (int i = 0; i < kDeep; ++i) text += R"({"name":"f","value":1,"children":[)";
  for (int i = 0; i <= kDeep; ++i) text += "]}";
  const Result<Profile> profile = ReadProfile("call-tree", text);
  ASSERT_TRUE(profile) << profile.error().message;
  std::vector<FrameId> path;
  ASSERT_EQ(profile->samples.size(), 1u);
  profile->stacks.Unwind(profile->samples[0].stack, &path);
  EXPECT_EQ(path.size(), size_t{kDeep});
}

constexpr const char* kTables =
    R"("stackTable":{"frame":[0,1,2],"prefix":[null,0,1]},"frameTable":{"func":[0,1,1],"line":[null,null,7]},)"
    R"("funcTable":{"name":[0,1],"fileName":[null,2],"lineNumber":[null,3]},"stringArray":["(root\u0029","f","x.js"])";

std::string Firefox(const std::string& samples) {
  return std::string(
             R"({"meta":{"preprocessedProfileVersion":50,"startTime":1000},"threads":[{"name":"t","pid":"1","tid":2,)") +
         kTables + R"(,"samples":)" + samples + "}]}";
}

TEST(FirefoxTest, WeightsDecideOnTheEvent) {
  EXPECT_EQ(StacksOfText("firefox", Firefox(R"({"stack":[1,2,null],"time":[1,2,3]})")),
            (Stacks{{"f:3", 1}, {"f:3;f:7", 1}}));
  EXPECT_EQ(StacksOfText("firefox", Firefox(R"({"stack":[1],"time":[1],"weight":[1.5],"weightType":"tracing-ms"})")),
            (Stacks{{"f:3", 1'500'000}}));
  EXPECT_EQ(StacksOfText("firefox", Firefox(R"({"stack":[2],"time":[1],"weight":[64],"weightType":"bytes"})")),
            (Stacks{{"f:3;f:7", 64}}));
}

TEST(FirefoxTest, TheRootAloneIsAFrame) {
  EXPECT_EQ(StacksOfText("firefox", Firefox(R"({"stack":[0,0,1,null],"time":[1,2,3,4]})")),
            (Stacks{{"(root)", 2}, {"f:3", 1}}));
}

TEST(FirefoxTest, TablesMayBeShared) {
  const std::string text =
      R"({"meta":{"preprocessedProfileVersion":66},"shared":{"stringArray":["a","b.js"],"stackTable":{"frame":[0,0],)"
      R"("prefixOffset":[0,1]},"frameTable":{"func":[0],"line":[1]},"funcTable":{"name":[0],"source":[0]},)"
      R"("sources":{"filename":[1]}},"threads":[{"samples":{"stack":[1,0],"weight":null,"timeDeltas":[1,1]}}]})";
  EXPECT_EQ(StacksOfText("firefox", text), (Stacks{{"a:1;a:1", 1}, {"a:1", 1}}));
}

TEST(FirefoxTest, GeckoProfilesHaveRows) {
  const std::string text =
      R"({"meta":{"interval":1,"stackwalk":1},"threads":[{"samples":{"schema":{"stack":0,"time":1},"data":[[1,2],[null,3],[2,4]]},)"
      R"("stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1],[1,2]]},"frameTable":{"schema":{"location":0},)"
      R"("data":[[0],[1],[2]]},"stringTable":["(root\u0029","f (x.js:3:4)[1]","g"]}],"processes":[]})";
  const Result<Profile> profile = ReadProfile("firefox", text);
  ASSERT_TRUE(profile);
  EXPECT_EQ(StacksOf(*profile, 0), (Stacks{{"f:3", 1}, {"f:3;g", 1}}));
  const Frame& frame = profile->frames.Get(1);
  EXPECT_EQ(profile->strings.Get(frame.file), "x.js");
}

TEST(FirefoxTest, DamageIsReported) {
  std::string text = Firefox(R"({"stack":[1],"time":[1]})");
  text.replace(text.find("[null,0,1]"), 10, "[2,0,1]");
  EXPECT_EQ(DamageOf("firefox", text),
            "input: threads[0].stackTable.prefix[0]: expected the row of an earlier stack, found 2");
  EXPECT_EQ(DamageOf("firefox", R"({"meta":{}})"),
            "input: offset 0: expected the threads of a Firefox profile, found none");
}

std::string Evented(const std::string& events, const std::string& more = "") {
  return R"({"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"},{"name":"b"},)"
         R"({"name":"c"}]},"profiles":[{"type":"evented","name":"t","unit":"none","startValue":0)" +
         more + R"(,"events":[)" + events + "]}]}";
}

std::string NotesOf(const std::string& text) {
  const Result<Profile> profile = ReadProfile("speedscope", text);
  return !profile ? profile.error().message : profile->notes.empty() ? "" : profile->notes[0];
}

TEST(SpeedscopeTest, EventsInOrderHaveNoNotes) {
  const std::string text = Evented(
      R"({"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":1},{"type":"C","frame":1,"at":4},{"type":"C","frame":0,"at":9})");
  EXPECT_EQ(StacksOfText("speedscope", text), (Stacks{{"a", 6}, {"a;b", 3}}));
  EXPECT_EQ(NotesOf(text), "");
}

TEST(SpeedscopeTest, EventsAreSortedByTheirTimes) {
  const std::string text = Evented(
      R"({"type":"O","frame":0,"at":0},{"type":"C","frame":1,"at":4},{"type":"O","frame":1,"at":1},{"type":"C","frame":0,"at":9})");
  EXPECT_EQ(StacksOfText("speedscope", text), (Stacks{{"a", 6}, {"a;b", 3}}));
  EXPECT_EQ(NotesOf(text), "input: profiles[0]: events are not in the order of their times; sorted");
}

TEST(SpeedscopeTest, CallsEndWithTheirCallerOrTheProfile) {
  // a ends before b, which it called; c, which is not open, ends.
  const std::string crossed = Evented(
      R"({"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":1},{"type":"C","frame":2,"at":2},{"type":"C","frame":0,"at":4},)"
      R"({"type":"C","frame":1,"at":9})");
  EXPECT_EQ(StacksOfText("speedscope", crossed), (Stacks{{"a", 1}, {"a;b", 3}}));
  EXPECT_EQ(NotesOf(crossed).substr(0, 33), "input: profiles[0]: 3 of 5 events");
  const std::string open =
      Evented(R"({"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":1})", R"(,"endValue":5)");
  EXPECT_EQ(StacksOfText("speedscope", open), (Stacks{{"a", 1}, {"a;b", 4}}));
  EXPECT_EQ(NotesOf(open).substr(0, 33), "input: profiles[0]: 2 of 2 events");
}

}  // namespace
}  // namespace sparkprof::testing

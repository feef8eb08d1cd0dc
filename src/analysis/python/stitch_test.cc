// SPDX-License-Identifier: Apache-2.0
#include "analysis/python/stitch.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analysis/selection/stack_kinds.h"
#include "analysis/testing/python_application.h"
#include "model/samples/profile.h"

namespace sparkprof {
namespace {

constexpr char kPrefix[] =
    "java.lang.Thread.run;org.apache.spark.api.python.BasePythonRunner$ReaderIterator.hasNext;"
    "org.apache.spark.sql.execution.python.BasePythonUDFRunner$$anon$2.read;";

// Stacks with the weight they have in one event.
std::map<std::string, int64_t> Stacks(const Application& application, Event event) {
  std::map<std::string, int64_t> weights;
  for (const Sample& sample : application.profile.samples) {
    if (sample.event != application.profile.Row(event)) continue;
    std::vector<FrameId> frames;
    application.profile.stacks.Unwind(sample.stack, &frames);
    std::string text;
    for (const FrameId frame : frames) {
      text +=
          (text.empty() ? "" : ";") + FrameLabel(application.profile.strings, application.profile.frames.Get(frame));
    }
    weights[text] += sample.weight;
  }
  return weights;
}

int64_t Sum(const std::map<std::string, int64_t>& weights) {
  int64_t sum = 0;
  for (const auto& [stack, weight] : weights) sum += weight;
  return sum;
}

using Weights = std::map<std::string, int64_t>;

TEST(StitchTest, CpuOfBothSidesIsInOneGraphEachOnce) {
  PythonApplication example;
  example.AddJvm(Event::kCpu, 2, example.run(), 300, PythonState::kUnknown);
  example.AddJvm(Event::kWall, 2, example.wait(), 1'000, PythonState::kRunning);
  example.AddPython(Event::kCpu, 2, example.score(), 700, ThreadState::kRunning);
  example.AddPython(Event::kCpu, 7, example.load(), 50, ThreadState::kRunning);  // a bucket without a JVM sample
  Application& application = example.application();
  ChooseLanguage(&application, Language::kMerged, true);
  const Weights cpu = Stacks(application, Event::kCpu);
  EXPECT_EQ(cpu, (Weights{{"java.lang.Thread.run;com.example.Job.map", 300},
                          {std::string(kPrefix) + "[python worker];[pyspark runtime];score (job.py:12)", 700},
                          {std::string(kPrefix) + "[python worker];[pyspark runtime];[deserialization]", 50}}));
}

TEST(StitchTest, TheTimeOfAWaitIsSharedOutOverWhatPythonDid) {
  PythonApplication example;
  example.AddJvm(Event::kWall, 2, example.run(), 100, PythonState::kWaiting);
  example.AddJvm(Event::kWall, 2, example.wait(), 600, PythonState::kRunning);
  example.AddJvm(Event::kWall, 2, example.wait(), 301, PythonState::kWaiting);
  example.AddPython(Event::kWall, 2, example.score(), 20, ThreadState::kRunning);
  example.AddPython(Event::kWall, 2, example.score_deeper(), 10, ThreadState::kRunning);
  example.AddPython(Event::kWall, 2, example.load(), 7, ThreadState::kSleeping);
  Application& application = example.application();
  ChooseLanguage(&application, Language::kMerged, true);
  const Weights wall = Stacks(application, Event::kWall);
  const std::string worker = std::string(kPrefix) + "[python worker];[pyspark runtime];";
  EXPECT_EQ(wall, (Weights{{"java.lang.Thread.run;com.example.Job.map", 100},
                           {worker + "score (job.py:12)", 400},
                           {worker + "score (job.py:14);help (job.py:5)", 200},
                           {worker + "[waiting for the JVM]", 301}}));
  EXPECT_EQ(Sum(wall), 1'001);
}

TEST(StitchTest, PythonBesideABusyJvmIsNotCountedAsWallTimeTwice) {
  PythonApplication example;
  example.AddJvm(Event::kWall, 2, example.run(), 1'000, PythonState::kRunning);
  example.AddPython(Event::kWall, 2, example.score(), 900, ThreadState::kRunning);
  Application& application = example.application();
  ChooseLanguage(&application, Language::kMerged, true);
  EXPECT_EQ(Stacks(application, Event::kWall), (Weights{{"java.lang.Thread.run;com.example.Job.map", 1'000}}));
}

TEST(StitchTest, AWaitWithoutAPartnerStaysVisible) {
  PythonApplication example;
  example.AddJvm(Event::kWall, 2, example.wait(), 500, PythonState::kUnknown);
  example.AddPython(Event::kWall, 3, example.score(), 900, ThreadState::kRunning);
  Application& application = example.application();
  ChooseLanguage(&application, Language::kMerged, true);
  const Weights wall = Stacks(application, Event::kWall);
  ASSERT_EQ(wall.size(), 1u);
  EXPECT_TRUE(wall.begin()->first.ends_with("sun.nio.ch.EPoll.wait;[python: not sampled]")) << wall.begin()->first;
  EXPECT_EQ(wall.begin()->second, 500);
}

TEST(StitchTest, ATaskWhoseJvmThreadWasNotSampledHasPythonsTime) {
  PythonApplication example;
  example.builder().AddTask(11, example.stage(), example.executor(), 1, 9);
  example.AddJvm(Event::kWall, 2, example.wait(), 500, PythonState::kUnknown, 10);
  example.AddPython(Event::kWall, 3, example.score(), 900, ThreadState::kRunning, 11);
  Application& application = example.application();
  ChooseLanguage(&application, Language::kMerged, true);
  const Weights wall = Stacks(application, Event::kWall);
  EXPECT_EQ(wall.at(std::string(kPrefix) + "[python worker];[pyspark runtime];score (job.py:12)"), 900)
      << "under the frame at which other tasks of the stage waited";
  EXPECT_EQ(Sum(wall), 1'400);
}

TEST(StitchTest, PythonThatRunsNoTaskStandsOnItsOwn) {
  PythonApplication example;
  const StackId driver = example.builder().AddStack({example.Python("<module>", "/home/me/job.py", 40)});
  example.AddPython(Event::kCpu, 3, driver, 900, ThreadState::kRunning, kNoTask);
  Application& application = example.application();
  ChooseLanguage(&application, Language::kMerged, true);
  EXPECT_EQ(Stacks(application, Event::kCpu), (Weights{{"<module> (job.py:40)", 900}}));
}

TEST(StitchTest, TheDriversProgramIsNamedAndWhatItWaitsForIsTheJvm) {
  PythonApplication example;
  Application& application = example.application();
  Process program;
  program.pid = 4711;
  program.role = "python_driver";
  application.processes.push_back({program, example.executor()});
  const FrameId main = example.Python("main", "/home/me/job.py", 9);
  const FrameId collect =
      example.Python("DataFrame.collect", std::string(PythonApplication::kPyspark) + "sql/df.py", 7);
  const FrameId send = example.Python("send_command", "/usr/lib/py4j/clientserver.py", 5);
  const FrameId socket = example.Python("SocketIO.readinto", "/usr/lib/socket.py", 3);
  const StackId answer = example.builder().AddStack({main, collect, send, socket});
  example.AddPython(Event::kWall, 2, answer, 900, ThreadState::kSleeping, kNoTask);
  example.AddPython(Event::kCpu, 2, answer, 50, ThreadState::kRunning, kNoTask);
  const std::string call = "[python driver];main (job.py:9);DataFrame.collect (df.py:7);";
  const std::string below = "send_command (clientserver.py:5);SocketIO.readinto (socket.py:3)";
  for (const Language language : {Language::kMerged, Language::kPython}) {
    Application folded = application;
    ChooseLanguage(&folded, language, true);
    EXPECT_EQ(Stacks(folded, Event::kWall), (Weights{{call + "[waiting for the JVM]", 900}}));
    EXPECT_EQ(Stacks(folded, Event::kCpu), (Weights{{call + below, 50}}));
  }
  ChooseLanguage(&application, Language::kMerged, false);
  EXPECT_EQ(Stacks(application, Event::kWall), (Weights{{call + "[waiting for the JVM];" + below, 900}}));
}

TEST(StitchTest, EachSideCanBeSeenAlone) {
  PythonApplication example;
  example.AddJvm(Event::kCpu, 2, example.run(), 300, PythonState::kUnknown);
  example.AddPython(Event::kCpu, 2, example.score(), 700, ThreadState::kRunning);
  Application jvm = example.application();
  ChooseLanguage(&jvm, Language::kJvm, true);
  EXPECT_EQ(Stacks(jvm, Event::kCpu), (Weights{{"java.lang.Thread.run;com.example.Job.map", 300}}));
  Application python = example.application();
  ChooseLanguage(&python, Language::kPython, true);
  EXPECT_EQ(Stacks(python, Event::kCpu), (Weights{{"[pyspark runtime];score (job.py:12)", 700}}));
  Application open = example.application();
  ChooseLanguage(&open, Language::kPython, false);
  EXPECT_EQ(
      Stacks(open, Event::kCpu),
      (Weights{{"[pyspark runtime];main (worker.py:1800);dump_stream (serializers.py:220);score (job.py:12)", 700}}));
}

TEST(StitchTest, OtherEventsStayAsTheyAre) {
  PythonApplication example;
  example.AddJvm(Event::kAlloc, 2, example.wait(), 512, PythonState::kUnknown);
  Application& application = example.application();
  ChooseLanguage(&application, Language::kMerged, true);
  EXPECT_EQ(Sum(Stacks(application, Event::kAlloc)), 512);
  EXPECT_EQ(application.profile.samples[0].stack, example.wait());
}

TEST(StitchTest, LanguagesHaveNames) {
  for (const Language language : {Language::kMerged, Language::kJvm, Language::kPython}) {
    EXPECT_EQ(ParseLanguage(LanguageName(language)), language);
  }
  EXPECT_FALSE(ParseLanguage("cobol"));
}

}  // namespace
}  // namespace sparkprof

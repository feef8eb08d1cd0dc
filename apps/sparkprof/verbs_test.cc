// SPDX-License-Identifier: Apache-2.0
// Runs the binary as a user does.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/file.h"
#include "model/block.h"
#include "model/testing/example_segment.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
};

class VerbsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sparkprof_verbs_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    Write("example.sprof", EncodeBlock(ExampleSegment()));
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& content) {
    ASSERT_TRUE(WriteFile((folder_ / name).string(), content));
  }

  std::string Read(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    std::stringstream content;
    content << in.rdbuf();
    return content.str();
  }

  // In the test's own folder.
  Outcome Run(const std::string& arguments) {
    const std::string command =
        "cd '" + folder_.string() + "' && '" SPARKPROF_BINARY "' " + arguments + " >stdout 2>stderr";
    const int status = std::system(command.c_str());
    Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, Read("stdout"), Read("stderr")};
    fs::remove(folder_ / "stdout");
    fs::remove(folder_ / "stderr");
    return outcome;
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path folder_;
};

// One line, which names `part`.
void ExpectComplaint(const Outcome& outcome, int exit_code, const std::string& part) {
  EXPECT_EQ(outcome.exit_code, exit_code);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("sparkprof: ")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
}

TEST_F(VerbsTest, FlamePrintsCollapsedStacksAndNothingElse) {
  const Outcome outcome = Run("flame example.sprof");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "java.lang.Thread.run;com.example.Job.burn 20000000\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(Run("flame example.sprof --counts").out, "java.lang.Thread.run;com.example.Job.burn 2\n");
  EXPECT_EQ(Run("flame example.sprof --reverse").out, "com.example.Job.burn;java.lang.Thread.run 20000000\n");
  EXPECT_EQ(Run("flame example.sprof --lines").out, "java.lang.Thread.run:7;com.example.Job.burn:7 20000000\n");
}

TEST_F(VerbsTest, FlameCutsByEveryOption) {
  const std::string stack = "java.lang.Thread.run;com.example.Job.burn 20000000\n";
  for (const char* cut : {"--stage 3", "--stage 3.0", "--task 12", "--sql 1", "--executor 0", "--thread 77",
                          "--thread 'task launch'", "--from 0s --to 1s", "--search burn", "--event cpu"}) {
    EXPECT_EQ(Run(std::string("flame ") + cut + " example.sprof").out, stack) << cut;
  }
}

TEST_F(VerbsTest, MessagesRepeatNoSecretOfTheCommandLine) {
  for (const char* arguments : {"flame 's3a://AKIA:hunter2zz@bucket/x.jfr'", "analyze password=hunter2zz.log",
                                "flame --password=hunter2zz x.jfr"}) {
    const Outcome outcome = Run(arguments);
    EXPECT_NE(outcome.exit_code, 0) << arguments;
    EXPECT_EQ(outcome.err.find("hunter2zz"), std::string::npos) << outcome.err;
  }
}

TEST_F(VerbsTest, AnEmptySelectionSaysWhyAndExits1) {
  ExpectComplaint(Run("flame example.sprof --stage 9"), 1, "there is no stage 9");
  ExpectComplaint(Run("flame example.sprof --event alloc -o x.svg"), 1, "no alloc samples");
  ExpectComplaint(Run("flame example.sprof --task 99"), 1, "there is no task 99");
  EXPECT_EQ(Files(), std::vector<std::string>{"example.sprof"});
}

TEST_F(VerbsTest, TheOutputsNameChoosesTheFormat) {
  EXPECT_EQ(Run("flame example.sprof -o a.svg").exit_code, 0);
  EXPECT_TRUE(Read("a.svg").starts_with("<?xml"));
  EXPECT_EQ(Run("flame example.sprof -o a.html").exit_code, 0);
  EXPECT_NE(Read("a.html").find("sparkprof-data"), std::string::npos);
  EXPECT_EQ(Run("flame example.sprof -o a.json").exit_code, 0);
  EXPECT_EQ(Read("a.json"), Run("flame example.sprof --json").out);
  EXPECT_EQ(Run("flame example.sprof -o a.txt --format collapsed").exit_code, 0);
  EXPECT_EQ(Read("a.txt"), Run("flame example.sprof").out);
}

TEST_F(VerbsTest, InfoAndReportSpeakJson) {
  const Outcome info = Run("info --json example.sprof");
  EXPECT_EQ(info.exit_code, 0);
  EXPECT_TRUE(info.out.starts_with(R"({"applications":[{"id":"app-1","attempt":"1","name":"example")")) << info.out;
  EXPECT_EQ(Run("info example.sprof").exit_code, 0);
  const Outcome report = Run("report example.sprof --json -o r.html");
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_TRUE(report.out.starts_with(R"({"output":"r.html","bytes":)")) << report.out;
  EXPECT_EQ(Files(), (std::vector<std::string>{"example.sprof", "r.html"}));
}

TEST_F(VerbsTest, BadInputIsOneLineAndLeavesNothing) {
  Write("empty.sprof", "");
  Write("foreign.sprof", "PK\x03\x04 not ours, but long enough to hold a header");
  Write("cut.sprof", EncodeBlock(ExampleSegment()).substr(0, 40));
  const std::vector<std::string> before = Files();
  for (const char* name : {"empty.sprof", "foreign.sprof", "cut.sprof", "missing.sprof"}) {
    for (const char* verb : {"report -o out.html", "flame -o out.svg", "info", "info --json"}) {
      ExpectComplaint(Run(std::string(verb) + " " + name), 2, name);
    }
  }
  EXPECT_EQ(Files(), before);
}

TEST_F(VerbsTest, ACutTailIsReadUpToItAndSaidSo) {
  const std::string block = EncodeBlock(ExampleSegment());
  Write("tail.sprof", block + block.substr(0, block.size() / 2));
  const Outcome outcome = Run("info --json tail.sprof");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find(R"("complete":false,)"), std::string::npos);
  EXPECT_EQ(Run("flame tail.sprof").out, Run("flame example.sprof").out);
}

TEST_F(VerbsTest, WhereOutputCannotBeWrittenSaysSo) {
  ExpectComplaint(Run("report example.sprof -o nowhere/report.html"), 2, "nowhere/report.html");
  EXPECT_EQ(Files(), std::vector<std::string>{"example.sprof"});
}

TEST_F(VerbsTest, WrongUsageExits2) {
  ExpectComplaint(Run(""), 2, "expected a verb");
  ExpectComplaint(Run("paint"), 2, "there is no verb 'paint'");
  ExpectComplaint(Run("flame < /dev/null"), 2, "standard input");
  ExpectComplaint(Run("info"), 2, "RECORDING");
  ExpectComplaint(Run("flame example.sprof --event heat"), 2, "heat");
  ExpectComplaint(Run("flame example.sprof --stage 3.x"), 2, "3.x");
  ExpectComplaint(Run("flame example.sprof --thread 'a('"), 2, "a(");
  ExpectComplaint(Run("flame example.sprof --from soon"), 2, "soon");
  ExpectComplaint(Run("flame example.sprof --counts --format svg"), 2, "--counts");
  ExpectComplaint(Run("info example.sprof --application app-2"), 2, "app-2");
  ExpectComplaint(Run("info example.sprof --bogus"), 2, "--bogus");
}

TEST_F(VerbsTest, ANumberThatIsTooSmallIsToldItsLowerEnd) {
  ExpectComplaint(Run("flame example.sprof --job -1"), 2, "--job: -1 must be at least 0;");
  ExpectComplaint(Run("logs example.sprof --max-files 0"), 2, "--max-files: 0 must be at least 1;");
  ExpectComplaint(Run("flame example.sprof --factor 0"), 2, "--factor: 0 must be more than 0;");
  ExpectComplaint(Run("flame example.sprof --factor 1e999"), 2, "--factor: \"1e999\" is not a number;");
  ExpectComplaint(Run("dump 12x"), 2, "pid: \"12x\" is not a number;");
}

TEST_F(VerbsTest, HelpShowsExamplesAndVersionTheVersion) {
  EXPECT_TRUE(Run("--version").out.starts_with("sparkprof "));
  for (const char* verb : {"report", "flame", "info"}) {
    const Outcome outcome = Run(std::string(verb) + " --help");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.out.find("Examples:\n  sparkprof " + std::string(verb)), std::string::npos) << outcome.out;
  }
}

TEST_F(VerbsTest, EventsTellsTasksOfADriversLogAlone) {
  Write("driver.log",
        "23/11/15 00:13:20 INFO SparkContext: Running Spark version 3.5.1\n"
        "23/11/15 00:13:20 INFO SparkContext: Submitted application: etl\n"
        "23/11/15 00:13:21 INFO DAGScheduler: Got job 0 (count at A.scala:2) with 1 output partitions\n"
        "23/11/15 00:13:21 INFO DAGScheduler: Final stage: ResultStage 0 (count at A.scala:2)\n"
        "23/11/15 00:13:21 INFO TaskSchedulerImpl: Adding task set 0.0 with 1 tasks resource profile 0\n"
        "23/11/15 00:13:22 INFO TaskSetManager: Starting task 0.0 in stage 0.0 (TID 0) (h1, executor 1, partition 0, "
        "ANY, 7 bytes) taskResourceAssignments Map()\n"
        "23/11/15 00:13:24 INFO TaskSetManager: Finished task 0.0 in stage 0.0 (TID 0) in 2000 ms on h1 (executor 1) "
        "(1/1)\n"
        "23/11/15 00:13:24 INFO DAGScheduler: Job 0 finished: count at A.scala:2, took 3.1 s\n");
  const Outcome tasks = Run("events driver.log tasks --zone Europe/Berlin --json");
  EXPECT_EQ(tasks.exit_code, 0) << tasks.err;
  EXPECT_NE(tasks.out.find(R"("executorId":"1","host":"h1","launchTime":1700003602000)"), std::string::npos)
      << tasks.out;
  EXPECT_NE(tasks.out.find(R"("duration":2000,"status":"SUCCESS")"), std::string::npos) << tasks.out;
  EXPECT_NE(tasks.out.find(R"("executorRunTime":null)"), std::string::npos) << tasks.out;
  EXPECT_NE(Run("events driver.log jobs").out.find("SUCCEEDED"), std::string::npos);
  EXPECT_EQ(Run("events driver.log tasks --zone Europe/Nowhere").exit_code, 2);
  Write("words.txt", "nothing that Spark says\n");
  EXPECT_EQ(Run("events words.txt tasks").exit_code, 2);
}

}  // namespace
}  // namespace sparkprof

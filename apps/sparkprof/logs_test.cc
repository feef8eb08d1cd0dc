// SPDX-License-Identifier: Apache-2.0
// `sparkprof logs` as scripts use it.
#include <gtest/gtest.h>
#include <simdjson.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/file.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

// Three tasks at once that load the same model for each record.
std::string HecklerLog() {
  std::string log = "24/01/01 10:00:00 INFO SparkContext: Running Spark version 3.5.7\n";
  const auto time = [](int i) { return "24/01/01 10:00:" + std::to_string(10 + i) + " INFO "; };
  for (int i = 0; i < 40; ++i) {
    for (const char* const line :
         {"StanfordCoreNLP: Adding annotator tokenize", "StanfordCoreNLP: Adding annotator pos",
          "MaxentTagger: Loading POS tagger from english.tagger ... done [0.8 sec]."}) {
      for (int task = 0; task < 3; ++task) log += time(i) + line + "\n";
    }
    if (i % 7 == 0)
      log += time(i) + "BlockManagerInfo: Removed broadcast_" + std::to_string(i) + "_piece0 on h:1 in memory\n";
  }
  log +=
      "24/01/01 10:01:00 ERROR Executor: Exception in task 0.0 in stage 3.0 (TID 7)\n"
      "java.lang.RuntimeException: outer\n"
      "\tat com.example.Job.run(Job.java:12)\n"
      "Caused by: java.io.IOException: disk full\n"
      "24/01/01 10:01:01 WARN TaskSetManager: Lost task 1.0 in stage 4.0 (TID 8) (h executor 1): TaskKilled (x)\n";
  return log;
}

class LogsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sparkprof_logs_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    ASSERT_TRUE(WriteFile((folder_ / "driver.log").string(), HecklerLog()));
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Standard output; the exit code goes to `exit_code_`.
  std::string Run(const std::string& arguments) {
    const std::string command =
        "cd '" + folder_.string() + "' && '" SPARKPROF_BINARY "' logs " + arguments + " >out.txt 2>err.txt";
    const int status = std::system(command.c_str());
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return Read("out.txt");
  }

  std::string Read(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    std::stringstream content;
    content << in.rdbuf();
    return content.str();
  }

  simdjson::dom::array Json(const std::string& arguments) {
    document_ = simdjson::padded_string(Run(arguments));
    simdjson::dom::array array;
    EXPECT_EQ(parser_.parse(document_).get_array().get(array), simdjson::SUCCESS) << arguments;
    return array;
  }

  fs::path folder_;
  int exit_code_ = -1;
  simdjson::dom::parser parser_;
  simdjson::padded_string document_;
};

TEST_F(LogsTest, APipeIsReadAsAFileIs) {
  const std::string errors = Run("driver.log --errors --json");
  EXPECT_NE(errors.find("\"driver.log:"), std::string::npos);
  const std::string from_pipe = Run("- --errors --json < driver.log");
  EXPECT_EQ(exit_code_, 0);
  EXPECT_EQ(std::count(from_pipe.begin(), from_pipe.end(), ':'), std::count(errors.begin(), errors.end(), ':'));
  EXPECT_NE(from_pipe.find("\"-:"), std::string::npos);
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  ASSERT_EQ(std::system(("gzip -c '" + folder_.string() + "/driver.log' > '" + folder_.string() + "/pipe' &").c_str()),
            0);
  EXPECT_NE(Run("pipe --errors").find("disk full"), std::string::npos);
}

TEST_F(LogsTest, TimesComeToTheClockOfTheEventLogBesideThem) {
  ASSERT_TRUE(
      WriteFile((folder_ / "events").string(),
                R"({"Event":"SparkListenerLogStart","Spark Version":"3.5.7"})"
                "\n"
                R"({"Event":"SparkListenerApplicationStart","App Name":"a","App ID":"app-1","Timestamp":1704096000000})"
                "\n"));
  // The log's 10:00 is 08:00 UTC, when the application began.
  const auto first = [this](const std::string& arguments) {
    return int64_t(Json(arguments + " --json --grep 'Running Spark'").at(0)["time"]);
  };
  EXPECT_EQ(first("driver.log"), 1'704'103'200'000);
  EXPECT_EQ(first("driver.log events"), 1'704'096'000'000);
  EXPECT_EQ(first("driver.log events --zone +01:00"), 1'704'099'600'000);
}

TEST_F(LogsTest, RepeatedLoadingIsTheFirstChunk) {
  const simdjson::dom::element first = Json("driver.log --chunks --json").at(0);
  EXPECT_EQ(int64_t(first["repeats"]), 120);
  const simdjson::dom::array lines = first["lines"];
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(std::string_view(lines.at(0)), "Adding annotator tokenize");
  EXPECT_EQ(std::string_view(lines.at(1)), "Adding annotator pos");
  EXPECT_EQ(std::string_view(first["where"].at(0)), "driver.log:2");
}

TEST_F(LogsTest, ErrorsNameTheirRootCauseNewestFirst) {
  const simdjson::dom::array errors = Json("driver.log --errors --json");
  ASSERT_EQ(errors.size(), 2u);
  const simdjson::dom::element thrown = errors.at(1);
  EXPECT_EQ(std::string_view(thrown["message"]), "Exception in task 0.0 in stage 3.0 (TID 7)");
  EXPECT_EQ(std::string_view(thrown["exception"]), "java.lang.RuntimeException");
  EXPECT_EQ(std::string_view(thrown["rootCause"]), "java.io.IOException: disk full");
  EXPECT_EQ(int64_t(thrown["count"]), 1);
  EXPECT_EQ(int64_t(thrown["first"]), 1704103260000);
  EXPECT_EQ(int64_t(thrown["last"]), 1704103260000);
  EXPECT_FALSE(std::string_view(thrown["fingerprint"]).empty());
  EXPECT_TRUE(std::string_view(thrown["where"].at(0)).starts_with("driver.log:"));
  EXPECT_TRUE(errors.at(0)["exception"].is_null());
}

TEST_F(LogsTest, TemplatesCountLevelsAndTimes) {
  const simdjson::dom::element first = Json("driver.log --templates --json").at(0);
  EXPECT_EQ(std::string_view(first["template"]), "Adding annotator <*>");
  EXPECT_EQ(int64_t(first["count"]), 240);
  EXPECT_EQ(int64_t(first["levels"]["INFO"]), 240);
  EXPECT_EQ(int64_t(first["first"]), 1704103210000);
}

TEST_F(LogsTest, AssignPrintsAnIdForEachLineOfTheInput) {
  const std::string log = HecklerLog();
  const std::string ids = Run("driver.log --templates --assign");
  EXPECT_EQ(std::count(ids.begin(), ids.end(), '\n'), std::count(log.begin(), log.end(), '\n'));
  EXPECT_TRUE(ids.starts_with("1\n2\n2\n2\n2\n2\n2\n3\n3\n3\n"));
  Run("driver.log --templates --assign --level WARN");
  EXPECT_EQ(exit_code_, 2);
}

TEST_F(LogsTest, AssignPrintsAsManyIdsAsATextHasLinesWhateverItHolds) {
  const auto ids_of = [&](const std::string& arguments) {
    const std::string ids = Run(arguments + " --templates --assign");
    return std::count(ids.begin(), ids.end(), '\n');
  };
  const std::string log = HecklerLog();
  const int64_t lines = std::count(log.begin(), log.end(), '\n');
  // Two logs with their headings.
  const auto contents = [&](const std::string& name) {
    return "LogType:" + name + "\nLogLength:" + std::to_string(log.size()) + "\nLogContents:\n" + log +
           "\nEnd of LogType:" + name + "\n\n";
  };
  const std::string container = "Container: container_1_0001_01_000002 on h_1\n" + std::string(60, '=') + "\n";
  ASSERT_TRUE(WriteFile((folder_ / "yarn.txt").string(), container + contents("stderr") + contents("stdout")));
  EXPECT_EQ(ids_of("yarn.txt"), 2 + 2 * (lines + 6));
  // A line beyond the limit, an empty one, and parts of one.
  ASSERT_TRUE(WriteFile((folder_ / "long.log").string(), log + std::string(3 << 20, 'x') + "\n\n" + log));
  EXPECT_EQ(ids_of("long.log --max-line 1m"), 2 * lines + 2);
  const std::string time = "2024-01-01T08:00:00.000000000Z ";
  ASSERT_TRUE(WriteFile((folder_ / "pod.log").string(), time + "stderr P 24/01/01 10:00:00 INFO A: o\n" + time +
                                                            "stdout F printed\n" + time + "stderr F ne\n" + time +
                                                            "stderr P cut\n"));
  EXPECT_EQ(ids_of("pod.log"), 4);
  EXPECT_EQ(ids_of("driver.log pod.log driver.log"), lines + 4);  // each file once
}

TEST_F(LogsTest, RecordsAreSelectedByLevelStageTaskTimeAndText) {
  EXPECT_EQ(Run("driver.log --level ERROR").substr(0, 14), "driver.log:368");
  EXPECT_NE(Run("driver.log --stage 4").find("Lost task 1.0"), std::string::npos);
  EXPECT_EQ(Run("driver.log --stage 4").find("Exception in task"), std::string::npos);
  EXPECT_NE(Run("driver.log --task 7").find("disk full"), std::string::npos);
  EXPECT_EQ(Run("driver.log --since '24/01/01 10:01:01'").find("Exception"), std::string::npos);
  EXPECT_NE(Run("driver.log --grep 'disk f.ll'").find("Caused by"), std::string::npos);
  EXPECT_EQ(Run("driver.log --grep nothing"), "");
  EXPECT_EQ(exit_code_, 1);
  Run("driver.log --grep '('");
  EXPECT_EQ(exit_code_, 2);
  Run("absent.log");
  EXPECT_EQ(exit_code_, 2);
}

TEST_F(LogsTest, StagesAndTasksAreFoundHoweverSparkSpeaksOfThem) {
  ASSERT_TRUE(WriteFile(
      (folder_ / "stages.log").string(),
      "24/01/01 10:00:05.123 dag-scheduler-event-loop INFO DAGScheduler: ResultStage 3 (count at A.scala:1) finished "
      "in 1.0 s\n"
      "24/01/01 10:00:05.124 dag-scheduler-event-loop INFO DAGScheduler: ShuffleMapStage 30 (count at A.scala:1) "
      "finished\n"
      "24/01/01 10:00:05.125 main INFO TaskSchedulerImpl: Removed TaskSet 3.0, whose tasks have all completed\n"
      "24/01/01 10:00:05.126 Executor task launch worker for task 12 INFO HadoopRDD: Input split: f\n"
      "24/01/01 10:00:05.127 Executor task launch worker for task 2.0 in stage 3.0 (TID 2) INFO HadoopRDD: Input "
      "split: g\n"));
  const auto lines = [&](const std::string& arguments) {
    const std::string text = Run("stages.log " + arguments);
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines("--stage 3"), 3);
  EXPECT_EQ(lines("--stage 30"), 1);
  EXPECT_EQ(lines("--task 12"), 1);
  EXPECT_EQ(lines("--task 2"), 1);
}

TEST_F(LogsTest, SeveralFilesAreMergedByTime) {
  ASSERT_TRUE(WriteFile((folder_ / "other.log").string(), "24/01/01 10:00:05 INFO Executor: in between\n"));
  const std::string text = Run("driver.log other.log");
  const size_t between = text.find("other.log:1:");
  ASSERT_NE(between, std::string::npos);
  EXPECT_LT(text.find("driver.log:1:"), between);
  EXPECT_GT(text.find("driver.log:2:"), between);
}

}  // namespace
}  // namespace sparkprof

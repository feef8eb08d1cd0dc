// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <simdjson.h>
#include <zstd.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/testing/folder_test.h"
#include "history/application_list.h"
#include "history/event_log_zip.h"
#include "history/history_answers.h"
#include "history/history_loader.h"

namespace sparkprof {
namespace {

constexpr std::string_view kStage =
    R"({"Stage ID":3,"Stage Attempt ID":0,"Stage Name":"count at Job.scala:7","Number of Tasks":2,"RDD Info":[],)"
    R"("Details":"Job.scala:7","Submission Time":2000)";

std::string StageEvent(std::string_view event, std::string_view more) {
  return R"({"Event":"SparkListener)" + std::string(event) + R"(","Stage Info":)" + std::string(kStage) +
         std::string(more) + "}}";
}

std::string JobStart() {
  return R"({"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1500,"Stage Infos":[)" + std::string(kStage) +
         R"(}],"Properties":{"spark.job.description":"nightly","spark.job.tags":"b,a"}})";
}

std::string TaskInfo(int id, int64_t finish_ms, bool failed) {
  return R"("Stage ID":3,"Stage Attempt ID":0,"Task Info":{"Task ID":)" + std::to_string(id) + R"(,"Index":)" +
         std::to_string(id) + R"(,"Attempt":0,"Launch Time":2000,"Executor ID":"1","Host":"h1","Locality":"ANY",)" +
         R"("Speculative":false,"Getting Result Time":0,"Finish Time":)" + std::to_string(finish_ms) + R"(,"Failed":)" +
         (failed ? "true" : "false") + R"(,"Killed":false,"Accumulables":[)" +
         R"({"ID":7,"Name":"rows","Update":"5","Value":"5","Internal":false}]})";
}

std::string TaskStart(int id) { return R"({"Event":"SparkListenerTaskStart",)" + TaskInfo(id, 0, false) + "}"; }

std::string TaskEnd(int id, int64_t finish_ms, int64_t run_ms) {
  return R"({"Event":"SparkListenerTaskEnd","Task End Reason":{"Reason":"Success"},)" + TaskInfo(id, finish_ms, false) +
         R"(,"Task Metrics":{"Executor Run Time":)" + std::to_string(run_ms) +
         R"(,"JVM GC Time":1,"Shuffle Read Metrics":{"Remote Bytes Read":10,"Local Bytes Read":5}}})";
}

std::vector<std::string> Log() {
  return {
      R"({"Event":"SparkListenerLogStart","Spark Version":"3.5.7"})",
      R"({"Event":"SparkListenerApplicationStart","App Name":"etl","App ID":"app-1","Timestamp":1000,"User":"me"})",
      R"({"Event":"SparkListenerExecutorAdded","Timestamp":1200,"Executor ID":"1","Executor Info":{"Host":"h1","Total Cores":4}})",
      JobStart(),
      StageEvent("StageSubmitted", ""),
      TaskStart(0),
      TaskStart(1),
      TaskEnd(0, 2500, 450),
      TaskEnd(1, 3500, 1400),
      StageEvent("StageCompleted", R"(,"Completion Time":3600)"),
      R"({"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":3700,"Job Result":{"Result":"JobSucceeded"}})",
      R"({"Event":"SparkListenerApplicationEnd","Timestamp":4000})",
  };
}

std::string Join(const std::vector<std::string>& events) {
  std::string text;
  for (const std::string& event : events) text += event + "\n";
  return text;
}

class HistoryTest : public FolderTest {
 protected:
  History Load(std::string_view content) {
    Result<History> history = LoadHistory({{Write("log", content)}, 0}, 2);
    EXPECT_TRUE(history) << history.error().message;
    return history ? std::move(*history) : History();
  }

  // The answer as JSON text.
  static std::string Get(const History& history, std::vector<std::string> path,
                         std::vector<std::pair<std::string, std::string>> parameters = {}) {
    const HistoryAnswer answer = AnswerHistory(history, path, parameters, 9000);
    return answer.status == 200 ? answer.body : std::to_string(answer.status) + " " + answer.body;
  }
};

TEST_F(HistoryTest, AJobIsAnsweredAsSparkAnswersIt) {
  EXPECT_EQ(Get(Load(Join(Log())), {"jobs"}),
            R"([{"jobId":0,"name":"count at Job.scala:7","description":"nightly",)"
            R"("submissionTime":"1970-01-01T00:00:01.500GMT","completionTime":"1970-01-01T00:00:03.700GMT",)"
            R"("stageIds":[3],"jobTags":["a","b"],"status":"SUCCEEDED","numTasks":2,"numActiveTasks":0,)"
            R"("numCompletedTasks":2,"numSkippedTasks":0,"numFailedTasks":0,"numKilledTasks":0,)"
            R"("numCompletedIndices":2,"numActiveStages":0,"numCompletedStages":1,"numSkippedStages":0,)"
            R"("numFailedStages":0,"killedTasksSummary":{}}])");
}

TEST_F(HistoryTest, ErrorsHaveSparksWords) {
  const History history = Load(Join(Log()));
  EXPECT_EQ(Get(history, {"jobs", "9"}), "404 unknown job: 9");
  EXPECT_EQ(Get(history, {"stages", "9"}), "404 unknown stage: 9");
  EXPECT_EQ(Get(history, {"stages", "3", "1"}), "404 unknown attempt for stage 3.  Found attempts: [0]");
  EXPECT_EQ(Get(history, {"stages", "3", "0", "taskSummary"}, {{"quantiles", "foo,0.1"}}),
            R"(400 Bad value for parameter "quantiles".  Expected a double, got "foo")");
}

TEST_F(HistoryTest, TasksCanBeSortedAndPaged) {
  const History history = Load(Join(Log()));
  const std::string list =
      Get(history, {"stages", "3", "0", "taskList"}, {{"sortBy", "-runtime"}, {"offset", "0"}, {"length", "1"}});
  EXPECT_NE(list.find(R"("taskId":1)"), std::string::npos);
  EXPECT_EQ(list.find(R"("taskId":0)"), std::string::npos);
  EXPECT_NE(list.find(R"("accumulatorUpdates":[{"id":7,"name":"rows","update":"5","value":"5"}])"), std::string::npos);
  EXPECT_EQ(Get(history, {"stages", "3", "0", "taskList"}, {{"status", "failed"}}), "[]");
}

TEST_F(HistoryTest, QuantilesAreThoseOfTheTasks) {
  const std::string summary = Get(Load(Join(Log())), {"stages", "3", "0", "taskSummary"}, {{"quantiles", "1,0"}});
  EXPECT_NE(summary.find(R"("quantiles":[0.0,1.0])"), std::string::npos) << summary;
  EXPECT_NE(summary.find(R"("executorRunTime":[450.0,1400.0])"), std::string::npos) << summary;
  EXPECT_NE(summary.find(R"("readBytes":[15.0,15.0])"), std::string::npos) << summary;
}

TEST_F(HistoryTest, ATaskWithoutEndRunsUntilTheLogsLastChange) {
  std::vector<std::string> events = Log();
  events.resize(7);
  const Result<History> history = LoadHistory({{Write("log", Join(events))}, 5'000'000'000}, 2);
  ASSERT_TRUE(history);
  const std::string list = Get(*history, {"stages", "3", "0", "taskList"});
  EXPECT_NE(list.find(R"("duration":3000)"), std::string::npos) << list;
  EXPECT_NE(list.find(R"("status":"RUNNING")"), std::string::npos) << list;
}

TEST_F(HistoryTest, TheFilesOfARolledLogAreOneLogWhateverTheirCompression) {
  const std::vector<std::string> events = Log();
  const std::string plain = Join({events.begin(), events.begin() + 6});
  const std::string rest = Join({events.begin() + 6, events.end()});
  std::string compressed(ZSTD_compressBound(rest.size()), '\0');
  compressed.resize(ZSTD_compress(compressed.data(), compressed.size(), rest.data(), rest.size(), 1));
  const Result<History> rolled = LoadHistory({{Write("events_1", plain), Write("events_2.zstd", compressed)}, 0}, 2);
  ASSERT_TRUE(rolled);
  EXPECT_EQ(Get(*rolled, {"stages"}), Get(Load(Join(events)), {"stages"}));
}

TEST_F(HistoryTest, ALogThatIsTruncatedAnywhereIsAnswered) {
  const std::string log = Join(Log());
  for (size_t size = 0; size < log.size(); size += 97) {
    const History history = Load(log.substr(0, size));
    simdjson::dom::parser parser;
    EXPECT_EQ(parser.parse(Get(history, {"stages"}, {{"details", "true"}, {"withSummaries", "true"}})).error(),
              simdjson::SUCCESS)
        << size;
  }
}

TEST_F(HistoryTest, DamagedLinesAreCountedAndTheOthersAreRead) {
  std::vector<std::string> events = Log();
  events.insert(events.begin() + 5, "{\"Event\":\"SparkListenerTaskEnd\",\"Task");
  events.insert(events.begin() + 5, "not JSON");
  const History history = Load(Join(events));
  EXPECT_EQ(history.damaged_events, 2);
  EXPECT_EQ(Get(history, {"stages"}), Get(Load(Join(Log())), {"stages"}));
}

TEST_F(HistoryTest, SecretsOfTheEnvironmentAreRedacted) {
  std::vector<std::string> events = Log();
  events.push_back(R"({"Event":"SparkListenerEnvironmentUpdate","JVM Information":{"Java Version":"17"},)"
                   R"("Spark Properties":{"spark.hadoop.fs.s3a.access.key":"AKIA","spark.app.name":"etl"}})");
  const std::string environment = Get(Load(Join(events)), {"environment"});
  EXPECT_NE(environment.find(R"~(["spark.hadoop.fs.s3a.access.key","*********(redacted)"])~"), std::string::npos)
      << environment;
}

TEST_F(HistoryTest, AMissingLogIsAnErrorWithItsName) {
  const Result<History> history = LoadHistory({{Path("nothing")}, 0}, 1);
  ASSERT_FALSE(history);
  EXPECT_NE(history.error().message.find("nothing"), std::string::npos);
}

TEST_F(HistoryTest, AListOfQuantilesIsBounded) {
  const History history = Load("{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"4.1.1\"}\n");
  const auto answer = [&](size_t count) {
    std::string quantiles;
    for (size_t i = 0; i < count; ++i) quantiles += "0.5,";
    const std::vector<std::string> path = {"stages"};
    const std::vector<std::pair<std::string, std::string>> parameters = {{"withSummaries", "true"},
                                                                         {"quantiles", quantiles}};
    return AnswerHistory(history, path, parameters, 0);
  };
  EXPECT_EQ(answer(100).status, 200u);
  EXPECT_EQ(answer(101).status, 400u);
  EXPECT_NE(answer(3000).body.find("at most 100"), std::string::npos);
}

TEST_F(HistoryTest, AnArchiveHasTheFilesAsTheyAre) {
  const std::string path = Write("app-1", "content");
  std::string zip;
  const auto write = [&zip](std::string_view piece) -> Result<void> {
    zip += piece;
    return {};
  };
  ASSERT_TRUE(ZipFiles({{path, "app-1"}}, 1000, write));
  EXPECT_NE(zip.find("content"), std::string::npos);
  EXPECT_FALSE(ZipFiles({{path, "app-1"}}, 3, write));
}

ListedApplication Listed(std::string id, int64_t start_ms, int64_t end_ms) {
  return {id, "etl", {{"", "me", "3.5.7", start_ms, end_ms, end_ms, end_ms >= 0}}};
}

TEST(ApplicationListTest, ApplicationsAreFilteredByTimeAndStatusTheLastToEndFirst) {
  constexpr int64_t kDay = 86'400'000;
  const std::vector<ListedApplication> applications = {Listed("a", 16'500 * kDay, 16'501 * kDay),
                                                       Listed("b", 16'600 * kDay, 16'601 * kDay),
                                                       Listed("c", 16'700 * kDay, -1)};
  const auto ids = [&](std::vector<std::pair<std::string, std::string>> parameters) {
    const HistoryAnswer answer = AnswerApplications(applications, parameters, 20'000 * kDay);
    std::string found;
    for (const std::string_view id : {"a", "b", "c"}) {
      if (answer.body.find("\"id\":\"" + std::string(id) + "\"") != std::string::npos) found += id;
    }
    return answer.status == 200 ? found : std::to_string(answer.status) + " " + answer.body;
  };
  EXPECT_EQ(ids({}), "abc");
  EXPECT_EQ(ids({{"status", "running"}}), "c");
  EXPECT_EQ(ids({{"status", "completed"}, {"limit", "1"}}), "b");
  EXPECT_EQ(ids({{"minDate", "2015-04-01"}}), "bc");
  EXPECT_EQ(ids({{"maxEndDate", "2015-04-01T00:00:00.000GMT"}}), "a");
  EXPECT_EQ(ids({{"minDate", "yesterday"}}), "400 Couldn't parse date: yesterday");
}

}  // namespace
}  // namespace sparkprof

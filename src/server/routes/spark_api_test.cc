// SPDX-License-Identifier: Apache-2.0
// Spark's REST API for event logs in a watched folder.
#include "server/testing/collector.h"

namespace sparkprof {
namespace {

const std::string kApi = "/api/v1/applications";

std::string EventLog(const std::string& attempt) {
  const std::string of_attempt = attempt.empty() ? "" : R"(,"App Attempt ID":")" + attempt + "\"";
  return R"({"Event":"SparkListenerLogStart","Spark Version":"3.5.7"})"
         "\n"
         R"({"Event":"SparkListenerApplicationStart","App Name":"etl","App ID":"app-1","Timestamp":1700000000000,"User":"me")" +
         of_attempt +
         "}\n"
         R"({"Event":"SparkListenerJobStart","Job ID":4,"Submission Time":1700000001000,"Stage IDs":[],"Stage Infos":[]})"
         "\n"
         R"({"Event":"SparkListenerJobEnd","Job ID":4,"Completion Time":1700000002000,"Job Result":{"Result":"JobSucceeded"}})"
         "\n"
         R"({"Event":"SparkListenerApplicationEnd","Timestamp":1700000009000})"
         "\n";
}

class SparkApiTest : public CollectorTest {
 protected:
  // Returns once the log is listed.
  bool Start(const std::string& attempt = "") {
    std::filesystem::create_directories(Path("watched"));
    std::ofstream(Path("watched/app-1")) << EventLog(attempt);
    ServerOptions options;
    options.watched = {Path("watched")};
    options.scan_interval = std::chrono::milliseconds(50);
    if (!CollectorTest::Start({}, std::move(options))) return false;
    while (Get(kApi).Body() == "[]") {
    }
    return true;
  }
};

TEST_F(SparkApiTest, AnApplicationIsListedWithItsAttempt) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const HttpResponse list = Get(kApi);
  EXPECT_TRUE(list.Body().starts_with(R"([{"id":"app-1","name":"etl","attempts":[{)")) << list.Body();
  for (const std::string member :
       {R"("startTime":"2023-11-14T22:13:20.000GMT")", R"("endTime":"2023-11-14T22:13:29.000GMT")",
        R"("duration":9000)", R"("sparkUser":"me")", R"("completed":true)", R"("appSparkVersion":"3.5.7")",
        R"("endTimeEpoch":1700000009000)"}) {
    EXPECT_NE(list.Body().find(member), std::string_view::npos) << member << "\n" << list.Body();
  }
  EXPECT_EQ("[" + std::string(Get(kApi + "/app-1").Body()) + "]", list.Body());
  EXPECT_EQ(Answer(kApi + "?status=running"), "200 []");
  EXPECT_EQ(Answer(kApi + "?minDate=2023-11-15"), "200 []");
  EXPECT_EQ(Answer(kApi + "?minDate=soon"), "400 Couldn't parse date: soon");
}

TEST_F(SparkApiTest, JobsAreAnsweredFromTheWholeLog) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const HttpResponse jobs = Get(kApi + "/app-1/jobs"), job = Get(kApi + "/app-1/jobs/4");
  EXPECT_TRUE(jobs.Body().starts_with(R"([{"jobId":4,)")) << jobs.Body();
  EXPECT_EQ("[" + std::string(job.Body()) + "]", jobs.Body());
  EXPECT_EQ(jobs.Header("content-type"), "application/json");
  EXPECT_EQ(Get(kApi + "/app-1/jobs/5").status, 404u);
  EXPECT_EQ(Get(kApi + "/app-1/jobs", {{"accept-encoding", "gzip"}}).status, 200u);
  EXPECT_EQ(Answer(kApi + "/app-1/jobs?status=running"), "200 []");
  EXPECT_EQ(Answer(kApi + "/app-1/connect/sessions"), "200 []");
}

TEST_F(SparkApiTest, AnAttemptIsPartOfThePath) {
  if (!Start("2")) GTEST_SKIP() << "no DuckDB";
  EXPECT_TRUE(Get(kApi + "/app-1/2").Body().starts_with(R"({"attemptId":"2",)"));
  EXPECT_EQ(Get(kApi + "/app-1/2/jobs/4").status, 200u);
  EXPECT_EQ(Answer(kApi + "/app-1/3"), "404 unknown app app-1, attempt 3");
  EXPECT_EQ(Answer(kApi + "/app-1/3/jobs"), "404 no such app: app-1/3");
  EXPECT_EQ(Answer(kApi + "/app-1/jobs"), "404 no such app: app-1");
}

TEST_F(SparkApiTest, LogsAreAnArchive) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const HttpResponse logs = Get(kApi + "/app-1/logs");
  EXPECT_EQ(logs.status, 200u);
  EXPECT_EQ(logs.Header("content-disposition"), "attachment; filename=eventLogs-app-1.zip");
  EXPECT_TRUE(logs.Body().starts_with("PK"));
  EXPECT_EQ(Answer(kApi + "/app-1/7/logs"), "404 no such app: app-1/7");
}

TEST_F(SparkApiTest, WhatIsUnknownIsNotFoundInSparksWords) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const HttpResponse unknown = Get(kApi + "/app-2");
  EXPECT_EQ(Answer(unknown), "404 unknown app: app-2");
  EXPECT_EQ(unknown.Header("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(Answer(kApi + "/app-2/jobs"), "404 no such app: app-2");
}

}  // namespace
}  // namespace sparkprof

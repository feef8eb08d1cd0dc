// SPDX-License-Identifier: Apache-2.0
// Runs of suites and configurations of groups round-trip.
#include "server/testing/collector.h"

namespace sparkprof {
namespace {

const std::string kRuns = "/api/sparkprof/v1/runs";
const std::string kConfiguration = "/api/sparkprof/v1/groups/etl/configuration";

std::string BadRequest(const std::string& message) {
  return R"(400 {"error":{"code":"bad_request","message":")" + message + R"("}})";
}

using RunAnswersTest = CollectorTest;

constexpr std::string_view kFirst =
    R"({"id":1,"startTime":1000,"endTime":null,"suiteName":"nightly","version":"1","user":"ana","overallStatus":"running")";

TEST_F(RunAnswersTest, ARunIsCreatedChangedAndListed) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const std::string run = R"({"start_time":1000,"suiteName":"nightly","version":"1","user":"ana"})";
  EXPECT_EQ(Answer(Send("POST", kRuns, run)), "201 " + std::string(kFirst) + "}");
  EXPECT_EQ(Answer(Send("POST", kRuns, R"({"startTime":3000,"suiteName":"weekly"})")).substr(0, 3), "201");
  const std::string ended =
      R"({"id":1,"startTime":1000,"endTime":2000,"suiteName":"nightly","version":"1","user":"ana","overallStatus":"passed")";
  const std::string results = R"({"jobs":[1]})";
  EXPECT_EQ(
      Answer(Send("PATCH", kRuns + "/1", R"({"endTime":2000,"overallStatus":"passed","results":)" + results + "}")),
      "200 " + ended + "}");
  EXPECT_EQ(Answer(kRuns + "/1"), "200 " + ended + R"(,"results":)" + results + "}");
  EXPECT_EQ(Answer(kRuns + "?suite=nightly"), R"(200 {"runs":[)" + ended + R"(}],"total":1})");
  EXPECT_EQ(Answer(kRuns + "?suite=nightly&results=true"),
            R"(200 {"runs":[)" + ended + R"(,"results":)" + results + R"(}],"total":1})");
  const HttpResponse latest = Get(kRuns + "?limit=1");
  EXPECT_NE(latest.Body().find(R"("suiteName":"weekly")"), std::string_view::npos) << latest.Body();
  EXPECT_TRUE(latest.Body().ends_with("],\"total\":2}\n")) << latest.Body();
}

TEST_F(RunAnswersTest, WhatIsNotARunIsRefused) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Answer(Send("POST", kRuns, "[{},{}]")), BadRequest("expected one run"));
  EXPECT_EQ(Answer(Send("POST", kRuns, "run")), BadRequest("the body is not JSON"));
  EXPECT_EQ(Answer(Send("POST", kRuns, R"({"color":"red"})")), BadRequest("row 1: unknown column 'color'"));
  EXPECT_EQ(Answer(Send("POST", kRuns, R"({"results":[1]})")), BadRequest("results: expected the summary of a suite"));
  EXPECT_EQ(Send("POST", kRuns, "{}").status, 201u);
  EXPECT_EQ(Answer(Send("PATCH", kRuns + "/1", "[{},{}]")), BadRequest("expected one run"));
  EXPECT_EQ(Answer(Send("PATCH", kRuns + "/1", R"({"results":"good"})")),
            BadRequest("results: expected the summary of a suite"));
  EXPECT_EQ(Answer(kRuns + "?results=yes"), BadRequest("results: expected true or false"));
  for (const std::string limit : {"0", "1001", "x"}) {
    EXPECT_EQ(Answer(kRuns + "?limit=" + limit), BadRequest("limit: expected 1 to 1000"));
  }
  EXPECT_EQ(Get(kRuns + "?limit=1000").status, 200u);
}

TEST_F(RunAnswersTest, ARunThatIsUnknownIsNamed) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const auto unknown = [](const std::string& id) {
    return R"(404 {"error":{"code":"not_found","message":"run )" + id + R"( not found"}})";
  };
  EXPECT_EQ(Answer(kRuns + "/7"), unknown("7"));
  EXPECT_EQ(Answer(kRuns + "/last"), unknown("last"));
  EXPECT_EQ(Answer(Send("PATCH", kRuns + "/7", "{}")), unknown("7"));
  for (const std::string table : {"log", "processes"}) {
    EXPECT_EQ(Answer(kRuns + "/7/" + table), unknown("7"));
    EXPECT_EQ(Answer(Send("POST", kRuns + "/7/" + table, "[]")), unknown("7"));
  }
}

TEST_F(RunAnswersTest, RowsOfARunComeBackAsJsonCsvAndParquet) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  ASSERT_EQ(Send("POST", kRuns, "{}").status, 201u);
  const std::string rows = R"([{"msg_time":5,"msgType":"info","message":"a, b"},{"message":"c"}])";
  EXPECT_EQ(Answer(Send("POST", kRuns + "/1/log", rows)), R"(200 {"rows":2})");
  EXPECT_EQ(Answer(kRuns + "/1/log"),
            R"(200 {"total":2,"rows":[{"msgTime":5,"msgType":"info","message":"a, b"},{"message":"c"}]})");
  const HttpResponse csv = Get(kRuns + "/1/log?format=csv");
  EXPECT_EQ(csv.Body(), "msgTime,msgType,message\n5,info,\"a, b\"\n,,c\n");
  EXPECT_EQ(csv.Header("content-type"), "text/csv; charset=utf-8");
  const HttpResponse parquet = Get(kRuns + "/1/processes?format=parquet");
  EXPECT_EQ(parquet.status, 200u) << parquet.Body();
  EXPECT_TRUE(parquet.Body().starts_with("PAR1"));
  EXPECT_EQ(Answer(kRuns + "/1/log?format=xml"), BadRequest("format: expected json, csv or parquet"));
  EXPECT_EQ(Answer(kRuns + "/1/log?limit=1"), BadRequest("unknown parameter 'limit'; use format"));
  EXPECT_EQ(Answer(Send("POST", kRuns + "/1/log", R"([{"message":"d"},7])")),
            BadRequest("row 2: expected a JSON object or an array of them"));
  EXPECT_EQ(Answer(kRuns + "/1/log").substr(0, 16), R"(200 {"total":2,")") << "nothing of the refused rows";
}

TEST_F(RunAnswersTest, TimesOfProcessesMayBeClockTimes) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  ASSERT_EQ(Send("POST", kRuns, "{}").status, 201u);
  const auto cpu_of = [&](const std::string& text) {
    return Answer(Send("POST", kRuns + "/1/processes", R"({"cpu_time":")" + text + R"("})"));
  };
  for (const std::string good : {"90", "01:30", "00:01:30", "2-03:04:05", "1.5"})
    EXPECT_EQ(cpu_of(good), R"(200 {"rows":1})");
  for (const std::string bad : {"", "1:2:3:4", "x-00:00:01", "-5", "1:x"}) {
    EXPECT_EQ(cpu_of(bad), BadRequest("row 1: cpuSeconds: expected seconds or hh:mm:ss")) << bad;
  }
  EXPECT_EQ(Answer(kRuns + "/1/processes"),
            R"(200 {"total":5,"rows":[{"cpuSeconds":90},{"cpuSeconds":90},{"cpuSeconds":90},{"cpuSeconds":183845},)"
            R"({"cpuSeconds":1.5}]})");
}

TEST_F(RunAnswersTest, AConfigurationIsChangedByWhoKnowsItsVersion) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Answer(kConfiguration), R"(200 {"version":0,"configuration":{}})");
  const std::string body = R"({"configuration":{"cpu.interval":"20ms"}})";
  const HttpResponse first = Send("PUT", kConfiguration, body, {{"if-match", "\"0\""}});
  EXPECT_EQ(Answer(first), R"(200 {"version":1,"configuration":{"cpu.interval":"20ms"}})");
  EXPECT_EQ(first.Header("etag"), "\"1\"");
  EXPECT_EQ(Get(kConfiguration).Body(), first.Body());
  EXPECT_EQ(Send("PUT", kConfiguration, body, {{"if-match", "\"0\""}}).status, 412u);
  EXPECT_EQ(Answer(Send("PUT", kConfiguration, body, {{"if-match", "\"new\""}})),
            BadRequest("If-Match: expected the configuration's ETag"));
  EXPECT_EQ(Send("PUT", kConfiguration, body, {{"if-match", "*"}}).Header("etag"), "\"2\"");
  EXPECT_EQ(Send("PUT", kConfiguration, body).Header("etag"), "\"3\"");
  EXPECT_EQ(Send("PUT", kConfiguration, "{}").status, 400u);
}

TEST_F(RunAnswersTest, ChangesNothingThatTheAuditLogCannotRecord) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const std::string body = R"({"configuration":{"cpu.interval":"20ms"}})", name = R"({"suiteName":"nightly"})";
  ASSERT_EQ(Send("PUT", kConfiguration, body).status, 200u);
  ASSERT_EQ(Send("POST", kRuns, name).status, 201u);
  const std::string run = Answer(kRuns + "/1");
  std::filesystem::remove(Path("audit.jsonl"));
  std::filesystem::create_directory(Path("audit.jsonl"));
  EXPECT_EQ(Send("PUT", kConfiguration, R"({"configuration":{"cpu.interval":"40ms"}})").status, 503u);
  EXPECT_EQ(Answer(kConfiguration), R"(200 {"version":1,"configuration":{"cpu.interval":"20ms"}})");
  EXPECT_EQ(Send("POST", kRuns, name).status, 503u);
  EXPECT_EQ(Send("PATCH", kRuns + "/1", R"({"overallStatus":"passed"})").status, 503u);
  EXPECT_EQ(Answer(kRuns + "/1"), run);
  EXPECT_EQ(Get(kRuns + "/2").status, 404u);
  EXPECT_FALSE(std::filesystem::exists(Path("runs/2")));
}

TEST_F(RunAnswersTest, AChangeThatFailsIsNotInTheAuditLog) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const std::string body = R"({"configuration":{"cpu.interval":"20ms"}})";
  std::ofstream(Path("groups")) << "not a folder";
  EXPECT_EQ(Send("PUT", kConfiguration, body).status, 503u);
  EXPECT_EQ(ReadFile(Path("audit.jsonl")).value_or("none"), "");
  std::filesystem::remove(Path("groups"));
  EXPECT_EQ(Send("PUT", kConfiguration, body).status, 200u);
  EXPECT_EQ(ReadFile(Path("audit.jsonl")).value_or("").find(R"({"time")"), 0u);
}

TEST_F(RunAnswersTest, ChangesAreInTheAuditLog) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  ASSERT_EQ(Send("PUT", kConfiguration, R"({"configuration":{"cpu.interval":"20ms"}})").status, 200u);
  ASSERT_EQ(Send("POST", kRuns, R"({"suiteName":"nightly"})").status, 201u);
  const std::string log = ReadFile(Path("audit.jsonl")).value_or("");
  EXPECT_NE(log.find(R"("configure")"), std::string::npos) << log;
  EXPECT_NE(log.find(R"("run 1")"), std::string::npos) << log;
}

}  // namespace
}  // namespace sparkprof

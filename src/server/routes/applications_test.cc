// SPDX-License-Identifier: Apache-2.0
// Routes for single applications.
#include "server/testing/collector.h"

namespace sparkprof {
namespace {

constexpr const char* kApplication = "/api/sparkprof/v1/applications/app-7";
constexpr const char* kStacks = "java.lang.Thread.run;com.example.Job.burn 20000000";

std::string Error(const std::string& code, const std::string& message) {
  return R"({"error":{"code":")" + code + R"(","message":")" + message + R"("}})";
}

class ApplicationAnswersTest : public CollectorTest {
 protected:
  bool Start() {
    if (!CollectorTest::Start()) return false;
    SendApplication("app-7");
    return true;
  }

  bool StartWithTokens(const std::string& tokens) {
    std::ofstream(Path("tokens")) << tokens;
    std::filesystem::permissions(Path("tokens"), std::filesystem::perms::owner_read);
    ServerOptions options;
    options.access = *Access::ReadTokens(Path("tokens"));
    return CollectorTest::Start({}, std::move(options));
  }

  unsigned SendAs(const std::string& token, const std::string& target, std::string_view body) {
    return Send("POST", target, body, {{"authorization", "Bearer " + token}, {"content-type", "application/json"}})
        .status;
  }
};

TEST_F(ApplicationAnswersTest, ARecordingThatArrivedIsAnsweredAtOnce) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const HttpResponse response = Get(kApplication);
  EXPECT_EQ(response.status, 200u);
  EXPECT_NE(response.Body().find(R"("id":"app-7")"), std::string_view::npos) << response.Body();
  EXPECT_EQ(Get(std::string(kApplication) + "?attempt=1").Body(), response.Body());
}

TEST_F(ApplicationAnswersTest, TheSameBlockIsStoredOnce) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  Segment segment = ExampleSegment();
  segment.source.application_id = "app-7";
  EXPECT_EQ(Answer(Send("POST", "/api/sparkprof/v1/recordings", EncodeBlock(segment))),
            R"(200 {"blocks":1,"duplicates":1,"applications":["app-7"]})");
  EXPECT_EQ(Send("POST", "/api/sparkprof/v1/recordings", "no block").status, 400u);
}

TEST_F(ApplicationAnswersTest, UnknownApplicationsAndAttemptsAreNotFound) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  for (const std::string what : {"", "/findings", "/flame", "/report"}) {
    EXPECT_EQ(Answer("/api/sparkprof/v1/applications/app-8" + what),
              "404 " + Error("not_found", "application app-8 is unknown"));
    EXPECT_EQ(Answer(kApplication + what + "?attempt=2"),
              "404 " + Error("not_found", "application app-7 has no attempt 2"));
  }
}

TEST_F(ApplicationAnswersTest, AFlameGraphHasTheOptionsOfTheRequest) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const std::string flame = std::string(kApplication) + "/flame";
  EXPECT_EQ(Answer(flame + "?attempt=1"), std::string("200 ") + kStacks);
  EXPECT_EQ(Get(flame).Header("content-security-policy"), "sandbox allow-scripts");
  EXPECT_EQ(Answer(flame + "?ink=red"), "400 " + Error("bad_request", "unknown parameter 'ink'"));
}

TEST_F(ApplicationAnswersTest, FindingsComeWithTheAnswerInASentence) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const HttpResponse response = Get(std::string(kApplication) + "/findings?attempt=1");
  ASSERT_EQ(response.status, 200u) << response.Body();
  EXPECT_EQ(response.Header("content-type"), "application/json");
  EXPECT_TRUE(response.Body().starts_with(R"({"verdict":")")) << response.Body();
  EXPECT_NE(response.Body().find(R"(","findings":[)"), std::string_view::npos) << response.Body();
  EXPECT_EQ(Answer(std::string(kApplication) + "/findings?limit=3"),
            "400 " + Error("bad_request", "unknown parameter 'limit'; use attempt"));
}

TEST_F(ApplicationAnswersTest, AnswersAreSentAgainOnlyWhenTheRecordingGrew) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  for (const std::string what : {"/findings", "/flame", "/report"}) {
    const HttpResponse first = Get(kApplication + what);
    ASSERT_EQ(first.status, 200u) << first.Body();
    const std::string tag(first.Header("etag"));
    EXPECT_FALSE(tag.empty());
    EXPECT_EQ(Get(kApplication + what, {{"if-none-match", tag}}).status, 304u);
    EXPECT_EQ(Get(kApplication + what, {{"if-none-match", "\"other\""}}).status, 200u);
  }
  EXPECT_EQ(Get(std::string(kApplication) + "/report").Header("content-encoding"), "gzip");
}

TEST_F(ApplicationAnswersTest, AComparisonHasBothApplicationsAndTheSettingsThatDiffer) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  Segment segment = ExampleSegment();
  segment.source.application_id = "app-9";
  segment.settings = {{"cpu.engine", "ctimer"}, {"wall.interval", "20ms"}};
  Send("POST", "/api/sparkprof/v1/recordings", EncodeBlock(segment));
  const HttpResponse response = Get("/api/sparkprof/v1/compare?a=app-7&b=app-9");
  ASSERT_EQ(response.status, 200u) << response.Body();
  const std::string_view body = response.Body();
  EXPECT_NE(body.find(R"("a":{"id":"app-7","attempt":"1","name":"example")"), std::string_view::npos) << body;
  EXPECT_NE(body.find(R"("b":{"id":"app-9","attempt":"1","name":"example")"), std::string_view::npos) << body;
  EXPECT_NE(body.find(R"("settings":[{"name":"sparkprof: cpu.engine","a":"perf_events","b":"ctimer"},)"
                      R"({"name":"sparkprof: wall.interval","a":null,"b":"20ms"}])"),
            std::string_view::npos)
      << body;
  EXPECT_NE(body.find(R"("change":{"before":{"id":"app-9",)"), std::string_view::npos) << "b is the baseline: " << body;
}

TEST_F(ApplicationAnswersTest, AComparisonNamesWhatIsMissing) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const std::string compare = "/api/sparkprof/v1/compare";
  EXPECT_EQ(Answer(compare + "?a=app-7"),
            "400 " + Error("bad_request", "missing parameters a and b: IDs of applications"));
  EXPECT_EQ(Answer(compare + "?a=app-7&b=app-8"), "404 " + Error("not_found", "application app-8 is unknown"));
  EXPECT_EQ(Answer(compare + "/flame?a=app-7"),
            "400 " + Error("bad_request", "missing parameter b: an application's ID, or bGroup"));
  EXPECT_EQ(Answer(compare + "/flame?a=app-7&b=app-7&event=heat"),
            "400 " + Error("bad_request", "event: heat is not one that sparkprof records"));
  EXPECT_EQ(
      Answer(compare + "/flame?aGroup=g&aFrom=now&b=app-7"),
      "400 " +
          Error("bad_request",
                "aFrom: invalid time 'now'; expected ms since the Unix epoch before the year 2100, or for instance "
                "2026-11-22T10:00:00Z"));
}

TEST_F(ApplicationAnswersTest, TheFlameGraphsOfTwoApplicationsAreCompared) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  Segment segment = ExampleSegment();
  segment.source.application_id = "app-9";
  segment.samples[0].weight = 30'000'000;
  Send("POST", "/api/sparkprof/v1/recordings", EncodeBlock(segment));
  EXPECT_EQ(Answer("/api/sparkprof/v1/compare/flame?a=app-9&b=app-7&format=collapsed"),
            "200 java.lang.Thread.run;com.example.Job.burn 20000000 30000000");
  EXPECT_EQ(Answer("/api/sparkprof/v1/compare/flame?a=app-9&b=app-7&event=alloc"),
            "404 " + Error("not_found", "neither side has samples of this event"));
}

// A sample of copy_user in process 42, thread 77, half a second after the example's start.
constexpr const char* kHostProfile =
    R"({"resourceProfiles":[{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":"host-a.example.com"}},)"
    R"({"key":"process.pid","value":{"intValue":"42"}}]},"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1,)"
    R"("unitStrindex":2},"samples":[{"stackIndex":1,"values":["50"],"attributeIndices":[1],"timestampsUnixNano":)"
    R"(["1700000000500000000"]}]}]}]}],"dictionary":{"mappingTable":[{}],"locationTable":[{},{"lines":[{"functionIndex":)"
    R"(1}]}],"functionTable":[{},{"nameStrindex":3}],"stringTable":["","cpu","nanoseconds","copy_user","thread.id"],)"
    R"("attributeTable":[{},{"keyStrindex":4,"value":{"intValue":"77"}}],"stackTable":[{},{"locationIndices":[1]}]}})";

TEST_F(ApplicationAnswersTest, AProfileOfTheHostIsCutByTheStagesOfItsJobs) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Send("POST", "/v1development/profiles", kHostProfile, {{"content-type", "application/json"}}).status, 200u);
  Segment segment = ExampleSegment();
  segment.source.application_id = "app-9";
  segment.samples.clear();
  Send("POST", "/api/sparkprof/v1/recordings", EncodeBlock(segment));
  const std::string flame = "/api/sparkprof/v1/applications/app-9/flame?format=collapsed&event=cpu&stage=";
  EXPECT_EQ(Answer(flame + "3"), "200 copy_user 50");
  EXPECT_EQ(Answer("/api/sparkprof/v1/applications/app-7/flame?format=collapsed&stage=3"),
            std::string("200 ") + kStacks)
      << "app-7 has samples of its own";
}

TEST_F(ApplicationAnswersTest, AProfileOfAHostStaysWithItsTenant) {
  const std::string a = "aaaaaaaaaaaaaaaa", b = "bbbbbbbbbbbbbbbb";
  if (!StartWithTokens("admin " + a + " tenant=a\nadmin " + b + " tenant=b\n")) GTEST_SKIP() << "no DuckDB";
  Segment segment = ExampleSegment();
  segment.source.application_id = "app-9";
  segment.samples.clear();
  ASSERT_EQ(SendAs(a, "/api/sparkprof/v1/recordings", EncodeBlock(segment)), 200u);
  for (const std::string& token : {a, b}) ASSERT_EQ(SendAs(token, "/v1development/profiles", kHostProfile), 200u);
  const std::string flame = "/api/sparkprof/v1/applications/app-9/flame?format=collapsed&event=cpu&stage=3";
  EXPECT_EQ(CollectorTest::Answer(Get(flame, {{"authorization", "Bearer " + a}})), "200 copy_user 50") << "once";
}

TEST_F(ApplicationAnswersTest, AProfileOfAHostFromAUsersTokenStaysByItself) {
  const std::string admin = "aaaaaaaaaaaaaaaa", mallory = "bbbbbbbbbbbbbbbb";
  if (!StartWithTokens("admin " + admin + "\ningest " + mallory + " user=mallory\n")) GTEST_SKIP() << "no DuckDB";
  Segment segment = ExampleSegment();
  segment.source.application_id = "app-9";
  segment.samples.clear();
  ASSERT_EQ(SendAs(admin, "/api/sparkprof/v1/recordings", EncodeBlock(segment)), 200u);
  ASSERT_EQ(SendAs(mallory, "/v1development/profiles", kHostProfile), 200u);
  const std::string flame = "/api/sparkprof/v1/applications/app-9/flame?format=collapsed&event=cpu";
  EXPECT_EQ(Get(flame, {{"authorization", "Bearer " + admin}}).Body().find("copy_user"), std::string_view::npos);
}

TEST_F(ApplicationAnswersTest, AnEventLogInProgressIsReadOn) {
  const auto task = [](int id) {
    return R"({"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task End Reason":{"Reason":"Success"},)"
           R"("Task Info":{"Task ID":)" +
           std::to_string(id) +
           R"(,"Index":0,"Launch Time":1700000001000,"Executor ID":"1","Host":"h","Finish Time":1700000002000}})"
           "\n";
  };
  std::filesystem::create_directories(Path("watched"));
  std::ofstream log(Path("watched/app-1.inprogress"));
  log << R"({"Event":"SparkListenerLogStart","Spark Version":"4.1.1"})"
         "\n"
         R"({"Event":"SparkListenerApplicationStart","App Name":"etl","App ID":"app-1","Timestamp":1700000000000,"User":"me"})"
         "\n"
      << task(0) << std::flush;
  ServerOptions options;
  options.watched = {Path("watched")};
  options.scan_interval = std::chrono::milliseconds(50);
  if (!CollectorTest::Start({}, std::move(options))) GTEST_SKIP() << "no DuckDB";
  const auto has_tasks = [this](const std::string& count) {
    return Get("/api/sparkprof/v1/applications/app-1").Body().find(R"("tasks":)" + count + ",") !=
           std::string_view::npos;
  };
  while (!has_tasks("1")) {
  }
  log << task(1) << task(2) << std::flush;
  while (!has_tasks("3")) {
  }
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
// Pages, health, metrics and permissions.
#include <sys/stat.h>

#include "server/openapi_document.h"
#include "server/testing/collector.h"

namespace sparkprof {
namespace {

const std::string kApi = "/api/sparkprof/v1";
constexpr const char* kIngest = "ingest-0123456789";
constexpr const char* kRead = "read-0123456789ab";
constexpr const char* kAdmin = "admin-0123456789a";

HttpHeaders Bearer(const std::string& token) { return {{"authorization", "Bearer " + token}}; }

class OperationsTest : public CollectorTest {
 protected:
  // Starts with one token per role; ana is the reader.
  bool StartWithTokens(AclOptions acls = {}) {
    const std::string path = Path("tokens");
    std::ofstream(path) << "ingest " << kIngest << "\nread " << kRead << " user=ana\nadmin " << kAdmin << "\n";
    chmod(path.c_str(), 0600);
    Result<Access> access = Access::ReadTokens(path);
    EXPECT_TRUE(access) << access.error().message;
    access->SetAcls(std::move(acls));
    ServerOptions options;
    options.access = std::move(*access);
    ApplicationRow anas = ExampleRow("app-1"), bobs = ExampleRow("app-2", 1);
    anas.user = "ana";
    anas.viewers = "\nuser:ana\n";
    bobs.viewers = "\nuser:bob\n";
    return Start({EntryBuilder(anas), EntryBuilder(bobs)}, std::move(options));
  }
};

TEST_F(OperationsTest, PagesAreCompressedAndSentOnce) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  for (const std::string path :
       {"/", "/groups/a", "/assets/server.js", "/assets/server_fleet.js", "/assets/server.css"}) {
    const HttpResponse plain = Get(path), packed = Get(path, {{"accept-encoding", "gzip"}});
    EXPECT_EQ(plain.status, 200u) << path;
    EXPECT_EQ(plain.Header("content-encoding"), "");
    EXPECT_EQ(packed.Header("content-encoding"), "gzip");
    EXPECT_LT(packed.Body().size(), plain.Body().size());
    const std::string tag(plain.Header("etag"));
    EXPECT_EQ(Get(path, {{"if-none-match", tag}}).status, 304u) << path;
    EXPECT_EQ(Get(path, {{"if-none-match", "\"1\""}}).status, 200u) << path;
    EXPECT_EQ(plain.Header("x-content-type-options"), "nosniff");
    EXPECT_TRUE(plain.Header("content-security-policy").starts_with("default-src 'none'"));
  }
  EXPECT_EQ(Get("/").Header("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(Get("/assets/other.js").status, 404u);
}

TEST_F(OperationsTest, TheApiDescribesItself) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Get("/api/openapi.json").Body(), OpenApiDocument());
  EXPECT_EQ(Answer("/api/v1/version"), R"(200 {"spark":"4.1.1"})");
}

TEST_F(OperationsTest, HealthNamesTheWatchedFolders) {
  ServerOptions options;
  options.watched = {Path("watched")};
  std::filesystem::create_directories(Path("watched"));
  if (!Start({}, std::move(options))) GTEST_SKIP() << "no DuckDB";
  const HttpResponse response = Get("/healthz");
  EXPECT_EQ(response.status, 200u) << response.Body();
  EXPECT_TRUE(response.Body().starts_with(R"({"status":"ok","problems":[],"folders":[{"location":")" + Path("watched")))
      << response.Body();
}

TEST_F(OperationsTest, MetricsCountWhatWasReceived) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  SendApplication("app-7");
  Segment segment = ExampleSegment();
  segment.source.application_id = "app-7";
  Send("POST", kApi + "/recordings", EncodeBlock(segment));
  const HttpResponse response = Get("/metrics");
  EXPECT_EQ(response.Header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  for (const std::string line :
       {"# TYPE sparkprof_received_blocks_total counter", "sparkprof_received_blocks_total 2",
        "sparkprof_duplicate_blocks_total 1", "sparkprof_received_samples_total 4", "sparkprof_recording_files 1",
        "sparkprof_unreadable_files 0", "sparkprof_problems 0"}) {
    EXPECT_NE(response.Body().find(line + "\n"), std::string_view::npos) << line << "\n" << response.Body();
  }
}

TEST_F(OperationsTest, EachRoleMayDoItsOwn) {
  if (!StartWithTokens()) GTEST_SKIP() << "no DuckDB";
  const HttpResponse without = Get(kApi + "/applications");
  EXPECT_EQ(
      Answer(without),
      R"(401 {"error":{"code":"unauthorized","message":"a token is required: send a bearer token in the Authorization header"}})");
  EXPECT_EQ(without.Header("www-authenticate"), "Bearer");
  EXPECT_EQ(Get(kApi + "/applications", Bearer(kRead)).status, 200u);
  EXPECT_EQ(Get(kApi + "/applications", Bearer(kAdmin)).status, 200u);
  EXPECT_EQ(Answer(Get(kApi + "/applications", Bearer(kIngest))),
            R"(403 {"error":{"code":"forbidden","message":"the token's role does not allow this"}})");
  EXPECT_EQ(Send("POST", kApi + "/recordings", "", Bearer(kRead)).status, 403u);
  EXPECT_EQ(Send("POST", kApi + "/recordings", EncodeBlock(ExampleSegment()), Bearer(kIngest)).status, 200u);
  const std::string configuration = R"({"configuration":{}})";
  EXPECT_EQ(Send("PUT", kApi + "/groups/etl/configuration", configuration, Bearer(kRead)).status, 403u);
  EXPECT_EQ(Send("PUT", kApi + "/groups/etl/configuration", configuration, Bearer(kAdmin)).status, 200u);
  EXPECT_EQ(Get(kApi + "/groups/etl/configuration", Bearer(kIngest)).status, 200u);
}

TEST_F(OperationsTest, HealthWithoutATokenIsOneWord) {
  if (!StartWithTokens()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Answer("/healthz"), R"(200 {"status":"ok"})");
  EXPECT_EQ(Answer(Get("/healthz", Bearer(kIngest))), R"(200 {"status":"ok"})");
  EXPECT_TRUE(Answer(Get("/healthz", Bearer(kRead)))
                  .starts_with(R"(200 {"status":"ok","problems":[],"folders":[],"tasks":[{"name":"scan of the store",)"
                               R"("status":"ok","failures":0,"lastError":"","failingSince":null},)"));
}

TEST_F(OperationsTest, WrongAddressesAndMethodsAreRefused) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Answer("/api/sparkprof/v2/applications"),
            R"(404 {"error":{"code":"not_found","message":"nothing found at this address"}})");
  const HttpResponse response = Send("DELETE", kApi + "/runs/1");
  EXPECT_EQ(Answer(response), R"(405 {"error":{"code":"method_not_allowed","message":"DELETE is not allowed here"}})");
  EXPECT_EQ(response.Header("allow"), "GET, PATCH");
  EXPECT_EQ(Answer(Get(kApi + "/applications", {{"origin", "http://evil.example"}})),
            R"(403 {"error":{"code":"forbidden","message":"the request comes from another site"}})");
  EXPECT_EQ(Send("POST", kApi + "/runs", std::string((4 << 20) + 1, ' ')).status, 413u);
}

TEST_F(OperationsTest, ALoginKeepsTheTokenInACookieAndStaysOnThisServer) {
  if (!StartWithTokens()) GTEST_SKIP() << "no DuckDB";
  const auto login = [&](const std::string& form) { return Send("POST", "/login", form); };
  const HttpResponse good = login(std::string("token=") + kRead + "&next=%2Fgroups%2Fa");
  EXPECT_EQ(good.status, 303u);
  EXPECT_EQ(good.Header("location"), "/groups/a");
  EXPECT_EQ(good.Header("set-cookie"),
            std::string("sparkprof=") + kRead + "; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000");
  EXPECT_EQ(Get(kApi + "/applications", {{"cookie", std::string("a=b; sparkprof=") + kRead}}).status, 200u);
  for (const std::string next : {"http://evil.example", "//evil.example", "/%5Cevil.example", "/a%0Ab", ""}) {
    EXPECT_EQ(login(std::string("token=") + kRead + "&next=" + next).Header("location"), "/") << next;
  }
  const HttpResponse bad = login("token=guess&next=%2Fgroups");
  EXPECT_EQ(bad.status, 303u);
  EXPECT_EQ(bad.Header("location"), "/login?failed=1&next=%2Fgroups");
  EXPECT_EQ(bad.Header("set-cookie"), "");
  EXPECT_EQ(login(std::string("token=") + kIngest).Header("set-cookie"), "") << "a token that may not read";
  EXPECT_EQ(login("token=%zz").status, 400u);
}

TEST_F(OperationsTest, WithAclsEachUserSeesTheirOwn) {
  AclOptions acls;
  acls.is_enabled = true;
  if (!StartWithTokens(std::move(acls))) GTEST_SKIP() << "no DuckDB";
  EXPECT_TRUE(Get(kApi + "/applications", Bearer(kRead)).Body().ends_with("\"total\":1}\n"));
  EXPECT_TRUE(Get(kApi + "/applications", Bearer(kAdmin)).Body().ends_with("\"total\":2}\n"));
  const auto send = [&](const std::string& id, const std::string& user) {
    Segment segment = ExampleSegment();
    segment.source.application_id = id;
    segment.source.host = user;
    segment.spark_events.clear();
    if (!user.empty()) {
      segment.spark_events.push_back(R"({"Event":"SparkListenerApplicationStart","App Name":"a","App ID":")" + id +
                                     R"(","Timestamp":1,"User":")" + user + "\"}");
    }
    return Send("POST", kApi + "/recordings", EncodeBlock(segment), Bearer(kIngest)).status;
  };
  EXPECT_EQ(send("app-1", "ana"), 200u);
  EXPECT_EQ(send("app-3", "bob"), 200u);
  EXPECT_EQ(Get(kApi + "/applications/app-1", Bearer(kAdmin)).status, 200u);
  EXPECT_EQ(Get(kApi + "/applications/app-1", Bearer(kRead)).status, 200u);
  // A source with another owner, or none, changes nothing.
  EXPECT_EQ(send("app-1", ""), 200u);
  EXPECT_EQ(send("app-1", "bob"), 200u);
  EXPECT_EQ(Get(kApi + "/applications/app-1", Bearer(kRead)).status, 200u);
  EXPECT_EQ(Answer(Get(kApi + "/applications/app-3", Bearer(kRead))),
            R"(403 {"error":{"code":"forbidden","message":"user ana may not read application app-3: its )"
            R"(spark.ui.view.acls does not include this user"}})");
  EXPECT_EQ(Answer(Get(kApi + "/runs", Bearer(kRead))),
            R"(403 {"error":{"code":"forbidden","message":"only administrators may read this: it belongs to no )"
            R"(application"}})");
  EXPECT_EQ(Get(kApi + "/runs", Bearer(kAdmin)).status, 200u);
  EXPECT_EQ(Answer(Get("/healthz", Bearer(kRead))), R"(200 {"status":"ok"})");
}

}  // namespace
}  // namespace sparkprof

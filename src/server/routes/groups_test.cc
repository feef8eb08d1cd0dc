// SPDX-License-Identifier: Apache-2.0
// Routes for many applications, answered from the catalogue.
#include "base/time.h"
#include "server/testing/collector.h"

namespace sparkprof {
namespace {

const std::string kApi = "/api/sparkprof/v1";

std::string BadRequest(const std::string& message) {
  return R"(400 {"error":{"code":"bad_request","message":")" + message + R"("}})";
}

std::string Millis(int64_t hour) { return std::to_string((kTestStart + hour * kTestHour) / kNanosPerMilli); }

// Three applications, one hour apart.
std::vector<CatalogueEntry> Entries() {
  ApplicationRow running = ExampleRow("app-2", 1), other = ExampleRow("app-3", 2);
  running.status = ApplicationStatus::kRunning;
  other.group = "a/b";
  other.user = "bob";
  other.status = ApplicationStatus::kFailed;
  EntryBuilder first(ExampleRow("app-1")), second(running), third(other);
  first.Total({"main", "work"}, 30, 3).Total({"main", "wait"}, 10);
  first.Finding("skew", "medium", "Stage 3: skewed data", 2'500'000'000).Maximum("process.rss_bytes", 0, 4096);
  second.Total({"main", "work"}, 5, 1, 1);
  second.Maximum("process.rss_bytes", 1, 8192).Maximum("host.load", 1, 1.5);
  third.Total({"main"}, 1, 1, 2, "alloc", "bytes");
  return {first, second, third};
}

class CatalogueAnswersTest : public CollectorTest {
 protected:
  bool Start() { return CollectorTest::Start(Entries()); }

  // The listed IDs, and "…" if there are more.
  std::string List(const std::string& query) {
    const HttpResponse response = Get(kApi + "/applications?" + query);
    if (response.status != 200) return Answer(response);
    std::string ids;
    const std::string_view body = response.Body();
    constexpr std::string_view kId = "{\"id\":\"";
    for (size_t at = body.find(kId); at != std::string_view::npos; at = body.find(kId, at + 1)) {
      ids += std::string(body.substr(at + kId.size(), 5)) + " ";
    }
    return ids + (body.find("\"next\":null") == std::string_view::npos ? "…" : "");
  }
};

TEST_F(CatalogueAnswersTest, TheListHasTheLatestApplicationFirst) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(List(""), "app-3 app-2 app-1 ");
  const HttpResponse response = Get(kApi + "/applications?limit=1");
  EXPECT_EQ(response.Body().substr(0, response.Body().find(R"(,"next")")),
            R"({"applications":[{"id":"app-3","attempt":"","name":"name of app-3","user":"bob","group":"a/b",)"
            R"("status":"failed","startTime":)" +
                Millis(2) + R"(,"endTime":)" + std::to_string((kTestStart + 2 * kTestHour) / kNanosPerMilli + 60'000) +
                R"(,"durationMs":60000,"tasks":8,"cpuSeconds":40,"findings":0,"topFinding":"Stage 1: skewed data",)"
                R"("savingMs":5000,"totals":"complete","version":"1.2","sparkVersion":"4.1.1"}])");
  EXPECT_TRUE(response.Body().ends_with(",\"total\":3}\n"));
}

TEST_F(CatalogueAnswersTest, ARunningApplicationHasNoEnd) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_NE(Get(kApi + "/applications?status=running").Body().find(R"("endTime":null)"), std::string_view::npos);
}

TEST_F(CatalogueAnswersTest, TheListIsFilteredAndSorted) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(List("search=APP-2"), "app-2 ");
  EXPECT_EQ(List("group=a/b"), "app-3 ");
  EXPECT_EQ(List("user=alice"), "app-2 app-1 ");
  EXPECT_EQ(List("status=failed"), "app-3 ");
  EXPECT_EQ(List("finding=skew"), "app-1 ");
  EXPECT_EQ(List("from=" + Millis(2)), "app-3 app-2 ") << "app-2 runs";
  EXPECT_EQ(List("to=" + Millis(1)), "app-1 ");
  EXPECT_EQ(List("sort=name"), "app-1 app-2 app-3 ");
  EXPECT_EQ(List("sort=-findings"), "app-1 app-3 app-2 ");
}

TEST_F(CatalogueAnswersTest, TheListComesInPages) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(List("limit=3"), "app-3 app-2 app-1 ");
  EXPECT_EQ(List("limit=2"), "app-3 app-2 …");
  const HttpResponse page = Get(kApi + "/applications?limit=2");
  const size_t begin = page.Body().find("\"next\":\"") + 8;
  const std::string cursor(page.Body().substr(begin, page.Body().find('"', begin) - begin));
  EXPECT_EQ(List("limit=2&cursor=" + cursor), "app-1 ");
  EXPECT_EQ(Get(kApi + "/applications?sort=name&cursor=" + cursor).status, 400u);
}

TEST_F(CatalogueAnswersTest, WrongParametersOfTheListAreNamed) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(List("status=done"), BadRequest("status: 'done' is not one of running, finished, failed, incomplete"));
  EXPECT_EQ(List("sort=age"), BadRequest("sort: unknown column 'age'"));
  for (const std::string limit : {"0", "1001", "x"}) {
    EXPECT_EQ(List("limit=" + limit), BadRequest("limit: '" + limit + "' is not a number from 1 to 1000"));
  }
  EXPECT_EQ(List("limit=1000"), "app-3 app-2 app-1 ");
  EXPECT_EQ(List("nodes=maybe"), BadRequest("nodes: 'maybe' is not true or false"));
  EXPECT_EQ(List("color=red"),
            BadRequest("unknown parameter 'color'; use search group user status finding nodes from to sort limit "
                       "cursor"));
  EXPECT_EQ(List("from=2026"), "app-3 app-2 app-1 ") << "a number is ms since the epoch";
  EXPECT_EQ(List("to=-1"),
            BadRequest("to: invalid time '-1'; expected ms since the Unix epoch before the year 2100, or for instance "
                       "2026-11-22T10:00:00Z"));
  EXPECT_EQ(List("from=2024-10-04T00:00:00Z&to=2024-10-05T00:00:00Z"), "app-3 app-2 app-1 ");
}

TEST_F(CatalogueAnswersTest, GroupsAddUpTheirApplications) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Answer(kApi + "/groups"),
            R"(200 {"groups":[{"name":"a/b","applications":1,"running":0,"failed":1,"firstStart":)" + Millis(2) +
                R"(,"lastStart":)" + Millis(2) + R"(,"cpuSeconds":40},)" +
                R"({"name":"group","applications":2,"running":1,"failed":0,"firstStart":)" + Millis(0) +
                R"(,"lastStart":)" + Millis(1) + R"(,"cpuSeconds":80}]})");
}

TEST_F(CatalogueAnswersTest, AGroupsSamplesAddUpInItsFlameGraph) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Answer(kApi + "/groups/group/flame"), "200 main;wait 10\nmain;work 35");
  EXPECT_EQ(Answer(kApi + "/groups/group/flame?from=" + Millis(1)), "200 main;work 5");
  EXPECT_EQ(Answer(kApi + "/groups/a%2Fb/flame?event=alloc"), "200 main 1");
  EXPECT_EQ(Get(kApi + "/groups/group/flame?event=alloc").status, 404u);
}

TEST_F(CatalogueAnswersTest, TheDataOfAGroupsPageIsWhatReportsEmbed) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const HttpResponse data = Get(kApi + "/groups/group/report");
  ASSERT_EQ(data.status, 200u) << data.Body();
  EXPECT_EQ(data.Header("content-encoding"), "gzip");
  EXPECT_TRUE(data.Body().starts_with("\x1f\x8b"));
  EXPECT_EQ(Get(kApi + "/groups/group/report?event=alloc").status, 404u);
  EXPECT_EQ(Answer(kApi + "/groups/group/report?format=svg"),
            BadRequest("unknown parameter 'format'; use from to event"));
}

TEST_F(CatalogueAnswersTest, AGroupsFunctionsHaveTheirOwnAndTheirTotalTime) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Answer(kApi + "/groups/group/functions"),
            R"(200 {"event":"cpu","unit":"ns","total":45,"functions":[{"name":"work","self":35,"total":35},)"
            R"({"name":"wait","self":10,"total":10}]})");
}

TEST_F(CatalogueAnswersTest, AGroupsFindingsAndSeriesAreThoseOfItsTime) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(
      Answer(kApi + "/groups/group/findings"),
      R"(200 {"findings":[{"rule":"skew","severity":"medium","title":"Stage 3: skewed data","applications":1,"last":)" +
          Millis(0) + R"(,"latestApplication":"app-1","gainSeconds":2.5}]})");
  EXPECT_EQ(Answer(kApi + "/groups/group/findings?from=" + Millis(1)), R"(200 {"findings":[]})");
  EXPECT_EQ(Answer(kApi + "/groups/group/series"), R"(200 {"series":[{"name":"host.load","points":[[)" + Millis(1) +
                                                       R"(,1.5]]},{"name":"process.rss_bytes","points":[[)" +
                                                       Millis(0) + ",4096],[" + Millis(1) + R"(,8192]]}]})");
}

TEST_F(CatalogueAnswersTest, GroupsRefuseWhatTheyDoNotKnow) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Answer(kApi + "/groups/group/functions?limit=1"),
            BadRequest("unknown parameter 'limit'; use from to event"));
  for (const std::string what : {"findings", "series"}) {
    EXPECT_EQ(Answer(kApi + "/groups/group/" + what + "?limit=1"),
              BadRequest("unknown parameter 'limit'; use from to"));
  }
  for (const std::string what : {"flame", "report", "functions", "findings", "series"}) {
    EXPECT_EQ(Get(kApi + "/groups/group/" + what + "?from=yesterday").status, 400u) << what;
    EXPECT_EQ(Get(kApi + "/groups/group/" + what + "?to=tomorrow").status, 400u) << what;
  }
}

TEST_F(CatalogueAnswersTest, TwoTimesOfAGroupAreCompared) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Answer(kApi + "/compare/flame?aGroup=group&aFrom=" + Millis(1) + "&bGroup=group&bTo=" + Millis(1) +
                   "&format=collapsed"),
            "200 main;wait 10 0\nmain;work 30 5");
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "render/report/info.h"

#include <gtest/gtest.h>

#include "analysis/testing/application_builder.h"
#include "render/report/series_view.h"

namespace sparkprof {
namespace {

std::string InfoOf(const std::vector<const Application*>& applications, const RecordingStatus* status) {
  const std::vector<Answers> answers = AnswerAll(applications);
  return RenderInfoJson(RunsOf(applications, answers), status);
}

TEST(InfoJsonTest, HasTheMembersThatScriptsRelyOn) {
  const Application application = ExampleApplication();
  const std::string json = InfoOf({&application}, nullptr);
  const std::string expected =
      R"({"applications":[{"id":"app-1","attempt":"1","name":"example","sparkVersion":"4.1.1","startTime":1700000000000,)"
      R"("endTime":1700000100000,"complete":true}],"counts":{"jobs":2,"stages":3,"tasks":4,"executors":1},)"
      R"("samples":{"cpu":{"count":127,"weight":127000,"onTaskThreads":31,"joined":31,"lost":2}},"owners":[{"owner":)";
  EXPECT_EQ(json.substr(0, expected.size()), expected);
  EXPECT_NE(json.find(R"(],"ownedShare":)"), std::string::npos);
  EXPECT_NE(json.find(R"(,"complete":true,)"), std::string::npos);
}

// The driver of the example runs no tasks and is not an executor.
TEST(InfoJsonTest, AddsUpSeveralApplications) {
  const Application application = ExampleApplication();
  Application other = ExampleApplication();
  other.complete = false;
  const std::string json = InfoOf({&application, &other}, nullptr);
  EXPECT_NE(json.find(R"("counts":{"jobs":4,"stages":6,"tasks":8,"executors":2})"), std::string::npos);
  EXPECT_NE(json.find(R"("cpu":{"count":254,)"), std::string::npos);
  EXPECT_NE(json.find(R"("complete":false,"losses")"), std::string::npos);
}

TEST(InfoJsonTest, ADamagedRecordingIsNotComplete) {
  const Application application = ExampleApplication();
  RecordingStatus status;
  EXPECT_NE(InfoOf({&application}, &status).find(R"("complete":true,"losses")"), std::string::npos);
  status.cut_bytes = 17;
  const std::string json = InfoOf({&application}, &status);
  EXPECT_NE(json.find(R"("complete":false,"losses")"), std::string::npos);
  EXPECT_NE(json.find(R"("cutBytes":17)"), std::string::npos);
}

TEST(InfoTextTest, SaysWhatIsMissing) {
  Application application = ExampleApplication();
  application.complete = false;
  RecordingStatus status;
  status.cut_bytes = 2048;
  const std::string text = RenderInfoText({&application}, {{"first", "second"}}, status);
  EXPECT_NE(text.find("first\n  second\n"), std::string::npos);
  EXPECT_NE(text.find("incomplete"), std::string::npos);
  EXPECT_NE(text.find("the last 2.0 KiB are not a complete block"), std::string::npos);
}

TEST(InfoTextTest, TablesAlignByCharactersNotBytes) {
  EXPECT_EQ(RenderTable({{"name", "n"}, {"é", "100"}}), "name    n\né     100\n");
}

TEST(SeriesViewTest, GaugesStayAndAreThinnedByTheirPeaks) {
  ApplicationSeries series{"process.rss_bytes",
                           -1,
                           -1,
                           SeriesKind::kGauge,
                           {{1'000'000, 1}, {2'000'000, 9}, {3'000'000, 2}, {4'000'000, 3}}};
  const SeriesView whole = ViewOf(series, 0, 10);
  EXPECT_EQ(whole.unit, "bytes");
  EXPECT_EQ(whole.value, (std::vector<double>{1, 9, 2, 3}));
  EXPECT_EQ(whole.time, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(ViewOf(series, 0, 2).value, (std::vector<double>{9, 3}));
}

TEST(SeriesViewTest, CountersBecomeRatesInTheirUnit) {
  const auto view = [](std::string name) {
    return ViewOf({std::move(name), -1, -1, SeriesKind::kCounter, {{0, 0}, {2'000'000'000, 1e9}, {3'000'000'000, 5e8}}},
                  0, 10);
  };
  EXPECT_EQ(view("process.cpu_ns").unit, "cores");
  EXPECT_EQ(view("process.cpu_ns").value, std::vector<double>{0.5});
  EXPECT_EQ(view("jvm.gc_time_ns").unit, "share");
  EXPECT_EQ(view("process.read_bytes").value, std::vector<double>{5e8});
  EXPECT_EQ(view("process.read_bytes").label, "Read from disk per second");
}

}  // namespace
}  // namespace sparkprof

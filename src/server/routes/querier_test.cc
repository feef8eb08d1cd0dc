// SPDX-License-Identifier: Apache-2.0
// Queries of Grafana's Pyroscope data source.
#include <functional>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <set>

#include "base/time.h"
#include "render/writers/gzip.h"
#include "server/testing/collector.h"

namespace sparkprof {
namespace {

const std::string kService = "/querier.v1.QuerierService/";
const std::string kCpuType = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const std::string kJson = "application/json", kProtobuf = "application/proto";
// The example has samples at its start (20 ms of CPU in stage 3) and a second later (50 ms of wall-clock time).
constexpr int64_t kStartMillis = 1'700'000'000'000;

std::string Message(const std::function<void(protozero::pbf_writer&)>& write) {
  std::string bytes;
  protozero::pbf_writer writer{bytes};
  write(writer);
  return bytes;
}

class QuerierTest : public CollectorTest {
 protected:
  bool Start(ServerOptions options = {}) {
    if (!CollectorTest::Start({}, std::move(options))) return false;
    SendApplication("app-7");
    // The catalogue lists it after a moment.
    while (Ask("LabelValues", R"({"name":"application"})") == "200 {}") {
    }
    return true;
  }

  std::string Ask(const std::string& method, const std::string& json, HttpHeaders headers = {}) {
    headers.emplace_back("content-type", kJson);
    return Answer(Send("POST", kService + method, json, headers));
  }
  // Members of a request for samples of the example.
  static std::string Samples(const std::string& selector, const std::string& type = kCpuType,
                             int64_t from = kStartMillis, int64_t to = kStartMillis + 10'000) {
    return "\"profileTypeID\":\"" + type + R"(","labelSelector":")" + selector + R"(","start":")" +
           std::to_string(from) + R"(","end":")" + std::to_string(to) + "\"";
  }
  std::string Stacks(const std::string& selector, const std::string& more = "") {
    return Ask("SelectMergeStacktraces", "{" + Samples(selector) + more + "}");
  }
};

std::string Error(unsigned status, const std::string& code, const std::string& message) {
  return std::to_string(status) + R"( {"code":")" + code + R"(","message":")" + message + R"("})";
}

constexpr const char* kFlame =
    R"(200 {"flamegraph":{"names":["total","java.lang.Thread.run","com.example.Job.burn"],)"
    R"("levels":[{"values":["0","20000000","0","0"]},{"values":["0","20000000","0","1"]},)"
    R"({"values":["0","20000000","20000000","2"]}],"total":"20000000","maxSelf":"20000000"}})";

TEST_F(QuerierTest, TypesAreThoseOfSamplesInTheRange) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const std::string types =
      R"(200 {"profileTypes":[{"ID":")" + kCpuType +
      R"(","name":"process_cpu","sampleType":"cpu","sampleUnit":"nanoseconds","periodType":"cpu",)"
      R"("periodUnit":"nanoseconds"},{"ID":"wall:wall:nanoseconds:wall:nanoseconds","name":"wall",)"
      R"("sampleType":"wall","sampleUnit":"nanoseconds","periodType":"wall","periodUnit":"nanoseconds"}]})";
  EXPECT_EQ(Ask("ProfileTypes", "{}"), types);
  EXPECT_EQ(Ask("ProfileTypes", R"({"start":"1700000000000","end":1700000001000})"), types);
  EXPECT_EQ(Ask("ProfileTypes", R"({"start":"1","end":"2"})"), "200 {}") << "as the data source tests a connection";
}

TEST_F(QuerierTest, LabelsHaveTheValuesOfMatchingApplications) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Ask("LabelNames", "{}"),
            R"(200 {"names":["__profile_type__","application","attempt","executor","group","host","job",)"
            R"("service_name","sql","stage","thread_group","user"]})");
  EXPECT_EQ(Ask("LabelNames", R"({"matchers":["{service_name=\"other\"}"]})"), "200 {}");
  EXPECT_EQ(Ask("LabelValues", R"({"name":"service_name"})"), R"(200 {"names":["example"]})");
  EXPECT_EQ(Ask("LabelValues", R"({"name":"application","matchers":["{user=\"\"}"]})"), R"(200 {"names":["app-7"]})");
  EXPECT_EQ(Ask("LabelValues", R"({"name":"stage"})"), R"(200 {"names":["3"]})");
  EXPECT_EQ(Ask("LabelValues", R"({"name":"thread_group","matchers":["{stage=\"3\"}"]})"), R"(200 {"names":["task"]})");
  EXPECT_EQ(Ask("LabelValues", R"({"name":"thread_group","matchers":["{stage=\"3\"}","{stage=\"\"}"]})"),
            R"(200 {"names":["other","task"]})")
      << "what any selector matches";
  EXPECT_EQ(Ask("LabelValues", R"({"name":"nothing"})"), "200 {}");
  EXPECT_EQ(Ask("LabelValues", R"({"name":"stage","matchers":["{color=\"red\"}"]})"), "200 {}");
}

TEST_F(QuerierTest, SeriesHaveEachRequestedLabel) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Ask("Series", R"({"matchers":[],"labelNames":["service_name","__profile_type__"]})"),
            R"(200 {"labelsSet":[{"labels":[{"name":"service_name","value":"example"},{"name":"__profile_type__",)"
            R"("value":")" +
                kCpuType +
                R"("}]},{"labels":[{"name":"service_name","value":"example"},)"
                R"({"name":"__profile_type__","value":"wall:wall:nanoseconds:wall:nanoseconds"}]}]})");
  EXPECT_EQ(Ask("Series", R"({"labelNames":["stage"],"matchers":["{__profile_type__=\")" + kCpuType + R"(\"}"]})"),
            R"(200 {"labelsSet":[{"labels":[{"name":"stage","value":"3"}]}]})");
}

TEST_F(QuerierTest, StacksAreThoseOfTheSelector) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  for (const char* selector : {"{}", "", R"({service_name=\"example\",stage=\"3\"})", R"({application=~\"app-.\"})",
                               R"({thread_group!=\"other\"})"}) {
    EXPECT_EQ(Stacks(selector), kFlame) << selector;
  }
  for (const char* selector : {R"({service_name=\"exampl\"})", R"({stage=\"\"})", R"({job=\"3\"})"}) {
    EXPECT_EQ(Stacks(selector), "200 {}") << selector;
  }
  EXPECT_EQ(Ask("SelectMergeStacktraces", "{" + Samples("{}", kCpuType, kStartMillis + 1) + "}"), "200 {}");
  EXPECT_EQ(Ask("SelectMergeStacktraces", "{" + Samples("{}", "memory:inuse_space:bytes:space:bytes") + "}"), "200 {}");
}

TEST_F(QuerierTest, StacksAreLimitedInSizeAndPlace) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Stacks("{}", R"(,"maxNodes":"1")"),
            R"(200 {"flamegraph":{"names":["total","java.lang.Thread.run","other"],)"
            R"("levels":[{"values":["0","20000000","0","0"]},{"values":["0","20000000","0","1"]},)"
            R"({"values":["0","20000000","20000000","2"]}],"total":"20000000","maxSelf":"20000000"}})");
  EXPECT_EQ(Stacks("{}", R"(,"stackTraceSelector":{"callSite":[{"name":"java.lang.Thread.run"}]})"), kFlame);
  EXPECT_EQ(Stacks("{}", R"(,"stackTraceSelector":{"callSite":[{"name":"main"}]})"), "200 {}");
  EXPECT_EQ(Ask("SelectMergeSpanProfile", "{" + Samples("{}") + R"(,"spanSelector":["a"]})"), "200 {}");
}

TEST_F(QuerierTest, ProtobufHasTheSameAnswers) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const std::string request = Message([](protozero::pbf_writer& writer) {
    writer.add_string(1, kCpuType);
    writer.add_string(2, "{stage=\"3\"}");
    writer.add_int64(3, kStartMillis);
    writer.add_int64(4, kStartMillis + 10'000);
    writer.add_int64(5, 16'384);
  });
  const HttpHeaders plain = {{"content-type", kProtobuf}},
                    zipped = {{"content-type", kProtobuf}, {"content-encoding", "gzip"}};
  const HttpResponse response = Send("POST", kService + "SelectMergeStacktraces", request, plain);
  ASSERT_EQ(response.status, 200u) << response.Body();
  EXPECT_EQ(response.Header("content-type"), kProtobuf);
  EXPECT_EQ(Send("POST", "/proxy" + kService + "SelectMergeStacktraces", Gzip(request), zipped).Body(),
            response.Body());
  const std::string_view body = response.Body();
  protozero::pbf_reader answer{body.data(), body.size()};
  ASSERT_TRUE(answer.next(1));
  protozero::pbf_reader flame = answer.get_message();
  std::vector<std::string> names;
  std::vector<int64_t> numbers;
  int64_t total = 0, max_self = 0;
  while (flame.next()) {
    if (flame.tag() == 1) names.push_back(flame.get_string());
    if (flame.tag() == 2) {
      protozero::pbf_reader level = flame.get_message();
      ASSERT_TRUE(level.next(1));
      for (const int64_t number : level.get_packed_int64()) numbers.push_back(number);
    }
    if (flame.tag() == 3) total = flame.get_int64();
    if (flame.tag() == 4) max_self = flame.get_int64();
  }
  EXPECT_EQ(names, (std::vector<std::string>{"total", "java.lang.Thread.run", "com.example.Job.burn"}));
  EXPECT_EQ(numbers, (std::vector<int64_t>{0, 20'000'000, 0, 0, 0, 20'000'000, 0, 1, 0, 20'000'000, 20'000'000, 2}));
  EXPECT_EQ(total, 20'000'000);
  EXPECT_EQ(max_self, 20'000'000);
  EXPECT_EQ(Send("POST", kService + "ProfileTypes", "", plain).status, 200u);
}

TEST_F(QuerierTest, SeriesAreSumsOverSteps) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const std::string wall = "wall:wall:nanoseconds:wall:nanoseconds";
  const auto series = [&](int64_t from, const std::string& more) {
    return Ask("SelectSeries", "{" + Samples("{}", wall, from, from + 30'000) + more + "}");
  };
  const std::string at_start = R"({"value":50000000,"timestamp":"1700000001000"})";
  EXPECT_EQ(series(kStartMillis + 1'000, R"(,"step":15)"), R"(200 {"series":[{"points":[)" + at_start + "]}]}");
  EXPECT_EQ(series(kStartMillis, R"(,"step":15,"groupBy":["thread_group","service_name"])"),
            R"(200 {"series":[{"labels":[{"name":"thread_group","value":"other"},{"name":"service_name",)"
            R"("value":"example"}],"points":[{"value":50000000,"timestamp":"1700000015000"}]}]})")
      << "a point has the samples since the one before";
  EXPECT_EQ(series(kStartMillis + 15'000, R"(,"step":15)"),
            R"(200 {"series":[{"points":[{"value":50000000,"timestamp":"1700000015000"}]}]})")
      << "the first point has those of the step before the range";
  EXPECT_EQ(series(kStartMillis + 17'000, R"(,"step":15)"), "200 {}");
  EXPECT_EQ(series(kStartMillis, ""),
            Error(400, "invalid_argument", "step: 0 is not a number of seconds from 0.001 to 31536000"));
}

TEST_F(QuerierTest, BothSidesAreCompared) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Ask("Diff", R"({"left":{)" + Samples(R"({stage=\"\"})") + R"(},"right":{)" + Samples("{}") + "}}"),
            R"(200 {"flamegraph":{"names":["total","java.lang.Thread.run","com.example.Job.burn"],"levels":[)"
            R"({"values":["0","0","0","0","20000000","0","0"]},{"values":["0","0","0","0","20000000","0","1"]},)"
            R"({"values":["0","0","0","0","20000000","20000000","2"]}],"total":"20000000","maxSelf":"20000000",)"
            R"("rightTicks":"20000000"}})");
  const std::string side = PercentEncode(kCpuType + "{stage=\"3\"}");
  const std::string times = "&leftFrom=1700000000&leftUntil=now&rightFrom=1700000000000&rightUntil=now-1h";
  EXPECT_EQ(Answer("/pyroscope/render-diff?leftQuery=" + side + "&rightQuery=" + side + times + "&max-nodes=1"),
            R"(200 {"version":1,"flamebearer":{"names":["total","java.lang.Thread.run","other"],"levels":[)"
            R"([0,20000000,0,0,20000000,0,0],[0,20000000,0,0,20000000,0,1],)"
            R"([0,20000000,20000000,0,20000000,20000000,2]],"numTicks":40000000,"maxSelf":20000000},)"
            R"("metadata":{"format":"double","units":"samples","name":"cpu","sampleRate":1000000000},)"
            R"("leftTicks":20000000,"rightTicks":20000000})");
  EXPECT_EQ(Answer("/pyroscope/render-diff?leftQuery=" + side),
            Error(400, "invalid_argument",
                  "leftFrom: '' is not a time; expected ms since the Unix epoch, or for instance now-1h"));
}

TEST_F(QuerierTest, AProfileIsPprof) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const std::string request = Message([](protozero::pbf_writer& writer) { writer.add_string(1, kCpuType); });
  const HttpResponse response = Send("POST", kService + "SelectMergeProfile", request, {{"content-type", kProtobuf}});
  ASSERT_EQ(response.status, 200u) << response.Body();
  std::set<std::string> strings;
  protozero::pbf_reader profile{response.Body().data(), response.Body().size()};
  while (profile.next()) {
    if (profile.tag() == 6) {
      strings.insert(profile.get_string());
    } else {
      profile.skip();
    }
  }
  EXPECT_TRUE(strings.contains("com.example.Job.burn"));
  EXPECT_EQ(Ask("SelectMergeProfile", "{" + Samples("{}") + "}"),
            Error(501, "unimplemented", "SelectMergeProfile: only application/proto is supported"));
}

TEST_F(QuerierTest, TheAppOfGrafanaFindsThatThereIsData) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const std::string stats = Ask("GetProfileStats", "{}");
  EXPECT_TRUE(stats.starts_with(R"(200 {"dataIngested":true,"oldestProfileTime":"17000000)")) << stats;
  EXPECT_EQ(Answer(Send("POST", "/settings.v1.SettingsService/Get", "{}", {{"content-type", kJson}})), "200 {}");
}

TEST_F(QuerierTest, ErrorsAreThoseOfConnect) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Ask("SelectHeatmap", "{}"), Error(501, "unimplemented", "method SelectHeatmap is unsupported"));
  EXPECT_EQ(Ask("ProfileTypes", "{", {{"content-encoding", "br"}}),
            Error(501, "unimplemented", "content-encoding: only gzip and identity are supported"));
  EXPECT_EQ(Ask("ProfileTypes", "[]"), Error(400, "invalid_argument", "expected a JSON object"));
  EXPECT_EQ(Ask("ProfileTypes", R"({"start":"2","end":"1"})"),
            Error(400, "invalid_argument", "end: 1 is before the start, 2"));
  std::string selectors = "\"{}\"";
  for (int i = 0; i < 64; ++i) selectors += ",\"{}\"";
  EXPECT_EQ(Ask("LabelNames", "{\"matchers\":[" + selectors + "]}"),
            Error(400, "invalid_argument", "the request has 65 selectors or labels, at most 64 are allowed"));
  EXPECT_EQ(Ask("SelectMergeStacktraces", "{}"),
            Error(400, "invalid_argument", "profile_typeID: missing; ProfileTypes lists the types"));
  EXPECT_EQ(Stacks("{stage}"),
            Error(400, "invalid_argument", "label_selector: selector: offset 6: expected =, !=, =~ or !~, found '}'"));
  EXPECT_EQ(Stacks("{}", R"(,"format":"PROFILE_FORMAT_SANDWICH")"),
            Error(501, "unimplemented", "format: only PROFILE_FORMAT_FLAMEGRAPH is supported"));
  EXPECT_EQ(Stacks("{}", R"(,"profileIdSelector":["7"])"),
            Error(501, "unimplemented", "profile_id_selector: a recording has no profiles of its own"));
  const HttpResponse text = Send("POST", kService + "ProfileTypes", "{}", {{"content-type", "text/plain"}});
  EXPECT_EQ(text.status, 415u);
  EXPECT_EQ(text.Header("content-type"), kJson);
  EXPECT_EQ(Ask("LabelValues", R"({"name":"stage"})", {{"connect-timeout-ms", "0"}}).substr(0, 33),
            R"(504 {"code":"deadline_exceeded",")");
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "render/report/report_data.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>

#include "analysis/testing/application_builder.h"
#include "base/text/text.h"
#include "base/time.h"
#include "render/report/embedded_file.h"
#include "render/writers/gzip.h"

namespace sparkprof {
namespace {

std::string Gunzip(std::string_view bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  char buffer[1 << 16];
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof(buffer);
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer, sizeof(buffer) - stream.avail_out);
  }
  EXPECT_EQ(status, Z_STREAM_END);
  inflateEnd(&stream);
  return out;
}

// The report's data read back as docs/report-data.md describes it.
struct Decoded {
  std::string json;
  std::string area;

  explicit Decoded(const std::string& data) {
    EXPECT_EQ(data.substr(0, 8), "SPRFRPT1");
    uint32_t length = 0;
    std::memcpy(&length, data.data() + 8, 4);
    json = data.substr(12, length);
    area = data.substr((12 + length + 7) / 8 * 8);
  }

  // The text behind `"key":` at its first place after the last `"table":` that has members; the summary has tables of
  // the same names before.
  std::string After(std::string_view table, std::string_view key) const {
    size_t start = json.rfind("\"" + std::string(table) + "\":{\"");
    if (start == std::string::npos) start = json.rfind("\"" + std::string(table) + "\":[{\"");
    const size_t place = json.find("\"" + std::string(key) + "\":", start + 1);
    EXPECT_NE(start, std::string::npos) << table;
    EXPECT_NE(place, std::string::npos) << table << "." << key;
    return json.substr(place + key.size() + 3);
  }

  template <typename T>
  std::vector<T> Column(std::string_view table, std::string_view key, std::string_view type) const {
    const std::string reference = After(table, key);
    const std::string expected = "{\"column\":\"" + std::string(type) + "\",\"offset\":";
    EXPECT_EQ(reference.substr(0, expected.size()), expected);
    size_t offset = 0, count = 0;
    EXPECT_EQ(std::sscanf(reference.c_str() + expected.size(), "%zu,\"count\":%zu", &offset, &count), 2);
    EXPECT_EQ(offset % 8, 0u);
    EXPECT_LE(offset + count * sizeof(T), area.size());
    std::vector<T> values(count);
    std::copy_n(area.data() + offset, count * sizeof(T), reinterpret_cast<char*>(values.data()));  // also of none
    return values;
  }
};

std::string EmbeddedIn(const std::string& report) {
  const std::string opening = R"(<script id="sparkprof-data" type="application/octet-stream">)";
  const size_t begin = report.find(opening) + opening.size();
  return report.substr(begin, report.find("</script>", begin) - begin);
}

Decoded Decode(const Application& application, const ReportOptions& options) {
  const auto report = RenderReport(application, Answer(application), options);
  EXPECT_TRUE(report.has_value());
  return Decoded(Gunzip(*Base64Decode(EmbeddedIn(*report))));
}

TEST(GzipTest, ContentComesBack) {
  std::string text;
  for (int i = 0; i < 500'000; ++i) text += std::to_string(i);  // several parts
  EXPECT_EQ(Gunzip(Gzip(text)), text);
  EXPECT_EQ(Gunzip(Gzip("")), "");
  EXPECT_EQ(Gunzip(GzipQuickly(text)), text);
  EXPECT_EQ(Gunzip(GzipQuickly("")), "");
}

TEST(ReportDataTest, ThePageStaysWhatItIsAroundTheData) {
  const Application application = ExampleApplication();
  const auto report = RenderReport(application, Answer(application), {});
  ASSERT_TRUE(report.has_value());
  std::string without = *report;
  const std::string data = EmbeddedIn(*report);
  without.erase(without.find(data), data.size());
  EXPECT_EQ(without, ReportTemplate());
}

TEST(ReportDataTest, SampleColumnsHoldTheApplicationsSamples) {
  const Application application = ExampleApplication();
  const Decoded decoded = Decode(application, {});
  const auto weight = decoded.Column<double>("samples", "weight", "f64");
  const auto event = decoded.Column<uint8_t>("samples", "event", "u8");
  const auto task = decoded.Column<int32_t>("samples", "task", "i32");
  const auto stack = decoded.Column<uint32_t>("samples", "stack", "u32");
  const auto bucket = decoded.Column<uint32_t>("samples", "bucket", "u32");
  const auto executor = decoded.Column<uint16_t>("samples", "executor", "u16");
  ASSERT_EQ(weight.size(), application.profile.samples.size());
  std::map<int32_t, double> by_task;
  for (size_t row = 0; row < weight.size(); ++row) {
    if (event[row] == 1) by_task[task[row]] += weight[row];
  }
  EXPECT_EQ(by_task, (std::map<int32_t, double>{{-1, 96'000}, {0, 3'000}, {1, 4'000}, {2, 8'000}, {3, 16'000}}));
  for (size_t row = 0; row < weight.size(); ++row) {
    if (event[row] == 1 && task[row] == 3) {
      EXPECT_EQ(bucket[row], 42u);
      EXPECT_EQ(executor[row], 1u);
    }
  }
  const auto parent = decoded.Column<uint32_t>("stacks", "parent", "u32");
  const auto frame = decoded.Column<uint32_t>("stacks", "frame", "u32");
  const auto name = decoded.Column<uint32_t>("frames", "name", "u32");
  for (size_t row = 1; row < parent.size(); ++row) {
    EXPECT_LT(parent[row], row);
    EXPECT_LT(frame[row], name.size());
  }
  for (const uint32_t row : stack) EXPECT_LT(row, parent.size());
}

TEST(ReportDataTest, AllColumnsOfATableHaveOneLength) {
  const Decoded decoded = Decode(ExampleApplication(), {});
  const size_t tasks = decoded.Column<int32_t>("tasks", "taskId", "i32").size();
  EXPECT_EQ(tasks, 4u);
  EXPECT_EQ(decoded.Column<uint32_t>("tasks", "stage", "u32").size(), tasks);
  EXPECT_EQ(decoded.Column<uint16_t>("tasks", "attempt", "u16").size(), tasks);
  EXPECT_EQ(decoded.Column<double>("tasks", "begin", "f64"), (std::vector<double>{1000, 1000, 10'000, 40'000}));
  EXPECT_EQ(decoded.Column<double>("tasks", "end", "f64"), (std::vector<double>{5000, 9000, 30'000, 50'000}));
  EXPECT_EQ(decoded.Column<double>("tasks", "executorCpuTimeNs", "f64").size(), tasks);
  EXPECT_EQ(decoded.Column<uint8_t>("frames", "origin", "u8").size(),
            decoded.Column<uint32_t>("frames", "name", "u32").size());
}

TEST(ReportDataTest, WallTimeIsPassagesOfStagesAndPartsOfTheAccountInOrder) {
  const Decoded decoded = Decode(ExampleApplication(), {});
  const auto begin = decoded.Column<double>("wall", "begin", "f64");
  const auto phase = decoded.Column<uint8_t>("wall", "phase", "u8");
  const auto stage = decoded.Column<int32_t>("wall", "stage", "i32");
  ASSERT_FALSE(begin.empty());
  EXPECT_EQ(begin.front(), 0);
  EXPECT_TRUE(std::is_sorted(begin.begin(), begin.end()));
  EXPECT_EQ(decoded.After("wall", "phases").substr(0, 8), "[\"stage\"");
  for (size_t row = 0; row < begin.size(); ++row) EXPECT_EQ(phase[row] == 0, stage[row] >= 0);
  EXPECT_NE(std::count(phase.begin(), phase.end(), 0), 0);
  EXPECT_EQ(decoded.Column<uint32_t>("wall", "line", "u32").size(), begin.size());
}

TEST(ReportDataTest, CountersAreRates) {
  const Decoded decoded = Decode(ExampleApplication(), {});
  EXPECT_EQ(decoded.After("series", "unit").substr(0, 7), "\"cores\"");
  EXPECT_EQ(decoded.Column<double>("series", "time", "f64"), (std::vector<double>{2000, 4000}));
  EXPECT_EQ(decoded.Column<double>("series", "value", "f64"), (std::vector<double>{0.5, 1.0}));
}

TEST(ReportDataTest, TablesSayWhatTheContractNames) {
  const std::string json = Decode(ExampleApplication(), {.start_tab = "flame", .note = "also there: app-2"}).json;
  for (
      const char* part :
      {R"("version":1)", R"("startTab":"flame")", R"("bucketMs":1000)",
       R"("events":[{"id":1,"name":"cpu","unit":"ns","label":"CPU"})", R"("stageIds":[0,1],"sqlExecutionId":5)",
       R"("quantiles":{"durationNs":[4000000000,4000000000,4000000000,4000000000,8000000000])",
       R"("plan":{"name":"Project","text":"","operator":1,"metrics":[{"name":"rows","value":12,"unit":"count"},{"name":"time","value":null,"unit":"ns"}])",
       R"("environment":[{"name":"spark.app.name","value":"example","section":"Spark, of this run"}])",
       R"("text":"also there: app-2")",
       R"("processes":[{"pid":4711,"role":"python_worker","command":"python -m pyspark.daemon","executor":1}])",
       R"("failedTasks":0,"totalTasks":4,"maxMemory":0)", R"("totals":{"durationNs":)", R"("pythonCpuNs":0)",
       R"("kind":"jit")", R"("dropped":{"coarser":""})", R"("lines":["example)"}) {
    EXPECT_NE(json.find(part), std::string::npos) << part << " in\n" << json;
  }
}

TEST(ReportDataTest, StagesHaveQuantilesOfWhatTheirTasksCounted) {
  const std::string json = Decode(ExampleApplication(), {}).json;
  EXPECT_NE(json.find(R"("diskSpilledBytes":0)"), std::string::npos) << "a sum of a stage";
  EXPECT_EQ(json.find("[0,0,0,0,0]"), std::string::npos);
}

TEST(ReportDataTest, ManyHeapSummariesAreThinnedEvenlyAndTheLastIsKept) {
  Application application = ExampleApplication();
  EXPECT_EQ(Decode(application, {}).json.find("\"heap\":"), std::string::npos);
  const StringId name = application.profile.strings.Intern("org.example.Node");
  constexpr int64_t kSummaries = 5001;
  for (int64_t i = 0; i < kSummaries; ++i) {
    application.heap_summaries.push_back(
        {1, {application.start_ns + i * kNanosPerMilli, 1, {{name, {i, 24 * i}}}, 7, {1, 8}}});
  }
  const Decoded decoded = Decode(application, {});
  const auto summary = decoded.Column<uint32_t>("rows", "summary", "u32");
  const auto bytes = decoded.Column<double>("rows", "bytes", "f64");
  ASSERT_EQ(summary.size(), 1668u);  // every third one and the last
  EXPECT_EQ(bytes[1], 24 * 3);
  EXPECT_EQ(bytes.back(), 24 * (kSummaries - 1));
  EXPECT_EQ(decoded.After("heap", "classes").substr(0, 20), "[\"org.example.Node\"]");
  EXPECT_NE(decoded.json.find("\"bytes\":" + std::to_string(24 * (kSummaries - 1) + 8)), std::string::npos);
}

TEST(ReportDataTest, AnEmptyApplicationMakesAReport) {
  const Decoded decoded = Decode(Application(), {});
  EXPECT_EQ(decoded.Column<uint32_t>("samples", "stack", "u32").size(), 0u);
  EXPECT_EQ(decoded.Column<uint32_t>("stacks", "parent", "u32").size(), 1u);
}

TEST(ReportDataTest, ALargeApplicationStaysWithinTheBudget) {
  ApplicationBuilder builder;
  builder.AddThread(1, "main", builder.AddExecutor("driver", 1));
  std::mt19937 random(3);
  for (int i = 0; i < 60'000; ++i) {
    StackId stack = 0;
    for (int depth = 0; depth < 6; ++depth) {
      stack = builder.application().profile.stacks.Push(
          stack, builder.AddFrame("com.example.Type.method" + std::to_string(random() % 12)));
    }
    builder.AddSample(Event::kCpu, static_cast<int64_t>(random() % 100), 1, kNoTask, stack, 1 + random() % 1'000'000);
  }
  const Application& application = builder.application();
  const size_t budget = 200'000;
  const auto report = RenderReport(application, Answer(application), {.budget = budget});
  ASSERT_TRUE(report.has_value());
  EXPECT_LE(report->size(), budget + ReportTemplate().size());
  const Decoded decoded(Gunzip(*Base64Decode(EmbeddedIn(*report))));
  EXPECT_EQ(decoded.After("dropped", "coarser").substr(0, 35), "\"To keep the report small, the time");
  int64_t expected = 0;
  for (const Sample& sample : application.profile.samples) expected += sample.weight;
  const auto weight = decoded.Column<double>("samples", "weight", "f64");
  EXPECT_EQ(std::accumulate(weight.begin(), weight.end(), 0.0), static_cast<double>(expected));
}

}  // namespace
}  // namespace sparkprof

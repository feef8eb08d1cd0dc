// SPDX-License-Identifier: Apache-2.0
#include "render/writers/trace_writer.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <map>
#include <string>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

constexpr char kParent[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

class TraceWriterTest : public testing::Test {
 protected:
  TraceWriterTest() {
    executor_ = builder_.AddExecutor("1", 4);
    builder_.AddJob(0, {3});
    stage_ = builder_.AddStage(3, 0, 0);
    Stage& stage = builder_.application().stages[static_cast<size_t>(stage_)];
    stage.submit_ns = ApplicationBuilder::kStart;
    stage.end_ns = ApplicationBuilder::kStart + ApplicationBuilder::kDuration;
  }

  std::map<std::string, simdjson::dom::element> Spans(const TraceOptions& options = {}) {
    text_ = TraceJson(builder_.application(), Answer(builder_.application()), options);
    std::map<std::string, simdjson::dom::element> spans;
    const simdjson::dom::array all = parser_.parse(text_)["resourceSpans"].at(0)["scopeSpans"].at(0)["spans"];
    for (const simdjson::dom::element span : all) spans[std::string(std::string_view(span["name"]))] = span;
    return spans;
  }

  static std::string Of(const simdjson::dom::element& span, std::string_view name) {
    std::string_view text;
    return span[name].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
  }

  ApplicationBuilder builder_;
  int32_t executor_ = -1, stage_ = -1;
  simdjson::dom::parser parser_;
  std::string text_;
};

TEST_F(TraceWriterTest, SpansAreNestedAndOnlySlowTasksHaveOne) {
  for (int task = 0; task < 40; ++task) builder_.AddTask(task, stage_, executor_, 1, task == 7 ? 60 : 2);
  auto spans = Spans();
  ASSERT_TRUE(spans.contains("example") && spans.contains("job 0") && spans.contains("stage 3.0"));
  EXPECT_EQ(Of(spans["job 0"], "parentSpanId"), Of(spans["example"], "spanId"));
  EXPECT_EQ(Of(spans["stage 3.0"], "parentSpanId"), Of(spans["job 0"], "spanId"));
  ASSERT_TRUE(spans.contains("task 7 of stage 3.0"));
  EXPECT_EQ(Of(spans["task 7 of stage 3.0"], "parentSpanId"), Of(spans["stage 3.0"], "spanId"));
  EXPECT_EQ(Of(spans["task 7 of stage 3.0"], "startTimeUnixNano"),
            std::to_string(ApplicationBuilder::kStart + kNanosPerSecond));
}

TEST_F(TraceWriterTest, AFailedTaskHasASpanHoweverShort) {
  for (int task = 0; task < 40; ++task) builder_.AddTask(task, stage_, executor_, 1, 20);
  const size_t failed = builder_.AddTask(99, stage_, executor_, 1, 1.01);
  builder_.application().tasks.outcome[failed] = TaskOutcome::kFailed;
  builder_.application().tasks.reason[failed] = builder_.application().profile.strings.Intern("disk full");
  auto spans = Spans({.shortest_task_ns = 100 * kNanosPerSecond});
  ASSERT_TRUE(spans.contains("task 99 of stage 3.0"));
  EXPECT_FALSE(spans.contains("task 1 of stage 3.0"));
  EXPECT_EQ(int64_t(spans["task 99 of stage 3.0"]["status"]["code"]), 2);
  EXPECT_EQ(std::string_view(spans["task 99 of stage 3.0"]["status"]["message"]), "disk full");
}

TEST_F(TraceWriterTest, TheApplicationContinuesTheTraceOfItsParent) {
  auto spans = Spans({.parent = ParseTraceParent(kParent)});
  EXPECT_EQ(Of(spans["example"], "traceId"), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(Of(spans["example"], "parentSpanId"), "b7ad6b7169203331");
  EXPECT_EQ(Of(spans["stage 3.0"], "traceId"), "0af7651916cd43dd8448eb211c80319c");
}

TEST_F(TraceWriterTest, WithoutAParentItIsTheRootOfItsOwnTraceWithTheSameIdsEachTime) {
  auto spans = Spans();
  const std::string trace = Of(spans["example"], "traceId");
  EXPECT_EQ(trace.size(), 32U);
  EXPECT_EQ(Of(spans["example"], "parentSpanId"), "");
  const std::string first = text_;
  Spans();
  EXPECT_EQ(text_, first);
  builder_.application().id = "app-2";
  EXPECT_NE(Of(Spans()["example"], "traceId"), trace);
}

TEST_F(TraceWriterTest, LinksSelectTheFlameGraph) {
  auto spans = Spans({.page = "http://collector/applications/app-1"});
  EXPECT_NE(text_.find("http://collector/applications/app-1#tab=flame&stage=3.0"), std::string::npos);
}

TEST_F(TraceWriterTest, TheNumberOfSpansIsLimitedAndTheRestCounted) {
  for (int job = 1; job < 50; ++job) builder_.AddJob(job, {});
  EXPECT_EQ(Spans({.most_spans = 10}).size(), 10U);
  EXPECT_NE(text_.find(R"("sparkprof.dropped_spans","value":{"intValue":"42"})"), std::string::npos) << text_;
}

TEST(TraceParent, MustBeComplete) {
  EXPECT_TRUE(ParseTraceParent(kParent));
  for (const std::string_view text :
       {"", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", "00-0af7-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}) {
    EXPECT_FALSE(ParseTraceParent(text)) << text;
  }
}

TEST(TraceParent, IsFoundInSparksSettings) {
  ApplicationBuilder builder;
  EXPECT_FALSE(TraceParentOf(builder.application()));
  builder.application().environment = {{"Spark", {{"spark.executorEnv.TRACEPARENT", kParent}}}};
  const auto parent = TraceParentOf(builder.application());
  ASSERT_TRUE(parent);
  EXPECT_EQ(parent->span_id, "b7ad6b7169203331");
}

}  // namespace
}  // namespace sparkprof

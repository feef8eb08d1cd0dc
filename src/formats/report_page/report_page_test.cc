// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

// Columns: f64 at 0, u32 at 8 and 16, u8 at 24, i32 at 32, u16 at 40.
std::string Page(std::string json, const char* end = "</script></html>") {
  std::string data = "SPRFRPT1";
  for (int i = 0; i < 4; ++i) data += static_cast<char>(json.size() >> (8 * i) & 0xFF);
  data += json;
  data.resize((data.size() + 7) / 8 * 8);
  const double weight = 7;
  data.append(reinterpret_cast<const char*>(&weight), sizeof weight);
  data += std::string("\1\0\0\0\2\0\0\0", 8) + std::string("\0\0\0\0\0\0\0\0", 8) + std::string("\1\0\0\0\0\0\0\0", 8);
  data += std::string("\x2A\0\0\0\0\0\0\0", 8) + std::string("\0\0\0\0\0\0\0\0", 8);
  return "<!doctype html><title>sparkprof report</title><script id=\"sparkprof-data\" type=\"x\">" +
         Base64Encode(data) + end;
}

std::string Column(const char* name, const char* type, int offset, int count) {
  return std::string("\"") + name + R"(":{"column":")" + type + R"(","offset":)" + std::to_string(offset) +
         R"(,"count":)" + std::to_string(count) + "}";
}

std::string Json(const std::string& more = "") {
  return R"({"strings":["","f","g"],"application":{"startTime":2000},"bucketMs":1000,"events":[{"id":1,"name":"cpu","unit":"ns"}],)"
         R"("threads":[{"tid":9,"name":"before"}],"stages":[{"stageId":5,"attemptId":0}],"frames":{)" +
         Column("name", "u32", 8, 2) + R"(},"stacks":{)" + Column("parent", "u32", 16, 2) + "," +
         Column("frame", "u32", 16, 2) + R"(},"tasks":{)" + Column("taskId", "i32", 32, 1) + "," +
         Column("stage", "u32", 16, 1) + R"(},"samples":{)" + Column("bucket", "u8", 24, 1) + "," +
         Column("event", "u8", 24, 1) + "," + Column("stack", "u32", 8, 1) + "," + Column("task", "u16", 40, 1) + "," +
         Column("thread", "u16", 40, 1) + "," + Column("weight", "f64", 0, 1) + "}" + more + "}";
}

TEST(ReportPageTest, SamplesKeepThreadTaskAndTime) {
  const Result<Profile> profile =
      ReadProfile("report", Page(Json()), {.keep_threads = true, .keep_tasks = true, .bucket_ns = 1'000'000});
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->samples.size(), 1u);
  const Sample& sample = profile->samples[0];
  EXPECT_EQ(StacksOf(*profile, 0), (Stacks{{"f", 7}}));
  EXPECT_EQ(sample.time_ns, 3'000'000'000);
  EXPECT_EQ(profile->threads[sample.thread].tid, 9);
  EXPECT_EQ(profile->tasks[sample.task].task, 42);
  EXPECT_EQ(profile->tasks[sample.task].stage, 5);
}

TEST(ReportPageTest, TheBaselineOfAComparisonIsAnEventOfItsOwn) {
  const Result<Profile> profile =
      ReadProfile("report", Page(Json(R"(,"startView":"tab=flame&versus=1&versus.thread=~before")")));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->events.back(), (ProfileEvent{.name = "before", .unit = "ns"}));
  EXPECT_EQ(StacksOf(*profile, 1), (Stacks{{"f", 7}}));
}

TEST(ReportPageTest, WhatThePageLeavesOutIsNoted) {
  const Result<Profile> profile = ReadProfile("report", Page(Json(R"(,"dropped":{"coarser":"Samples are merged."})")));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->notes, (std::vector<std::string>{"input: Samples are merged."}));
}

TEST(ReportPageTest, DamageIsReported) {
  EXPECT_EQ(DamageOf("report", "<html>sparkprof-data"), "input: offset 20: expected the report's data, found the end");
  EXPECT_EQ(DamageOf("report", "<script id=\"sparkprof-data\">?</script>"),
            "input: offset 28: expected the report's data in base64");
  EXPECT_EQ(DamageOf("report", "<script id=\"sparkprof-data\">AAAA</script>"),
            "input: offset 0: expected the data of a sparkprof report (SPRFRPT1)");
  EXPECT_EQ(DamageOf("report", Page("{}")), "input: offset 0: expected the samples of a report, found none");
  // A column that ends behind the data is empty.
  std::string json = Json();
  json.replace(json.find(R"("offset":0,"count":1)"), 20, R"("offset":9,"count":9)");
  EXPECT_EQ(StacksOfText("report", Page(json)), (Stacks{{"f", 0}}));
}

}  // namespace
}  // namespace sparkprof::testing

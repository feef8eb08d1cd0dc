// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/text/text.h"
#include "render/writers/display_width.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {
namespace {

FrameChange Change(std::string label, int64_t before, int64_t after) {
  FrameChange change;
  change.label = std::move(label);
  change.weight.base_total.weight = before;
  change.weight.total.weight = after;
  change.change = change.self_change = static_cast<double>(after - before) / 100;
  change.confidence = 0.991;
  return change;
}

// A table of two changes and a frame that did not change.
std::string DiffText(std::optional<size_t> width, size_t limit = 10) {
  ProfileDiff diff;
  diff.before = {.weight = 100, .count = 100};
  diff.after = {.weight = 130, .count = 130};
  diff.changes = {Change("org.example.pipeline.transformations.SessionBuilder.mergeOverlappingSessions", 50, 80),
                  Change("main", 100, 130), Change("same", 7, 7)};
  std::string text;
  OutputFile output = OutputFile::ToMemory(&text);
  WriteDiffText(diff, "count", limit, width, &output);
  EXPECT_TRUE(output.Commit().has_value());
  return text;
}

size_t WidestLine(const std::string& text) {
  size_t widest = 0;
  for (const std::string_view line : Split(text, '\n')) widest = std::max(widest, DisplayWidth(line));
  return widest;
}

TEST(DiffOutputTest, InAFileLinesHaveAnyLength) {
  EXPECT_EQ(DiffText(std::nullopt),
            "before 100 in 100 samples, after 130 in 130 samples\n\n"
            "      before        after  with calls         own confidence  frame\n"
            "          50           80     +30.00%     +30.00%      99.1%  "
            "org.example.pipeline.transformations.SessionBuilder.mergeOverlappingSessions\n"
            "         100          130     +30.00%     +30.00%      99.1%  main\n");
}

TEST(DiffOutputTest, UnknownConfidenceIsNotANumber) {
  ProfileDiff diff;
  diff.before = {.weight = 100, .count = 100};
  diff.after = {.weight = 130, .count = 130};
  diff.counts_samples = false;
  diff.changes = {Change("main", 100, 130)};
  std::string text, json;
  OutputFile text_output = OutputFile::ToMemory(&text), json_output = OutputFile::ToMemory(&json);
  WriteDiffText(diff, "count", 10, std::nullopt, &text_output);
  WriteDiffJson(diff, "count", false, &json_output);
  EXPECT_TRUE(text_output.Commit() && json_output.Commit());
  EXPECT_EQ(text,
            "before 100, after 130; confidence unknown: no counts of samples\n\n"
            "      before        after  with calls         own confidence  frame\n"
            "         100          130     +30.00%     +30.00%    unknown  main\n");
  EXPECT_NE(json.find(R"("before":{"total":100,"count":null})"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("confidence":null})"), std::string::npos) << json;
}

TEST(DiffOutputTest, LinesFitTheTerminalAndKeepTheEndsOfFrames) {
  for (size_t width = 40; width <= 150; ++width) {
    const std::string text = DiffText(width);
    EXPECT_LE(WidestLine(text), width);
    EXPECT_NE(text.find("mergeOverlappingSessions\n"), std::string::npos) << text;
  }
  EXPECT_EQ(WidestLine(DiffText(80)), 80u) << "a shortened frame uses the whole width";
}

TEST(DiffOutputTest, NarrowTerminalsHaveFewerColumns) {
  const auto header = [](size_t width) {
    const std::string text = DiffText(width);
    const std::string_view line = Split(text, '\n')[2];
    return std::string(line.substr(line.find_first_not_of(' ')));
  };
  EXPECT_EQ(header(100), "before        after  with calls         own confidence  frame");
  EXPECT_EQ(header(99), "with calls         own confidence  frame");
  EXPECT_EQ(header(69), "with calls         own  frame");
  EXPECT_EQ(header(59), "with calls  frame");
}

TEST(DiffOutputTest, FramesThatDidNotChangeAreNotAmongTheFirst) {
  EXPECT_EQ(DiffText(std::nullopt, 1).find("main"), std::string::npos);
  EXPECT_EQ(DiffText(std::nullopt, 3).find("same"), std::string::npos);
}

}  // namespace
}  // namespace sparkprof

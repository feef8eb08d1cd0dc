// SPDX-License-Identifier: Apache-2.0
#include "render/writers/work_text.h"

#include <gtest/gtest.h>

#include "base/time.h"
#include "render/writers/display_width.h"

namespace sparkprof {
namespace {

CurrentWork Example() {
  CurrentWork work{
      .id = "app-1", .name = "nightly", .executors = 2, .now_ns = kNanosPerSecond, .elapsed_ns = kNanosPerSecond};
  work.cores = 8;
  for (int64_t stage = 0; stage < 30; ++stage) {
    work.stages.push_back({.id = stage,
                           .work = "scan sales → filter, collect at job.py:60",
                           .running = 30 - stage,
                           .done = 5,
                           .planned = 10,
                           .elapsed_ns = stage * kNanosPerSecond});
  }
  work.owners.owners = {{"stage 3.0", OwnerKind::kTask, 3}, {"JIT compiler", OwnerKind::kBackground, 1}};
  work.lines = {{"job.py", 12, "parse", true, 2}};
  work.findings.resize(1);
  work.findings[0].title = "Stage 3.0: GC takes 66% of task time";
  work.findings[0].severity = Severity::kHigh;
  return work;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(WorkText, ShowsStagesOwnersLinesAndFindings) {
  const std::string text = Joined(WorkLines(Example(), {.width = 120}));
  for (const char* part : {"nightly  app-1  running for 1.0 s", "█████░░░░░", "5/10", "75.0%", "stage 3.0",
                           "job.py:12 parse", "1 finding so far", "high    Stage 3.0: GC takes 66% of task time"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

TEST(WorkText, FitsTheTerminal) {
  for (const size_t width : {40, 80, 200}) {
    for (const size_t height : {10, 24, 60}) {
      const std::vector<std::string> lines = WorkLines(Example(), {.width = width, .height = height, .color = true});
      EXPECT_LE(lines.size(), height);
      for (const std::string& line : lines) EXPECT_LE(DisplayWidth(line), width) << line;
    }
  }
}

TEST(WorkText, SortsStages) {
  const auto first = [](StageOrder order) {
    return WorkLines(Example(), {.width = 120, .order = order})[4].substr(0, 4);
  };
  EXPECT_EQ(first(StageOrder::kRunning), "0.0 ");
  EXPECT_EQ(first(StageOrder::kElapsed), "29.0");
  EXPECT_EQ(first(StageOrder::kLatest), "29.0");
}

TEST(WorkText, NamesOfTheJobCannotMoveTheCursor) {
  CurrentWork work = Example();
  work.name = "x\033[2J\ny";
  work.stages[0].work = "a\033]0;title\007b";
  const std::string text = Joined(WorkLines(work, {.width = 120}));
  EXPECT_EQ(text.find('\033'), std::string::npos) << text;
}

}  // namespace
}  // namespace sparkprof

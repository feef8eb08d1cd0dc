// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/losses.h"

#include <gtest/gtest.h>

#include "analysis/answers.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

TEST(LossesTest, EveryLossIsInWordsWithItsUnitAndReason) {
  Application application;
  application.losses = {{"profiling_ms", "the agent was restarted", 3500},
                        {"spool_bytes", "disk full", 2048},
                        {"task_records", "queue full", 12},
                        {"python_samples", "", 2},
                        {"executors", "tasks ran, no recording found", 1},
                        {"heap_summaries", "too long", 1},
                        {"spark_events", "queue full", 0}};
  EXPECT_EQ(
      LossesInWords(application),
      "3.5 s of profiling (the agent was restarted), 2.0 KiB of the recording (disk full), 12 task records (queue "
      "full), 2 Python samples, 1 executor (tasks ran, no recording found), 1 heap summary (too long)");
}

TEST(LossesTest, TheSummaryHasALineForLossesOnlyWhenThereAreAny) {
  ApplicationBuilder builder;
  const auto line_of = [&] {
    for (const std::string& line : Answer(builder.application()).lines) {
      if (line.starts_with("Lost ")) return line;
    }
    return std::string();
  };
  EXPECT_EQ(line_of(), "");
  builder.application().losses = {{"series_ms", "stopped", 9'000'000'000'000'000'000}, {"spark_events", "", 1}};
  EXPECT_NE(line_of().find("of process metrics (stopped), 1 Spark event"), std::string::npos) << line_of();
}

}  // namespace
}  // namespace sparkprof

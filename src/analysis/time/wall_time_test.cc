// SPDX-License-Identifier: Apache-2.0
#include "analysis/time/wall_time.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

// An application of 100 s with stages from `begin` to `end`, seconds; an end of 0: the stage runs.
struct Times {
  double begin, end;
};

Application WithStages(const std::vector<Times>& stages) {
  ApplicationBuilder builder;
  for (const Times& times : stages) {
    const int32_t row = builder.AddStage(static_cast<int64_t>(builder.application().stages.size()), 0, 0, "count");
    Stage& stage = builder.application().stages[static_cast<size_t>(row)];
    stage.submit_ns = ApplicationBuilder::Time(times.begin);
    stage.end_ns = times.end > 0 ? ApplicationBuilder::Time(times.end) : 0;
  }
  return std::move(builder.application());
}

std::vector<std::string> Words(const std::vector<Times>& stages, size_t most = 100) {
  std::vector<std::string> words;
  int64_t sum = 0;
  for (const WallPart& part : SplitWallTime(WithStages(stages), most)) {
    words.push_back(part.name + " " + std::to_string(part.duration_ns / kNanosPerSecond));
    sum += part.duration_ns;
  }
  EXPECT_EQ(sum, words.empty() ? 0 : ApplicationBuilder::kDuration) << "the parts are the whole";
  return words;
}

using Strings = std::vector<std::string>;

TEST(WallTimeTest, TimeWithoutAStageIsTheDrivers) {
  EXPECT_EQ(Words({{10, 30}, {40, 90}}),
            (Strings{"Driver before the first stage 10", "Stage 0 count 20", "Driver between stages 10",
                     "Stage 1 count 50", "Driver after the last stage 10"}));
}

TEST(WallTimeTest, OfStagesThatRunAtOnceTheOneThatEndsLastCounts) {
  EXPECT_EQ(Words({{0, 60}, {50, 100}, {70, 80}}), (Strings{"Stage 0 count 50", "Stage 1 count 50"}));
}

TEST(WallTimeTest, AStageThatOutlastsAnotherHoldsItsTime) {
  EXPECT_EQ(Words({{0, 100}, {20, 40}}), (Strings{"Stage 0 count 100"}));
}

TEST(WallTimeTest, AStageWithoutAnEndRunsToTheEnd) {
  EXPECT_EQ(Words({{75, 0}}), (Strings{"Driver before the first stage 75", "Stage 0 count 25"}));
}

TEST(WallTimeTest, ShorterPartsAreSummedUp) {
  EXPECT_EQ(Words({{10, 30}, {40, 90}}, 2), (Strings{"Stage 0 count 20", "Stage 1 count 50", "3 shorter parts 30"}));
}

TEST(WallTimeTest, ManyShortPartsAreSummedUpByName) {
  std::vector<Times> stages;
  for (double begin = 0; begin < 100; begin += 10) stages.push_back({begin + 3, begin + 10});
  EXPECT_EQ(Words(stages, 3), (Strings{"10 stages: count 70", "Driver outside stages, 10 times 30"}));
}

TEST(WallTimeTest, ANewAttemptOfAStageIsNamedByItsNumber) {
  Application application = WithStages({{0, 100}});
  application.stages[0].attempt = 1;
  EXPECT_EQ(SplitWallTime(application, 100).front().name, "Stage 0.1 count");
}

TEST(WallTimeTest, WithoutAStageThatBeganThereIsNothingToSplit) { EXPECT_EQ(Words({}), Strings{}); }

TEST(WallTimeTest, PartsSelectTheirStageOrTheDriversTime) {
  const auto parts = SplitWallTime(WithStages({{10, 100}}), 100);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].selection.executor, "driver");
  EXPECT_EQ(parts[0].selection.to_ns, 10 * kNanosPerSecond);
  EXPECT_EQ(parts[1].selection.stage, 0);
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "model/samples/coverage.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "model/application.h"

namespace sparkprof {
namespace {

class CoverageTest : public testing::Test {
 protected:
  CoverageTest() {
    cpu_ = application_.profile.AddEvent(Event::kCpu);
    wall_ = application_.profile.AddEvent(Event::kWall);
    application_.profile.tasks.resize(2);
  }

  // "count weight on-task joined lost" by event.
  std::map<std::string, std::string> Rows() {
    application_.coverage.clear();
    FillCoverage(&application_);
    std::map<std::string, std::string> rows;
    for (const Coverage& row : application_.coverage) {
      rows[std::string(EventName(row.event))] = std::to_string(row.count) + " " + std::to_string(row.weight) + " " +
                                                std::to_string(row.on_task_threads) + " " + std::to_string(row.joined) +
                                                " " + std::to_string(row.lost);
    }
    return rows;
  }

  using Expected = std::map<std::string, std::string>;
  Application application_;
  EventId cpu_, wall_;
};

TEST_F(CoverageTest, SamplesOnTaskThreadsAreThoseOfTheirCategory) {
  application_.profile.samples = {
      {.task = 1, .event = cpu_, .category = Category::kTask, .weight = 10, .count = 1},
      {.task = 1, .event = cpu_, .category = Category::kTaskRuntime, .weight = 20, .count = 2},
      {.task = 0, .event = cpu_, .category = Category::kTask, .weight = 30, .count = 4},
      {.task = 0, .event = cpu_, .category = Category::kIdlePool, .weight = 40, .count = 8},
      {.task = 0, .event = wall_, .category = Category::kNone, .weight = 50, .count = 16},
  };
  EXPECT_EQ(Rows(), (Expected{{"cpu", "15 100 7 3 0"}, {"wall", "16 50 0 0 0"}}));
}

TEST_F(CoverageTest, PythonsCpuIsAddedAndItsWallClockWhereNoJvmThreadWaitsForIt) {
  application_.profile.samples = {{.task = 1, .event = cpu_, .category = Category::kTask, .weight = 10, .count = 1},
                                  {.task = 1, .event = wall_, .category = Category::kTask, .weight = 90, .count = 9}};
  application_.python_samples = {{.task = 1, .event = cpu_, .weight = 5, .count = 2},
                                 {.task = 0, .event = cpu_, .weight = 7, .count = 4},
                                 {.task = 1, .event = wall_, .weight = 100, .count = 8},
                                 {.task = 0, .event = wall_, .weight = 30, .count = 3}};
  EXPECT_EQ(Rows(), (Expected{{"cpu", "7 22 3 3 0"}, {"wall", "12 120 9 9 0"}}));
}

TEST_F(CoverageTest, LossesAreThoseOfTheirEvent) {
  application_.losses = {{"cpu_samples", "busy", 3},
                         {"cpu_samples", "late", 4},
                         {"alloc_samples", "busy", 5},
                         {"spark_events", "busy", 6}};
  EXPECT_EQ(Rows(), (Expected{{"cpu", "0 0 0 0 7"}, {"alloc", "0 0 0 0 5"}}));
}

TEST_F(CoverageTest, LossesOfAnyEventAreSharedOutInProportion) {
  application_.profile.samples = {{.event = cpu_, .weight = 1, .count = 1}, {.event = wall_, .weight = 1, .count = 2}};
  application_.losses = {{"samples", "busy", 10}};
  EXPECT_EQ(Rows(), (Expected{{"cpu", "1 1 0 0 3"}, {"wall", "2 1 0 0 7"}}));
  application_.profile.samples.clear();
  EXPECT_EQ(Rows(), (Expected{})) << "nothing to share them by";
}

}  // namespace
}  // namespace sparkprof

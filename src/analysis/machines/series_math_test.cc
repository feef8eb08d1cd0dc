// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "analysis/machines/series.h"

namespace sparkprof {
namespace {

ApplicationSeries Counter(const char* name, int32_t process, std::vector<SeriesPoint> points) {
  ApplicationSeries series;
  series.name = name;
  series.process = process;
  series.kind = SeriesKind::kCounter;
  series.points = std::move(points);
  return series;
}

// A daemon, a worker and the JVM.
Application WithProcesses() {
  Application application;
  for (const char* const role : {"python_daemon", "python_worker", "jvm"}) {
    Process process;
    process.role = role;
    application.processes.push_back({process, 0});
  }
  return application;
}

TEST(SeriesMath, ACounterGrowsFromZeroAndStartsAgainAfterARestart) {
  EXPECT_EQ(Growth(Counter("x", -1, {})), 0);
  EXPECT_EQ(Growth(Counter("x", -1, {{10, 5}, {20, 5}, {30, 9}})), 9);
  EXPECT_EQ(Growth(Counter("x", -1, {{10, 5}, {20, 2}, {30, 3}})), 8);
}

TEST(SeriesMath, OnlySeriesOfTheNameAndRoleCount) {
  Application application = WithProcesses();
  application.series = {Counter("a", 2, {{1, 7}}), Counter("b", 2, {{1, 100}}), Counter("a", 1, {{1, 1000}}),
                        Counter("a", -1, {{1, 10'000}})};
  EXPECT_EQ(GrowthOf(application, "a", [](std::string_view role) { return role == "jvm"; }), 7);
  EXPECT_EQ(GrowthOf(application, "a", [](std::string_view role) { return role.empty(); }), 10'000);
}

TEST(SeriesMath, PythonsCpuIsThatOfDaemonsAndOfWorkersOrTheEndedChildrenIfMore) {
  Application application = WithProcesses();
  application.series = {Counter("process.cpu_ns", 0, {{1, 10}}), Counter("process.cpu_ns", 1, {{1, 200}}),
                        Counter("process.cpu_ns", 2, {{1, 5000}}), Counter("process.children_cpu_ns", 0, {{1, 100}})};
  EXPECT_EQ(PythonCpu(application), 210);
  application.series[3].points[0].value = 300;
  EXPECT_EQ(PythonCpu(application), 310);
  EXPECT_TRUE(HasPythonCpu(application));
  application.series.erase(application.series.begin(), application.series.begin() + 2);
  EXPECT_FALSE(HasPythonCpu(application));
}

TEST(SeriesMath, PythonsCpuBetweenTwoTimesIncludesBoth) {
  Application application = WithProcesses();
  application.series = {Counter("process.cpu_ns", 1, {{10, 1}, {20, 3}, {30, 2}, {40, 7}, {50, 20}}),
                        Counter("process.cpu_ns", 2, {{20, 1000}})};
  EXPECT_EQ(PythonCpuBetween(application, 20, 40), 2 + 5);
  EXPECT_EQ(PythonCpuBetween(application, 0, 10), 1);
  EXPECT_EQ(PythonCpuBetween(application, 41, 49), 0);
}

}  // namespace
}  // namespace sparkprof

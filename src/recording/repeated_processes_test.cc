// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "recording/application_builder.h"

namespace sparkprof {
namespace {

TEST(RepeatedProcessesTest, AnExecutorsProcessIsNotAlsoTheDrivers) {
  Application application;
  application.executors = {{.id = "driver"}, {.id = "0"}};
  const auto process = [](int64_t pid, int32_t executor) {
    return ApplicationProcess{.process = {.pid = pid}, .executor = executor};
  };
  application.processes = {process(1, 0), process(7, 0), process(8, 0), process(7, 1), process(8, 1), process(9, 1)};
  for (int32_t row = 0; row < 6; ++row) {
    application.series.push_back({.name = "process.cpu_ns", .process = row, .points = {{1, row * 1.0}}});
  }
  application.series.push_back({.name = "host.load"});
  DropRepeatedProcesses({{1, 3}, {4, 2}}, &application);
  ASSERT_EQ(application.processes.size(), 4u);
  ASSERT_EQ(application.series.size(), 5u);
  EXPECT_EQ(application.processes[0].process.pid, 1);
  for (size_t row = 1; row < 4; ++row) {
    EXPECT_EQ(application.processes[row].process.pid, static_cast<int64_t>(row) + 6);
    EXPECT_EQ(application.processes[row].executor, 1);
    EXPECT_EQ(application.series[row].process, static_cast<int32_t>(row));
    EXPECT_EQ(application.series[row].points.front().value, static_cast<double>(row) + 2) << "its own agent's";
  }
  EXPECT_EQ(application.series[4].process, -1);
}

}  // namespace
}  // namespace sparkprof

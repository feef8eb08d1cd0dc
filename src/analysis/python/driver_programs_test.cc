// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/python/driver_lines.h"

namespace sparkprof {
namespace {

constexpr double kMib = 1 << 20;

TEST(DriverPrograms, WhatTheyUsedIsSaidInWords) {
  Application application;
  EXPECT_EQ(DriverProgramsInWords(application), "");
  Process worker, program;
  worker.role = "python_worker";
  program.role = kDriverProgramRole;
  application.processes = {{worker, 0}, {program, 0}};
  const auto add = [&](const char* name, int32_t process, std::vector<SeriesPoint> points) {
    application.series.push_back({name, 0, process, SeriesKind::kGauge, std::move(points)});
  };
  add("process.rss_bytes", 0, {{1, 900 * kMib}});
  add("process.cpu_ns", 1, {{1, 5e8}, {2, 2e9}});
  add("process.rss_bytes", 1, {{1, 100 * kMib}, {2, 150 * kMib}});
  EXPECT_EQ(DriverProgramsInWords(application), "2.0 s CPU, resident memory from 100 MiB to 150 MiB");
  add("process.rss_peak_bytes", 1, {{1, 101 * kMib}, {2, 300 * kMib}});
  EXPECT_EQ(DriverProgramsInWords(application), "2.0 s CPU, resident memory from 100 MiB to 300 MiB");
}

}  // namespace
}  // namespace sparkprof

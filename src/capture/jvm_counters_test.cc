// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "capture/hsperfdata.h"
#include "capture/testing/perf_data.h"

namespace sparkprof {
namespace {

std::map<std::string, double> Series(const PerfDataBuilder& builder) {
  const std::string bytes = builder.Build();
  const auto data = ParseHsperfdata(bytes, "file");
  std::map<std::string, double> series;
  if (!data) return series;
  for (const CounterReading& reading : ReadJvmCounters(*data)) series[std::string(reading.name)] = reading.value;
  return series;
}

PerfDataBuilder TwoGenerations(std::string_view collector) {
  PerfDataBuilder builder;
  builder.Text("sun.gc.collector.0.name", collector);
  for (int generation = 0; generation < 2; ++generation) {
    const std::string prefix = "sun.gc.generation." + std::to_string(generation) + ".";
    builder.Number(prefix + "capacity", 100).Number(prefix + "maxCapacity", 1000).Number(prefix + "spaces", 2);
    builder.Number(prefix + "space.0.used", 10).Number(prefix + "space.1.used", 5);
  }
  return builder;
}

TEST(JvmCounters, HeapIsTheSumOfTheGenerations) {
  const auto series = Series(TwoGenerations("PSScavenge"));
  EXPECT_EQ(series.at("jvm.heap_used_bytes"), 30);
  EXPECT_EQ(series.at("jvm.heap_committed_bytes"), 200);
  EXPECT_EQ(series.at("jvm.heap_max_bytes"), 2000);
}

TEST(JvmCounters, TheGenerationsOfG1ShareTheirLimit) {
  EXPECT_EQ(Series(TwoGenerations("G1 young collection pauses")).at("jvm.heap_max_bytes"), 1000);
}

TEST(JvmCounters, TimesAreConvertedFromTicksAndAddedUpOverCollectors) {
  const auto series = Series(PerfDataBuilder()
                                 .Number("sun.os.hrt.frequency", 1'000'000)
                                 .Number("sun.gc.collector.0.time", 3)
                                 .Number("sun.gc.collector.1.time", 4)
                                 .Number("sun.gc.collector.0.invocations", 2)
                                 .Number("sun.gc.collector.1.invocations", 1)
                                 .Number("java.ci.totalTime", 5)
                                 .Number("sun.rt.safepointTime", 6));
  EXPECT_EQ(series.at("jvm.gc_time_ns"), 7'000);
  EXPECT_EQ(series.at("jvm.gc_count"), 3);
  EXPECT_EQ(series.at("jvm.jit_time_ns"), 5'000);
  EXPECT_EQ(series.at("jvm.safepoint_time_ns"), 6'000);
}

TEST(JvmCounters, WhatAJvmDoesNotCountIsLeftOut) {
  EXPECT_TRUE(Series(PerfDataBuilder().Number("something.else", 1)).empty());
}

}  // namespace
}  // namespace sparkprof

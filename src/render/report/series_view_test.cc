// SPDX-License-Identifier: Apache-2.0
#include "render/report/series_view.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/time.h"

namespace sparkprof {
namespace {

using Numbers = std::vector<double>;

// Points at 1, 2, 3 … s with these values.
ApplicationSeries Series(const std::string& name, SeriesKind kind, const Numbers& values) {
  ApplicationSeries series;
  series.name = name;
  series.kind = kind;
  for (const double value : values) {
    series.points.push_back({static_cast<int64_t>(series.points.size() + 1) * kNanosPerSecond, value});
  }
  return series;
}

SeriesView View(const ApplicationSeries& series, size_t most = 1000) { return ViewOf(series, kNanosPerSecond, most); }

TEST(SeriesViewTest, AGaugeKeepsItsValues) {
  const SeriesView view = View(Series("jvm.heap_used_bytes", SeriesKind::kGauge, {10, 5, 20}));
  EXPECT_EQ(view.label, "Heap used");
  EXPECT_EQ(view.unit, "bytes");
  EXPECT_EQ(view.time, (Numbers{0, 1000, 2000}));
  EXPECT_EQ(view.value, (Numbers{10, 5, 20}));
}

TEST(SeriesViewTest, ACounterBecomesARatePerSecond) {
  const SeriesView view = View(Series("jvm.gc_count", SeriesKind::kCounter, {10, 15, 15, 3, 5}));
  EXPECT_EQ(view.label, "Collections per second");
  EXPECT_EQ(view.unit, "count");
  EXPECT_EQ(view.time, (Numbers{1000, 2000, 4000}));  // none where it fell
  EXPECT_EQ(view.value, (Numbers{5, 0, 2}));
}

TEST(SeriesViewTest, ACounterOfCpuTimeBecomesCores) {
  const SeriesView view = View(Series("process.cpu_ns", SeriesKind::kCounter, {0, 2.5e9}));
  EXPECT_EQ(view.unit, "cores");
  EXPECT_EQ(view.value, (Numbers{2.5}));
  EXPECT_EQ(view.label.find("per second"), std::string::npos);
}

TEST(SeriesViewTest, ACounterOfTimeBecomesAShare) {
  const SeriesView view = View(Series("jvm.gc_time_ns", SeriesKind::kCounter, {0, 0.25e9}));
  EXPECT_EQ(view.label, "Time in GC");
  EXPECT_EQ(view.unit, "share");
  EXPECT_EQ(view.value, (Numbers{0.25}));
}

TEST(SeriesViewTest, ACollectionLongerThanAStepTakesTheStepsBefore) {
  const SeriesView view = View(Series("jvm.gc_time_ns", SeriesKind::kCounter, {0, 0.25e9, 0.25e9, 1.75e9}));
  EXPECT_EQ(view.value, (Numbers{0.25, 0.5, 1}));
  EXPECT_EQ(View(Series("jvm.gc_time_ns", SeriesKind::kCounter, {0, 3e9})).value, (Numbers{1}));
  EXPECT_EQ(View(Series("jvm.jit_time_ns", SeriesKind::kCounter, {0, 3e9})).value, (Numbers{3})) << "several threads";
}

TEST(SeriesViewTest, CpuTimesOfAHostAreSharesOfAllItsCores) {
  // Two cores; the second reading came late, so that it has 2.6 s of CPU time for one second of the clock.
  const std::vector<ApplicationSeries> all = {Series("host.cpu_user_ns", SeriesKind::kCounter, {0, 2.6e9, 3.3e9}),
                                              Series("host.cpu_idle_ns", SeriesKind::kCounter, {0, 0, 0.7e9})};
  const SeriesView user = ViewOf(all[0], kNanosPerSecond, 1000, all);
  EXPECT_EQ(user.unit, "share");
  EXPECT_EQ(user.value, (Numbers{1, 0.5}));
  EXPECT_EQ(ViewOf(all[1], kNanosPerSecond, 1000, all).value, (Numbers{0, 0.5}));
}

TEST(SeriesViewTest, APressureNeverExceedsTheClock) {
  const SeriesView view = View(Series("host.pressure_cpu_some_ns", SeriesKind::kCounter, {0, 0.5e9, 1.75e9}));
  EXPECT_EQ(view.value, (Numbers{0.75, 1}));
}

TEST(SeriesViewTest, AGaugeOfTimeStaysATime) {
  const SeriesView view = View(Series("sampler.cpu_interval_ns", SeriesKind::kGauge, {10e6, 20e6}));
  EXPECT_EQ(view.unit, "ns");
  EXPECT_EQ(view.value, (Numbers{10e6, 20e6}));
}

TEST(SeriesViewTest, ACounterOfBytesIsBytesPerSecond) {
  const SeriesView view = View(Series("io.read_bytes", SeriesKind::kCounter, {0, 300}));
  EXPECT_EQ(view.unit, "bytes");
  EXPECT_EQ(view.value, (Numbers{300}));
  EXPECT_TRUE(view.label.ends_with(" per second")) << view.label;
}

TEST(SeriesViewTest, LoadsAndPercentagesAreSharesAndCores) {
  const SeriesView load = View(Series("host.cpu_load", SeriesKind::kGauge, {0.5}));
  EXPECT_EQ(load.unit, "share");
  EXPECT_EQ(load.value, (Numbers{0.5}));
  const SeriesView percent = View(Series("process.cpu_percent", SeriesKind::kGauge, {150}));
  EXPECT_EQ(percent.unit, "cores");
  EXPECT_EQ(percent.value, (Numbers{1.5}));
  EXPECT_EQ(View(Series("a.new_series", SeriesKind::kGauge, {1})).label, "a.new_series");
  EXPECT_EQ(View(Series("a.new_series", SeriesKind::kGauge, {1})).unit, "count");
}

TEST(SeriesViewTest, ThinnedGaugesKeepTheirLargestValues) {
  const ApplicationSeries series = Series("jvm.heap_used_bytes", SeriesKind::kGauge, {1, 9, 3, 4, 8, 6, 7});
  EXPECT_EQ(View(series, 7).value.size(), 7u);
  const SeriesView view = View(series, 3);
  EXPECT_EQ(view.time, (Numbers{2000, 5000, 6000}));
  EXPECT_EQ(view.value, (Numbers{9, 8, 7}));
}

TEST(SeriesViewTest, ThinnedRatesKeepTheirMean) {
  const SeriesView view = View(Series("jvm.gc_count", SeriesKind::kCounter, {0, 1, 4, 9, 16, 25}), 3);
  EXPECT_EQ(view.time, (Numbers{2000, 4000, 5000}));
  EXPECT_EQ(view.value, (Numbers{2, 6, 9}));
}

TEST(SeriesViewTest, PointsAtTheSameTimeHaveNoRate) {
  ApplicationSeries series = Series("jvm.gc_count", SeriesKind::kCounter, {1, 2, 3});
  series.points[1].time_ns = series.points[0].time_ns;
  EXPECT_EQ(View(series).value, (Numbers{0.5}));
}

}  // namespace
}  // namespace sparkprof

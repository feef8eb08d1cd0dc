// SPDX-License-Identifier: Apache-2.0
#include "catalogue/catalogue_entry.h"

#include <gtest/gtest.h>

#include <map>

#include "analysis/testing/application_builder.h"
#include "catalogue/testing/example_entries.h"

namespace sparkprof {
namespace {

CatalogueEntry EntryOf(const Application& application, const EntryOptions& options = {}) {
  return MakeCatalogueEntry(application, Answer(application), options);
}

// Sums of one event by stack, in all hours.
std::map<std::string, std::pair<int64_t, int64_t>> TotalsOf(const CatalogueEntry& entry, std::string_view event) {
  Profile profile = entry.stacks;
  for (const StackTotal& total : entry.totals) {
    if (profile.events[total.event].name != event) continue;
    profile.samples.push_back({.stack = total.stack, .weight = total.weight, .count = total.count});
  }
  return StacksOf(profile);
}

TEST(CatalogueEntryTest, HasTheApplicationsOwnNumbers) {
  Application application = ExampleApplication();
  application.user = "alice";
  const CatalogueEntry entry = EntryOf(application, {.location = "file:///a.sprof", .version = "v1"});
  EXPECT_EQ(entry.application.key, (ApplicationKey{"app-1", "1"}));
  EXPECT_EQ(entry.application.name, "example");
  EXPECT_EQ(entry.application.user, "alice");
  EXPECT_EQ(entry.application.group, "example");
  EXPECT_EQ(entry.application.start_ns, ApplicationBuilder::kStart);
  EXPECT_EQ(entry.application.end_ns, ApplicationBuilder::kStart + ApplicationBuilder::kDuration);
  EXPECT_EQ(entry.application.tasks, 4);
  EXPECT_EQ(entry.application.cpu_ns, 2'500'000'000);  // CPU time of the Python worker's process
  EXPECT_EQ(entry.application.findings, static_cast<int64_t>(entry.findings.size()));
  EXPECT_EQ(entry.application.top_finding, entry.findings.empty() ? "" : entry.findings.front().title);
  EXPECT_EQ(entry.application.location, "file:///a.sprof");
  EXPECT_EQ(entry.application.version, "v1");
  ASSERT_EQ(entry.stages.size(), 3u);
  EXPECT_EQ(entry.stages[2].stage, 1);
  EXPECT_EQ(entry.stages[2].attempt, 1);
  EXPECT_EQ(entry.stages[1].run_ns, 20'000'000'000);
  EXPECT_EQ(entry.stages[1].cpu_ns, 15'000'000'000);
  ASSERT_EQ(entry.executors.size(), 2u);
  EXPECT_EQ(entry.executors[1].cores, 2);
}

TEST(CatalogueEntryTest, CpuIsThatOfSamplesOrTasksWhereProcessesAreNotCounted) {
  Application application = ExampleApplication();
  application.series.clear();
  EXPECT_EQ(EntryOf(application).application.cpu_ns, 127'000);
  application.profile.samples.clear();
  EXPECT_EQ(EntryOf(application).application.cpu_ns, 22'000'000'000);
}

TEST(CatalogueEntryTest, WhatWasNotMeasuredIsUnknownAndNotZero) {
  Application profile;
  profile.is_foreign = true;
  const EventId cpu = profile.profile.AddEvent("cpu", "count");
  profile.profile.samples.push_back({.event = cpu, .weight = 203, .count = 203});
  Application node;
  node.is_node = true;
  for (const Application& application : {profile, node}) {
    const ApplicationRow row = EntryOf(application).application;
    EXPECT_EQ(row.tasks, kUnknownTotal);
    EXPECT_EQ(row.cpu_ns, kUnknownTotal);
    EXPECT_EQ(row.findings, kUnknownTotal);
    EXPECT_EQ(row.saving_ns, kUnknownTotal);
    EXPECT_EQ(row.is_node, application.is_node);
  }
  std::string summary;
  for (const std::string& line : Answer(profile).lines) summary += line + "\n";
  EXPECT_NE(summary.find("203 samples; their time is unknown"), std::string::npos) << summary;
}

TEST(CatalogueEntryTest, StatusIsThatOfTheEndAndOfTheLastJob) {
  Application application = ExampleApplication();
  const auto status = [&](bool is_live) { return EntryOf(application, {.is_live = is_live}).application.status; };
  EXPECT_EQ(status(false), ApplicationStatus::kFinished);
  EXPECT_EQ(status(true), ApplicationStatus::kFinished);
  application.jobs[0].status = RunStatus::kFailed;  // a job after it succeeded
  EXPECT_EQ(status(false), ApplicationStatus::kFinished);
  application.jobs[1].status = RunStatus::kFailed;
  EXPECT_EQ(status(false), ApplicationStatus::kFailed);
  application.ended = false;
  EXPECT_EQ(status(false), ApplicationStatus::kIncomplete);
  EXPECT_EQ(status(true), ApplicationStatus::kRunning);
}

TEST(CatalogueEntryTest, TheLabelIsTheGroup) {
  Application application = ExampleApplication();
  application.settings.push_back({"label", " nightly "});
  EXPECT_EQ(EntryOf(application).application.group, "nightly");
  application.settings.back().value = " ";
  application.name.clear();
  EXPECT_EQ(EntryOf(application).application.group, "app-1");
}

TEST(CatalogueEntryTest, TheVersionIsTheSettingOrTheImage) {
  Application application = ExampleApplication();
  application.spark_version = "4.1.1";
  application.environment = {{"Spark", {{"spark.kubernetes.container.image", "registry/etl:7"}}}};
  EXPECT_EQ(EntryOf(application).application.job_version, "registry/etl:7");
  EXPECT_EQ(EntryOf(application).application.spark_version, "4.1.1");
  application.environment[0].second.emplace_back("spark.sparkprof.version", "a1b2c3");
  EXPECT_EQ(EntryOf(application).application.job_version, "a1b2c3");
  application.settings.push_back({"version", " 1.4 "});
  EXPECT_EQ(EntryOf(application).application.job_version, "1.4");
  application.settings.clear();
  application.environment.clear();
  EXPECT_EQ(EntryOf(application).application.job_version, "");
}

TEST(CatalogueEntryTest, MaximaAreByHourAndInTheUnitsOfCharts) {
  Application application = ExampleApplication();
  const int64_t hour_ns = ApplicationBuilder::kStart / kTestHour * kTestHour;
  application.series.push_back({"jvm.heap_used_bytes",
                                0,
                                -1,
                                SeriesKind::kGauge,
                                {{hour_ns, 5}, {hour_ns + kTestHour - 1'000'000, 7}, {hour_ns + kTestHour, 6}}});
  application.series.push_back({"jvm.heap_used_bytes", 1, -1, SeriesKind::kGauge, {{hour_ns + 1, 6}}});
  application.series.push_back({"jvm.pool.eden.used_bytes", 1, -1, SeriesKind::kGauge, {{hour_ns + 1, 6}}});
  // 0.5 s of CPU in the first second, 2 s in the next two.
  EXPECT_EQ(EntryOf(application).maxima, (std::vector<SeriesMaximum>{{"jvm.heap_used_bytes", hour_ns, 7},
                                                                     {"jvm.heap_used_bytes", hour_ns + kTestHour, 6},
                                                                     {"process.cpu_ns", hour_ns, 1}}));
}

TEST(CatalogueEntryTest, TotalsAreTheSamplesByHourWithoutLines) {
  ApplicationBuilder builder;
  const StackId one = builder.AddStack({builder.AddFrame("main", FrameKind::kJit, "A.java", 1)});
  const StackId two = builder.AddStack({builder.AddFrame("main", FrameKind::kJit, "A.java", 2)});
  const StackId interpreted = builder.AddStack({builder.AddFrame("main", FrameKind::kInterpreted, "A.java", 2)});
  builder.AddSample(Event::kCpu, 0, 0, kNoTask, one, 1, 1);
  builder.AddSample(Event::kCpu, 1, 0, kNoTask, two, 2, 1);
  builder.AddSample(Event::kCpu, 3'600, 0, kNoTask, two, 4, 1);
  builder.AddSample(Event::kCpu, 0, 0, kNoTask, interpreted, 8, 1);
  builder.AddSample(Event::kAlloc, 0, 0, kNoTask, one, 16, 3);
  builder.AddSample(Event::kCpu, 0, 0, kNoTask, one, 32, 1).time_ns = kNoTime;
  const CatalogueEntry entry = EntryOf(builder.application());
  std::vector<std::pair<int64_t, int64_t>> totals;  // hours since the start, weight
  for (const StackTotal& total : entry.totals) {
    totals.emplace_back(total.hour_ns / kTestHour - ApplicationBuilder::kStart / kTestHour, total.weight);
    EXPECT_EQ(total.hour_ns % kTestHour, 0);
  }
  std::sort(totals.begin(), totals.end());
  EXPECT_EQ(totals, (std::vector<std::pair<int64_t, int64_t>>{{0, 8}, {0, 16}, {0, 35}, {1, 4}}));
  EXPECT_EQ(TotalsOf(entry, "alloc"), (std::map<std::string, std::pair<int64_t, int64_t>>{{"main", {16, 3}}}));
}

TEST(CatalogueEntryTest, RareStacksAreAddedUpAndNothingIsLost) {
  ApplicationBuilder builder;
  const StackId hot = builder.AddStack({"main", "hot"});
  builder.AddSample(Event::kCpu, 0, 0, kNoTask, hot, 100'000, 100);
  for (int i = 0; i < 10; ++i) {
    const std::string leaf = "leaf" + std::to_string(i);
    builder.AddSample(Event::kCpu, 0, 0, kNoTask, builder.AddStack({"main", "warm", leaf, "deep"}), 4, 1);
  }
  // Rare in one event, not in another.
  builder.AddSample(Event::kAlloc, 0, 0, kNoTask, builder.AddStack({"main", "warm", "leaf0", "deep"}), 9, 2);
  const CatalogueEntry entry = EntryOf(builder.application(), {.rare_share = 1.0 / 10'000});
  EXPECT_EQ(TotalsOf(entry, "cpu"), (std::map<std::string, std::pair<int64_t, int64_t>>{
                                        {"main;hot", {100'000, 100}}, {"main;warm;[rare stacks]", {40, 10}}}));
  EXPECT_EQ(TotalsOf(entry, "alloc"),
            (std::map<std::string, std::pair<int64_t, int64_t>>{{"main;warm;leaf0;deep", {9, 2}}}));
}

}  // namespace
}  // namespace sparkprof

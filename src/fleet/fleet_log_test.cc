// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet_log.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

std::vector<FleetLog> Group(std::vector<StoredFile> files) {
  StorageListing listing;
  listing.files = std::move(files);
  std::vector<FleetLog> logs = GroupFleetLogs("/logs", listing, [](std::string_view) { return ApplicationStart(); });
  std::sort(logs.begin(), logs.end(), [](const FleetLog& a, const FleetLog& b) { return a.source < b.source; });
  return logs;
}

TEST(FleetLogTest, ARolledLogIsOne) {
  const std::vector<FleetLog> logs = Group({{"/logs/eventlog_v2_app-1/appstatus_app-1.inprogress", 0, 5},
                                            {"/logs/eventlog_v2_app-1/events_1_app-1", 10, 6},
                                            {"/logs/eventlog_v2_app-1/events_2_app-1", 20, 7},
                                            {"/logs/app-2", 30, 8}});
  ASSERT_EQ(logs.size(), 2u);
  EXPECT_EQ(logs[0].source, "/logs/app-2");
  EXPECT_EQ(logs[1].source, "/logs/eventlog_v2_app-1");
  EXPECT_EQ(logs[1].files.size(), 2u);
  EXPECT_EQ(logs[1].Bytes(), 30);
  EXPECT_TRUE(logs[1].in_progress);
}

TEST(FleetLogTest, FilesBesideLogsAreLeftOut) {
  EXPECT_TRUE(Group({{"/logs/.app-1.crc", 8, 1},
                     {"/logs/_SUCCESS", 0, 1},
                     {"/logs/out/_sparkprof/manifest.jsonl", 8, 1},
                     {"/logs/out/stages/2026-11-25-000001.parquet", 8, 1}})
                  .empty());
}

TEST(FleetLogTest, OfTwoLogsOfAnAttemptTheCompleteOneIsRead) {
  const std::vector<FleetLog> logs = Group({{"/logs/app-1", 10, 1}, {"/logs/app-1.inprogress", 20, 2}});
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_EQ(logs[0].source, "/logs/app-1");
}

TEST(FleetLogTest, ALogThatGrowsHasAnotherVersion) {
  FleetLog log{.source = "/logs/app-1", .files = {{"/logs/app-1", 10, 1}}};
  const std::string before = log.Version();
  log.files[0].size = 11;
  EXPECT_NE(log.Version(), before);
}

TEST(FleetLogTest, IsTheSameAfterItsText) {
  const FleetLog log{"/logs/\"a\"", "/logs", {{"/logs/\"a\"", 10, 1'700'000'000'000'000'001}}, true, "app-1", "2"};
  const Result<FleetLog> parsed = ParseFleetLog(FormatFleetLog(log));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(FormatFleetLog(*parsed), FormatFleetLog(log));
  EXPECT_EQ(parsed->files, log.files);
}

TEST(FleetLogTest, OtherTextIsAnError) {
  for (const char* const text :
       {"", "{}", "[]", R"({"source":"a","root":"","inProgress":false,"id":"","attempt":"","files":[]})"})
    EXPECT_FALSE(ParseFleetLog(text)) << text;
}

}  // namespace
}  // namespace sparkprof

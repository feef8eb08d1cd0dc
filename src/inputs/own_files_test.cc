// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "inputs/content_kind.h"

namespace sparkprof {
namespace {

TEST(OwnFilesTest, FilesBesideRecordingsAreKnownByNameAndContent) {
  EXPECT_TRUE(IsOwnFile("out/report.html", "<!doctype html>\n<title>sparkprof report</title>"));
  EXPECT_TRUE(IsOwnFile("out/flame.svg", "<?xml version=\"1.0\"?><svg><desc>Flame graph by sparkprof."));
  EXPECT_TRUE(IsOwnFile("out/summary.json", R"({"applications":[],"counts":{"jobs":4}})"));
  EXPECT_TRUE(IsOwnFile("suite/summary.json", R"({"suite":"t","status":"passed"})"));
  EXPECT_TRUE(IsOwnFile("data/runs/1/run.json", R"({"id":1,"suiteName":"t"})"));
  EXPECT_TRUE(IsOwnFile("runs/etl.auto.json", R"({"group":"etl","own":{},"versions":[]})"));
  EXPECT_TRUE(IsOwnFile("data/lock", ""));
  EXPECT_TRUE(IsOwnFile("spool/monitor-h.lock", "4711\n"));
  EXPECT_TRUE(IsOwnFile("data/catalogue.duckdb.wal", "x"));
  EXPECT_TRUE(IsOwnFile("suite/s/1/output.log", ""));
}

TEST(OwnFilesTest, FilesOfOthersWithTheSameNamesAreNot) {
  EXPECT_FALSE(IsOwnFile("out/report.html", "<!doctype html><title>Flame Graph</title>"));
  EXPECT_FALSE(IsOwnFile("out/flame.svg", "<?xml version=\"1.0\"?><svg>"));
  EXPECT_FALSE(IsOwnFile("out/summary.json", R"({"total":3})"));
  EXPECT_FALSE(IsOwnFile("suite/s/1/output.log", "24/01/15 11:59:52 INFO SparkContext: x"));
  EXPECT_FALSE(IsOwnFile("app.log", ""));
}

}  // namespace
}  // namespace sparkprof

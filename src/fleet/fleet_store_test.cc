// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/testing/folder_test.h"
#include "catalogue/duckdb/duckdb_scratch.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

class FleetStoreTest : public FolderTest {
 protected:
  void SetUp() override {
    if (const auto library = LoadDuckdb(); !library) GTEST_SKIP() << library.error().message;
  }

  FleetStore Open(FleetLayout layout = FleetLayout::kFlat) {
    Result<FleetStore> store = FleetStore::Open(folder_, layout);
    if (!store) throw std::runtime_error(store.error().message);
    return std::move(*store);
  }

  static std::string Row(const std::string& source, const std::string& id, int duration = 1) {
    return "applications\t{\"date\":\"2026-11-25\",\"id\":\"" + id + "\",\"source\":\"" + source +
           "\",\"durationMs\":" + std::to_string(duration) + "}\n";
  }

  // "app-1 1, app-2 1": IDs and durations in the files that the glob of the contract finds.
  std::string Rows(const std::string& pattern = "/applications/*.parquet") {
    Result<ScratchDatabase> database = ScratchDatabase::Open();
    const auto rows =
        database->Texts("SELECT coalesce(string_agg(id || ' ' || \"durationMs\", ', ' ORDER BY id), '') FROM '" +
                        folder_ + pattern + "'");
    return rows ? rows->front() : rows.error().message;
  }
};

TEST_F(FleetStoreTest, KeepsRowsAndKnowsItsLogs) {
  {
    FleetStore store = Open();
    ASSERT_TRUE(store.Add({"/logs/a", "1"}, Row("/logs/a", "app-1")));
    ASSERT_TRUE(store.Finish());
  }
  FleetStore store = Open();
  EXPECT_TRUE(store.IsUnchanged("/logs/a", "1", ""));
  EXPECT_FALSE(store.IsUnchanged("/logs/a", "2", ""));
  ASSERT_TRUE(store.Add({"/logs/b", "1"}, Row("/logs/b", "app-2")));
  ASSERT_TRUE(store.Finish());
  EXPECT_EQ(Rows(), "app-1 1, app-2 1");
  EXPECT_TRUE(fs::exists(Path("failures/no-rows.parquet")));
}

TEST_F(FleetStoreTest, RowsOfALogThatGrewAreReplaced) {
  FleetStore store = Open();
  ASSERT_TRUE(store.Add({"/logs/a.inprogress", "1"}, Row("/logs/a.inprogress", "app-1", 1)));
  ASSERT_TRUE(store.Add({"/logs/b", "1"}, Row("/logs/b", "app-2")));
  ASSERT_TRUE(store.Commit());
  ASSERT_TRUE(store.Add({"/logs/a.inprogress", "2"}, Row("/logs/a.inprogress", "app-1", 2)));
  ASSERT_TRUE(store.Commit());
  EXPECT_EQ(Rows(), "app-1 2, app-2 1");
  ASSERT_TRUE(store.Add({"/logs/a", "3"}, Row("/logs/a", "app-1", 3)));
  ASSERT_TRUE(store.Commit());
  EXPECT_EQ(Rows(), "app-1 3, app-2 1");
}

TEST_F(FleetStoreTest, WhatWasNotCommittedIsRemoved) {
  {
    FleetStore store = Open();
    ASSERT_TRUE(store.Add({"/logs/a", "1"}, Row("/logs/a", "app-1")));
    ASSERT_TRUE(store.Commit());
    ASSERT_TRUE(store.Add({"/logs/b", "1"}, Row("/logs/b", "app-2")));
  }
  // A process that is killed between moving its files and writing the manifest leaves this.
  fs::copy_file(Path("applications/2026-11-25-000001.parquet"), Path("applications/2026-11-25-000002.parquet"));
  FILE* const manifest = std::fopen(Path("_sparkprof/manifest.jsonl").c_str(), "a");
  std::fputs("{\"batch\":2,\"add\":[{\"path\":\"applica", manifest);
  std::fclose(manifest);
  FleetStore store = Open();
  EXPECT_EQ(Rows(), "app-1 1");
  EXPECT_FALSE(store.IsUnchanged("/logs/b", "1", ""));
  ASSERT_TRUE(store.Add({"/logs/b", "1"}, Row("/logs/b", "app-2")));
  ASSERT_TRUE(store.Finish());
  EXPECT_EQ(Rows(), "app-1 1, app-2 1");
}

TEST_F(FleetStoreTest, PartitionsByDateForHive) {
  FleetStore store = Open(FleetLayout::kHive);
  ASSERT_TRUE(store.Add({"/logs/a", "1"}, Row("/logs/a", "app-1")));
  ASSERT_TRUE(store.Finish());
  EXPECT_EQ(Rows("/applications/date=2026-11-25/*.parquet"), "app-1 1");
}

TEST_F(FleetStoreTest, AFilteredLogIsReadAgainByAnotherFilter) {
  FleetStore store = Open();
  ASSERT_TRUE(store.Add({"/logs/a", "1", "user ana"}, ""));
  ASSERT_TRUE(store.Commit());
  EXPECT_TRUE(store.IsUnchanged("/logs/a", "1", "user ana"));
  EXPECT_FALSE(store.IsUnchanged("/logs/a", "1", ""));
}

TEST_F(FleetStoreTest, OneProcessAtATimeAndNoForeignFolder) {
  const FleetStore store = Open();
  const Result<FleetStore> second = FleetStore::Open(folder_, FleetLayout::kFlat);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another sparkprof"), std::string::npos) << second.error().message;
  const std::string foreign = testing::TempDir() + "fleet_foreign-" + std::to_string(getpid());
  fs::create_directories(foreign + "/x");
  EXPECT_FALSE(FleetStore::Open(foreign, FleetLayout::kFlat));
  fs::remove_all(foreign);
}

}  // namespace
}  // namespace sparkprof

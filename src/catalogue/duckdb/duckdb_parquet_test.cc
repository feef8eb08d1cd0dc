// SPDX-License-Identifier: Apache-2.0
#include "catalogue/duckdb/duckdb_parquet.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/io/file.h"
#include "catalogue/duckdb/duckdb_library.h"

namespace sparkprof {
namespace {

class DuckdbParquetTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto library = LoadDuckdb(); !library) GTEST_SKIP() << library.error().message;
  }
};

TEST_F(DuckdbParquetTest, WritesRowsAndLeavesDamagedLinesOut) {
  const std::string path = testing::TempDir() + "it's rows.jsonl";
  ASSERT_TRUE(WriteFile(path, "{\"pid\":1,\"type\":\"jvm\"}\n{\"pid\":2,\"ty\n{\"pid\":3}\n"));
  const Result<std::string> parquet =
      JsonLinesToParquet(path, {{"pid", ParquetType::kReal}, {"type", ParquetType::kText}});
  ASSERT_TRUE(parquet) << parquet.error().message;
  EXPECT_TRUE(parquet->starts_with("PAR1") && parquet->ends_with("PAR1"));
}

TEST_F(DuckdbParquetTest, APathStandsForItself) {
  namespace fs = std::filesystem;
  const std::string top = testing::TempDir() + "patterns-" + std::to_string(getpid());
  // Each name would match the first folder as a pattern.
  for (const char* const name : {"data1", "data*", "data?", "data[1]", "{data1,x}", "da\\ta"}) {
    fs::create_directories(top + "/" + name);
    const std::string path = top + "/" + name + "/rows.jsonl";
    ASSERT_TRUE(WriteFile(path, fmt::format("{{\"folder\":\"in {}\"}}\n", name == std::string("da\\ta") ? "x" : name)));
    const Result<std::string> parquet = JsonLinesToParquet(path, {{"folder", ParquetType::kText}});
    ASSERT_TRUE(parquet) << name << ": " << parquet.error().message;
    EXPECT_EQ(parquet->find("in data1") != std::string::npos, name == std::string("data1")) << name;
  }
  fs::remove_all(top);
}

TEST_F(DuckdbParquetTest, NamesAFileThatIsMissing) {
  const Result<std::string> parquet = JsonLinesToParquet("/does/not/exist.jsonl", {{"pid", ParquetType::kReal}});
  ASSERT_FALSE(parquet);
  EXPECT_NE(parquet.error().message.find("/does/not/exist"), std::string::npos) << parquet.error().message;
}

TEST_F(DuckdbParquetTest, WritesTablesWithTheirTypes) {
  using enum ColumnType;
  const Table table{
      .name = "tasks",
      .rows = 2,
      .columns = {
          {"inputMetrics.bytesRead", "", kBytes, Visibility::kHidden,
           [](size_t row) { return row == 0 ? Cell(int64_t{1} << 60) : Cell(); }},
          {"launchTime", "", kTime, Visibility::kHidden, [](size_t) { return Cell(int64_t{1'700'000'000'000}); }},
          {"status", "", kText, Visibility::kShown, [](size_t) { return Cell(std::string_view("a\"b")); }},
      }};
  const Result<std::string> parquet = TableToParquet(table);
  ASSERT_TRUE(parquet) << parquet.error().message;
  EXPECT_TRUE(parquet->starts_with("PAR1") && parquet->ends_with("PAR1"));
  EXPECT_NE(parquet->find("inputMetrics.bytesRead"), std::string::npos);
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "catalogue/duckdb/duckdb_parquet.h"

#include <gtest/gtest.h>

#include "base/file.h"
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
  const Result<std::string> parquet = JsonLinesToParquet(path, {{"pid", false}, {"type", true}});
  ASSERT_TRUE(parquet) << parquet.error().message;
  EXPECT_TRUE(parquet->starts_with("PAR1") && parquet->ends_with("PAR1"));
}

TEST_F(DuckdbParquetTest, NamesAFileThatIsMissing) {
  const Result<std::string> parquet = JsonLinesToParquet("/does/not/exist.jsonl", {{"pid", false}});
  ASSERT_FALSE(parquet);
  EXPECT_NE(parquet.error().message.find("/does/not/exist"), std::string::npos) << parquet.error().message;
}

}  // namespace
}  // namespace sparkprof

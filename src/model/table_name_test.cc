// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "model/query_text.h"

namespace sparkprof {
namespace {

TEST(TableNameTest, HasThePartsThatSparkQuotes) {
  EXPECT_EQ(TableNameIn("false, Parquet, Append, `spark_catalog`.`default`.`sales`, org.apache.Index"),
            "spark_catalog.default.sales");
  EXPECT_EQ(TableNameIn("file:/w/a`b, `default`.`sales`"), "default.sales");
}

TEST(TableNameTest, ATextWithoutATableHasNone) {
  for (const char* const text : {"", "`", "a`.`", "`.`", "`a`", "file:/w/a", "`a`.`b"}) {
    EXPECT_EQ(TableNameIn(text), "") << text;
  }
}

}  // namespace
}  // namespace sparkprof

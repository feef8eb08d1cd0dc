// SPDX-License-Identifier: Apache-2.0
#include "libraries/libraries.h"

#include <gtest/gtest.h>

#include "base/text/text.h"

namespace sparkprof {
namespace {

TEST(LibrariesTest, EveryLineOfTheTablesIsKnownAndComplete) {
  for (const std::string_view line : Split(kLibraryTables, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> fields = Split(line, '\t');
    const bool is_operation = fields[0] == "operation";
    const bool is_known =
        fields[0] == "library" || fields[0] == "code" || fields[0] == "cache" || fields[0] == "change";
    EXPECT_TRUE(is_operation || is_known) << line;
    EXPECT_TRUE(fields.size() == 2 || (is_operation && (fields.size() == 3 || fields.size() == 4))) << line;
    for (const std::string_view field : fields) EXPECT_FALSE(field.empty()) << line;
    EXPECT_TRUE(!is_operation || IsOfLibrary(fields[1])) << line;
  }
}

TEST(LibrariesTest, ACallStackHasTheOperationOfItsLibrary) {
  const auto call = LibraryCallIn(
      "org.apache.spark.sql.Dataset.collect(Dataset.scala:1502)\n"
      "org.apache.spark.sql.delta.Snapshot.$anonfun$computedState$1(Snapshot.scala:180)\n"
      "io.delta.tables.DeltaMergeBuilder.execute(DeltaMergeBuilder.scala:253)\n"
      "py4j.Gateway.invoke(Gateway.java:282)");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->library, "Delta Lake");
  EXPECT_EQ(call->operation, "the state of a table, computed after each commit");
  EXPECT_EQ(call->partitions, "spark.databricks.delta.snapshotPartitions");
}

TEST(LibrariesTest, AnOperationSaysWhatMakesItShorter) {
  EXPECT_TRUE(ChangeOfOperation("Deequ", "profiling columns").starts_with("Profile only the columns"));
  EXPECT_EQ(ChangeOfOperation("Delta Lake", "the state of a table, computed after each commit"), "");
  EXPECT_EQ(ChangeOfOperation("Spark ML", "ALS.fit"), "");
}

TEST(LibrariesTest, AnUnknownOperationIsTheOutermostCallOfTheLibrary) {
  const auto call = LibraryCallIn(
      "org.apache.spark.rdd.RDD.count(RDD.scala:1295)\n"
      "org.apache.spark.ml.recommendation.ALS$.train(ALS.scala:1016)\n"
      "org.apache.spark.ml.recommendation.ALS.$anonfun$fit$1(ALS.scala:711)\n"
      "com.example.Train$.main(Train.scala:12)");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->library, "Spark ML");
  EXPECT_EQ(call->operation, "ALS.fit");
  EXPECT_TRUE(call->partitions.empty());
}

TEST(LibrariesTest, WhatALibraryCachesForItselfHasItsName) {
  EXPECT_TRUE(IsCacheOfLibrary("Delta Table State #3 - file:/data/_delta_log"));
  EXPECT_FALSE(IsCacheOfLibrary("In-memory table sales"));
}

TEST(LibrariesTest, AProgramOfItsOwnHasNone) {
  EXPECT_FALSE(LibraryCallIn("org.apache.spark.rdd.RDD.count(RDD.scala:1295)\ncom.example.Job.main(Job.scala:3)"));
  EXPECT_FALSE(LibraryCallIn(""));
}

}  // namespace
}  // namespace sparkprof

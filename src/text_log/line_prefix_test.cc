// SPDX-License-Identifier: Apache-2.0
#include "text_log/line_prefix.h"

#include <gtest/gtest.h>

#include <string>

#include "base/time.h"

namespace sparkprof {
namespace {

constexpr const char* kLine = "24/01/15 12:00:00 INFO SparkContext: Running Spark version 3.5.1";

// The rest of the line after the prefix's time, "-" for none.
std::string Removed(LinePrefix* prefix, const std::string& line) {
  LogTime time;
  const std::string rest(prefix->Remove(line, &time));
  return (time.size == 0 ? "-" : FormatTimestamp(time.time_ns)) + " " + rest;
}

TEST(LinePrefixTest, PrefixesOfCollectorsAreRemovedFromAllLines) {
  struct Example {
    const char* prefix;
    const char* time;
  };
  for (const Example& example : {
           Example{"2024-01-15T11:59:52.1Z ", "2024-01-15T11:59:52.100Z"},
           Example{"[pod/etl-driver/spark-kubernetes-driver] ", "-"},
           Example{"[pod/etl-driver/spark-kubernetes-driver] 2024-01-15T11:59:52.1Z ", "2024-01-15T11:59:52.100Z"},
           Example{"etl-1a2b-driver spark-kubernetes-driver ", "-"},
           Example{"spark-1  | ", "-"},
           Example{"[2024-01-15T11:59:52.123+0000] {spark_submit.py:492} INFO - ", "2024-01-15T11:59:52.123Z"},
           Example{"[2024-01-15, 11:59:52 UTC] {subprocess.py:93} INFO - ", "2024-01-15T11:59:52.000Z"},
           Example{"Jan 15 11:59:52 host-1 spark-submit[12]: ", "1972-01-15T11:59:52.000Z"},
           Example{"<14>Jan  5 11:59:52 host-1 spark: ", "1972-01-05T11:59:52.000Z"},
           Example{"<14>1 2024-01-15T11:59:52Z host-1 spark 12 - - ", "2024-01-15T11:59:52.000Z"},
           Example{"<14>1 2024-01-15T11:59:52Z host-1 spark 12 - [id x=\"y\"] ", "2024-01-15T11:59:52.000Z"},
           Example{"2024-01-15T11:59:52+0000 host-1 spark-submit[12]: ", "2024-01-15T11:59:52.000Z"},
       }) {
    LinePrefix prefix;
    const std::string text = example.prefix;
    const std::string time = std::string(example.time) + " ";
    EXPECT_EQ(Removed(&prefix, text + kLine), time + kLine);
    EXPECT_EQ(Removed(&prefix, text + "\tat java.lang.Thread.run(Thread.java:840)"),
              time + "\tat java.lang.Thread.run(Thread.java:840)");
  }
}

TEST(LinePrefixTest, ALogsOwnLinesStay) {
  LinePrefix prefix;
  for (const char* const line :
       {kLine, "", "\tat java.lang.Thread.run(Thread.java:840)", "[2024-01-15 11:59:52,123] {job.py:12} ERROR - failed",
        "2024-01-15T11:59:52Z INFO SparkContext: Running", "Caused by: 24/01/15 12:00:00 INFO SparkContext: x",
        "[Stage 0:>    (0 + 3) / 3]", "first-word second-word third", "<14>", "<14>1 2024-01-15T11:59:52Z host",
        "Jan 15 11:59:52 host", "[pod/etl-driver", "name  | text"}) {
    EXPECT_EQ(Removed(&prefix, line), "- " + std::string(line));
  }
}

TEST(LinePrefixTest, LongRepetitionsEnd) {
  std::string line;
  for (int i = 0; i < 100'000; ++i) line += "a-b c ";
  LinePrefix prefix;
  EXPECT_EQ(Removed(&prefix, line), "- " + line);
}

}  // namespace
}  // namespace sparkprof

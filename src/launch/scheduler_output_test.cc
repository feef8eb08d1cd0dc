// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launch/spark_submit.h"

namespace sparkprof {
namespace {

TEST(SchedulerOutputTest, LinesThatAirflowReads) {
  for (const char* line :
       {"Submitted application application_1486558679801_1820", "sparkprof: recording: /runs/application_1_2/x",
        "	 pod name: spark-pi-edf2ace37be7353a958b38733a12f8e6-driver", "submission ID spark:spark-pi-1-driver",
        "	 labels: spark-app-selector -> spark-465b868ada474bda82ccb84ab2747fcd, spark-role -> driver",
        "	 Exit code: 999", "exit code: 0", "Submission successfully created as driver-20171128111415-0001",
        "Exception in thread \"main\" java.lang.Error"}) {
    EXPECT_TRUE(IsReadByScheduler(line)) << line;
  }
}

TEST(SchedulerOutputTest, OtherLinesPass) {
  for (const char* line :
       {"", "sparkprof: report: /runs/sparkprof-20261125-221000/report.html", "the application ended; driver CPU 3 s",
        "exited with code 137", "server: https://profiles/applications/app-1"}) {
    EXPECT_FALSE(IsReadByScheduler(line)) << line;
  }
}

TEST(SchedulerOutputTest, OnlySuchLinesAreLeftOut) {
  EXPECT_EQ(WithoutSchedulerLines("a\nexit code: 1\nb"), "a\nb");
  EXPECT_EQ(WithoutSchedulerLines("exit code: 1"), "");
  EXPECT_EQ(WithoutSchedulerLines(""), "");
  EXPECT_EQ(WithoutSchedulerLines("\na\n"), "\na\n");
}

}  // namespace
}  // namespace sparkprof

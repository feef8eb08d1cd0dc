// SPDX-License-Identifier: Apache-2.0
#include "spark/event_reader.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(EventReaderTest, X) {
  Application application;
  EventReader reader(&application);
  reader.AddLines("{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"3.5.0\"}\n");
  reader.Finish();
  EXPECT_EQ(application.spark_version, "3.5.0");
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "profiles/frame_origin.h"

namespace sparkprof {
namespace {

TEST(LastingFileTest, RunsOfOneJobNameTheirFilesAlike) {
  EXPECT_EQ(LastingFile("/tmp/sparkprof-run-22253-1795376426255/sparkprof_python_22255.py"),
            LastingFile("/tmp/sparkprof-run-4226-1795364830805/sparkprof_python_4228.py"));
  EXPECT_EQ(LastingFile("/tmp/spark-1/userFiles-3f2504e0-4f89-41d3-9a0c-0305e82c3301/job.py"),
            LastingFile("/tmp/spark-2/userFiles-9b2504e0-0f89-41d3-9a0c-0305e82c33aa/job.py"));
  EXPECT_EQ(LastingFile("/yarn/application_1795_0001/container_1795_0001_01_000002/pyspark.zip/pyspark/daemon.py"),
            "pyspark/daemon.py");
}

TEST(LastingFileTest, OtherNamesStay) {
  for (const char* const name : {"job.py", "<frozen runpy>", ""}) EXPECT_EQ(LastingFile(name), name);
  EXPECT_NE(LastingFile("/app/a/__init__.py"), LastingFile("/app/b/__init__.py"));
  EXPECT_EQ(LastingFile("/job.py"), "job.py");
}

}  // namespace
}  // namespace sparkprof

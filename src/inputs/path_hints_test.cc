// SPDX-License-Identifier: Apache-2.0
#include "inputs/path_hints.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

struct Example {
  const char* path;
  const char* application;
  const char* container;
  const char* executor;
  const char* stream;
};

TEST(PathHints, APathTellsApplicationContainerExecutorAndStream) {
  const char* const pod_folder = "ns_job-1a-exec-3_0123456789abcdef0123456789abcdef/spark-kubernetes-executor/0.log";
  const Example examples[] = {
      // YARN
      {"logs/application_1603128018386_7846/container_1603128018386_7846_01_000002/stderr.gz",
       "application_1603128018386_7846", "container_1603128018386_7846_01_000002", "", "stderr"},
      {"container_e17_1603128018386_7846_01_000002/stdout", "application_1603128018386_7846",
       "container_e17_1603128018386_7846_01_000002", "", "stdout"},
      {"application_1603128018386_7846.zip!node-1/stderr", "application_1603128018386_7846", "", "", "stderr"},
      {"application_1603128018386_/stderr", "", "", "", "stderr"},
      {"application_x_7846/stderr", "", "", "", "stderr"},
      {"application_1603128018386/stderr", "", "", "", "stderr"},
      {"container_1603128018386_7846_01/stderr", "", "", "", "stderr"},
      {"container_17_1603128018386_7846_01_000002/stderr", "", "", "", "stderr"},
      {"container_1603128018386_7846_01_last/stderr", "", "", "", "stderr"},
      // EMR Serverless
      {"applications/00abc/jobs/00run/SPARK_DRIVER/stdout.gz", "00run", "", "driver", "stdout"},
      {"applications/00abc/jobs/00run/SPARK_EXECUTOR/7/stderr.gz", "00run", "", "7", "stderr"},
      {"SPARK_EXECUTOR/stderr.gz", "", "", "", "stderr"},
      {"jobs/00run/DRIVER/stderr", "", "", "", "stderr"},
      {"jobs/SPARK_DRIVER", "", "", "", "SPARK_DRIVER"},
      // Databricks, the standalone master
      {"0615-1500-abc/driver/log4j-2021-06-15-15.log.gz", "", "", "driver", "log4j"},
      {"app-20240101100000-0001/3/stderr", "app-20240101100000-0001", "", "3", "stderr"},
      {"app-20240101100000-0001/x/stderr", "", "", "", "stderr"},
      {"app-20240101100000-0001/3", "", "", "", "3"},
      {"driver-20240101100000-0001/stderr", "", "", "driver", "stderr"},
      {"driver-old/stderr", "", "", "", "stderr"},
      {"SPARK_EXECUTOR/5/driver/stderr", "", "", "5", "stderr"},
      // Kubernetes
      {pod_folder, "", "job-1a-exec-3", "3", ""},
      {"job-1a-driver/stderr", "", "job-1a-driver", "driver", "stderr"},
      {"job-1a-exec-x/stderr", "", "", "", "stderr"},
      {"ns_job-1a-exec-3_short/stderr", "", "", "", "stderr"},
      {"pods/spark-kubernetes-driver/stderr", "", "", "", "stderr"},
      {"", "", "", "", ""},
  };
  for (const Example& example : examples) {
    Input input;
    AddPathHints(example.path, &input);
    EXPECT_EQ(input.application_id, example.application) << example.path;
    EXPECT_EQ(input.container, example.container) << example.path;
    EXPECT_EQ(input.executor, example.executor) << example.path;
    EXPECT_EQ(input.stream, example.stream) << example.path;
  }
}

TEST(PathHints, APodMayBeTheFileItself) {
  Input input;
  AddPathHints("logs/driver/job-1a-exec-12.log", &input);
  EXPECT_EQ(input.stream, "job");
  EXPECT_EQ(input.container, "job-1a-exec-12");
  EXPECT_EQ(input.executor, "12");
  Input pod;
  AddPathHints("driver/etl", &pod);
  EXPECT_EQ(pod.executor, "driver");
  EXPECT_EQ(pod.container, "");
}

TEST(PathHints, AStreamIsNamedByItsFileWithoutEndings) {
  EXPECT_EQ(StreamName("stderr"), "stderr");
  EXPECT_EQ(StreamName("stderr.gz"), "stderr");
  EXPECT_EQ(StreamName("stderr.1"), "stderr");
  EXPECT_EQ(StreamName("stdout--2021-06-15--15-00.gz"), "stdout");
  EXPECT_EQ(StreamName("log4j-2021-06-15-15.log.gz"), "log4j");
  EXPECT_EQ(StreamName("0.log"), "");
  EXPECT_EQ(StreamName(".hidden"), ".hidden");
  for (const char* const name : {"job.inprogress", "job.zst", "job.zstd", "job.lz4", "job.snappy", "job.lzf"}) {
    EXPECT_EQ(StreamName(name), "job") << name;
  }
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launch/job_process.h"
#include "launch/submit_command.h"

namespace sparkprof {
namespace {

SubmitRequest Request(const std::string& command) { return {*SplitWords(command), {}, "", {}}; }

TEST(DriverPodTest, OnlyKubernetesInClusterModeHasOne) {
  EXPECT_TRUE(HasDriverPod(Request("spark-submit --master k8s://https://h --deploy-mode cluster job.py")));
  EXPECT_FALSE(HasDriverPod(Request("spark-submit --master k8s://https://h job.py")));
  EXPECT_FALSE(HasDriverPod(Request("spark-submit --master yarn --deploy-mode cluster job.py")));
}

TEST(DriverPodTest, IsAskedForByItsLabelsWhereSparkPutsIt) {
  const RemoteStep step = PrintDriverPodExit(
      Request("spark-submit --master k8s://https://h --deploy-mode cluster --conf spark.kubernetes.namespace=jobs "
              "--conf spark.kubernetes.context=test job.py"),
      "spark-17");
  const std::string line = ShellLine(step);
  EXPECT_TRUE(
      line.starts_with("kubectl --request-timeout=10s --context test --namespace jobs get pods -l "
                       "spark-app-selector=spark-17,spark-role=driver -o "))
      << line;
  EXPECT_NE(line.find(".exitCode"), std::string::npos) << line;
}

}  // namespace
}  // namespace sparkprof

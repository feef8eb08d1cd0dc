// SPDX-License-Identifier: Apache-2.0
#include "spark/process_kind.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sparkprof {
namespace {

// Blanks become the ends of arguments.
ProcessKind KindOf(std::string cmdline, std::string_view parent_type = {}, std::string environment = {},
                   std::string_view cgroup = {}) {
  std::replace(cmdline.begin(), cmdline.end(), ' ', '\0');
  std::replace(environment.begin(), environment.end(), ' ', '\0');
  return FindProcessKind({cmdline, environment, cgroup, parent_type});
}

TEST(ProcessKindTest, AYarnExecutorHasApplicationExecutorAndContainer) {
  const ProcessKind kind = KindOf(
      "/usr/bin/java -server -Xmx512m org.apache.spark.executor.YarnCoarseGrainedExecutorBackend --driver-url "
      "spark://CoarseGrainedScheduler@h:4040 --executor-id 7 --app-id application_1700000000000_0042",
      "yarn", "A=b CONTAINER_ID=container_e17_1700000000000_0042_01_000003 C=d");
  EXPECT_EQ(kind.type, "jvm_executor");
  EXPECT_EQ(kind.application_id, "application_1700000000000_0042");
  EXPECT_EQ(kind.executor_id, "7");
  EXPECT_EQ(kind.container_id, "container_e17_1700000000000_0042_01_000003");
}

TEST(ProcessKindTest, TheShellsOfAContainerAreYarnsAndBelongToTheApplication) {
  const ProcessKind script = KindOf(
      "bash /tmp/nm/usercache/u/appcache/application_17_0001/container_17_0001_01_000002/default_container_executor.sh",
      "yarn");
  EXPECT_EQ(script.type, "yarn");
  EXPECT_EQ(script.application_id, "application_17_0001");
  std::string command = "/bin/bash -c ";
  std::replace(command.begin(), command.end(), ' ', '\0');
  const ProcessKind shell = FindProcessKind(
      {command + "/usr/bin/java org.apache.spark.executor.YarnCoarseGrainedExecutorBackend --executor-id 2 --cores 1",
       "CONTAINER_ID=container_17_0001_01_000002", "", "yarn"});
  EXPECT_EQ(shell.type, "yarn");
  EXPECT_EQ(shell.executor_id, "2");
  EXPECT_EQ(shell.application_id, "application_17_0001");
}

TEST(ProcessKindTest, DaemonsOfHadoopAndSparkHaveTypes) {
  EXPECT_EQ(KindOf("java org.apache.hadoop.hdfs.server.datanode.DataNode").type, "hdfs");
  const ProcessKind manager = KindOf("java -Xmx384m org.apache.hadoop.yarn.server.nodemanager.NodeManager");
  EXPECT_EQ(manager.type, "yarn");
  EXPECT_TRUE(manager.is_node_manager);
  EXPECT_EQ(KindOf("java org.apache.spark.deploy.ExternalShuffleService").type, "shuffle_service");
  EXPECT_EQ(KindOf("java org.apache.spark.deploy.yarn.ExecutorLauncher").type, "application_master");
  EXPECT_TRUE(KindOf("java org.apache.spark.deploy.worker.Worker spark://m:7077").is_worker);
}

TEST(ProcessKindTest, PythonProcessesAreRecognizedByCommandParentAndEnvironment) {
  EXPECT_EQ(KindOf("python3 -m pyspark.daemon", "jvm_executor").type, "python_daemon");
  EXPECT_EQ(KindOf("python3 -m pyspark.daemon", "python_daemon").type, "python_worker");
  const ProcessKind program = KindOf("python3 /jobs/etl.py", "jvm_driver", "PYSPARK_GATEWAY_PORT=1");
  EXPECT_EQ(program.type, "python_driver");
  EXPECT_EQ(program.executor_id, "driver");
  EXPECT_EQ(KindOf("python3 /jobs/etl.py").type, "other");
}

TEST(ProcessKindTest, AContainerRuntimesIdIsInTheControlGroup) {
  const std::string id(64, 'a');
  EXPECT_EQ(KindOf("sleep 1", "", "", "0::/kubepods.slice/pod1/cri-containerd-" + id + ".scope\n").container_id, id);
  EXPECT_EQ(KindOf("sleep 1", "", "", "0::/user.slice\n").container_id, "");
  EXPECT_EQ(ContainerIn("container_1_2_3"), "") << "a part is missing";
  EXPECT_EQ(ContainerIn("x/container_1_2_3_4/y"), "container_1_2_3_4");
  EXPECT_EQ(ApplicationOfContainer(id), "");
}

TEST(ProcessKindTest, AnEmptyOrDamagedCommandLineIsOther) {
  for (const std::string& cmdline : {std::string(), std::string("\0\0", 2), std::string("java"), std::string("\xff")}) {
    EXPECT_EQ(FindProcessKind({cmdline, {}, {}, {}}).type, "other");
  }
}

}  // namespace
}  // namespace sparkprof

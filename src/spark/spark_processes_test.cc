// SPDX-License-Identifier: Apache-2.0
#include "spark/spark_processes.h"

#include <gtest/gtest.h>

#include "base/text/text.h"

namespace sparkprof {
namespace {

SparkJvm Described(std::string_view line) {
  std::vector<std::string> command;
  for (const std::string_view argument : Split(line, ' ')) command.emplace_back(argument);
  SparkJvm jvm;
  DescribeByCommand(command, &jvm);
  return jvm;
}

TEST(SparkProcessesTest, KnowsAnExecutorOfAStandaloneCluster) {
  const SparkJvm jvm = Described(
      "/usr/bin/java -cp /spark/conf:/spark/jars/* -Xmx1g -Dspark.driver.port=35311 "
      "org.apache.spark.executor.CoarseGrainedExecutorBackend --driver-url spark://CoarseGrainedScheduler@h1:35311 "
      "--executor-id 3 --hostname 10.0.0.7 --cores 2 --app-id app-20261121160000-0001 --worker-url "
      "spark://Worker@10.0.0.7:4000");
  EXPECT_EQ(jvm.role, JvmRole::kExecutor);
  EXPECT_EQ(jvm.executor_id, "3");
  EXPECT_EQ(jvm.host, "10.0.0.7");
  EXPECT_EQ(jvm.application_id, "app-20261121160000-0001");
  EXPECT_EQ(jvm.driver_url, "spark://CoarseGrainedScheduler@h1:35311");
}

TEST(SparkProcessesTest, KnowsExecutorsOfYarnAndKubernetes) {
  for (const char* main : {"org.apache.spark.executor.YarnCoarseGrainedExecutorBackend",
                           "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend"}) {
    const SparkJvm jvm =
        Described(std::string("java -server ") + main + " --executor-id 12 --app-id application_1_0002");
    EXPECT_EQ(jvm.role, JvmRole::kExecutor);
    EXPECT_EQ(jvm.executor_id, "12");
    EXPECT_EQ(jvm.application_id, "application_1_0002");
  }
}

TEST(SparkProcessesTest, TellsDriversAndThoseWhoWaitForOneApart) {
  const SparkJvm client = Described(
      "java --add-opens java.base/java.lang=ALL-UNNAMED -cp x org.apache.spark.deploy.SparkSubmit --master local[2] "
      "--conf "
      "spark.ui.enabled=false /jobs/etl.py --date 2026-11-21");
  EXPECT_EQ(client.role, JvmRole::kDriver);
  EXPECT_EQ(client.executor_id, "driver");
  EXPECT_EQ(client.application_name, "etl.py");
  EXPECT_EQ(Described("java org.apache.spark.deploy.SparkSubmit --name Nightly x.jar").application_name, "Nightly");
  EXPECT_EQ(Described("java org.apache.spark.deploy.SparkSubmit --conf spark.app.name=N2 x.jar").application_name,
            "N2");
  EXPECT_EQ(Described("java org.apache.spark.deploy.SparkSubmit --deploy-mode cluster x.jar").role, JvmRole::kSubmit);
}

TEST(SparkProcessesTest, DaemonsOfHadoopThatCopyJarsOfSparkRunNoSpark) {
  EXPECT_FALSE(MayRunSpark("org.apache.hadoop.yarn.server.nodemanager.NodeManager"));
  EXPECT_TRUE(MayRunSpark("org.apache.hadoop.util.RunJar"));
  EXPECT_TRUE(MayRunSpark("com.example.Etl"));
}

TEST(SparkProcessesTest, OptionsMayHaveTheirValueBehindAnEqualsSign) {
  const SparkJvm driver = Described("java org.apache.spark.deploy.SparkSubmit --name=Nightly x.jar");
  EXPECT_EQ(driver.application_name, "Nightly");
  EXPECT_EQ(Described("java org.apache.spark.deploy.SparkSubmit --deploy-mode=cluster x.jar").role, JvmRole::kSubmit);
  EXPECT_EQ(Described("java org.apache.spark.deploy.SparkSubmit --deploy-mode=client x.jar").role, JvmRole::kDriver);
  const SparkJvm executor = Described(
      "java org.apache.spark.executor.CoarseGrainedExecutorBackend --executor-id=4 --hostname=h4 --app-id=app-9");
  EXPECT_EQ(executor.executor_id, "4");
  EXPECT_EQ(executor.host, "h4");
  EXPECT_EQ(executor.application_id, "app-9");
}

TEST(SparkProcessesTest, FindsYarnsApplicationInTheCommandLine) {
  const SparkJvm master = Described(
      "/bin/java -Dspark.yarn.app.container.log.dir=/logs/application_1700000000000_0042/container_1 "
      "org.apache.spark.deploy.yarn.ApplicationMaster --class Main");
  EXPECT_EQ(master.role, JvmRole::kDriver);
  EXPECT_EQ(master.application_id, "application_1700000000000_0042");
  EXPECT_EQ(Described("java -Dx=application_7 -Dy=application_x_1 org.apache.spark.deploy.yarn.ExecutorLauncher")
                .application_id,
            "");
}

TEST(SparkProcessesTest, WhatIsNotSparkIsOther) {
  for (const char* line : {"java -jar /x/app.jar org.apache.spark.deploy.SparkSubmit", "java", "java -version",
                           "java -cp org.apache.spark.deploy.SparkSubmit Main"}) {
    EXPECT_EQ(Described(line).role, JvmRole::kOther) << line;
  }
}

TEST(SparkProcessesTest, FindsTheMainClassBehindTheJvmsOptions) {
  EXPECT_EQ(ParseJavaCommand({"java", "-cp", "a:b", "-Xmx1g", "p.Main", "-x"}).main_class, "p.Main");
  EXPECT_EQ(ParseJavaCommand({"java", "-jar", "x.jar", "y"}).main_class, "x.jar");
  EXPECT_EQ(ParseJavaCommand({"java", "-p", "mods", "-m", "mod/p.Main", "y"}).main_class, "p.Main");
  EXPECT_EQ(ParseJavaCommand({"java", "-p", "mods", "-m", "mod/p.Main", "y"}).arguments, std::vector<std::string>{"y"});
  EXPECT_EQ(ParseJavaCommand({"java", "-cp"}).main_class, "");
}

}  // namespace
}  // namespace sparkprof

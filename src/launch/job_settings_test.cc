// SPDX-License-Identifier: Apache-2.0
#include "launch/job_settings.h"

#include <gtest/gtest.h>

#include "base/io/file.h"
#include "base/testing/folder_test.h"

namespace sparkprof {
namespace {

using Environment = std::map<std::string, std::string>;
using Words = std::vector<std::string>;

JobSettings Resolve(const Words& command, const Environment& environment = {}) {
  return ResolveSettings({command, environment, "", {}});
}

std::string Value(const JobSettings& settings, const std::string& key) { return settings.values.at(key); }

TEST(JobSettingsTest, ConfigurationComesBeforeEnvironmentBeforeContext) {
  Environment environment{{"ENABLE_AMAZON_PROFILER", "true"},
                          {"PROFILING_CONTEXT", R"({"profilingGroupName":"from context"})"}};
  EXPECT_EQ(Value(Resolve({"spark-submit", "x"}, environment), "label"), "from context");
  EXPECT_EQ(Value(Resolve({"spark-submit", "x"}, environment), "driver.enabled"), "false");
  environment["SPARKPROF_LABEL"] = "from environment";
  EXPECT_EQ(Value(Resolve({"spark-submit", "x"}, environment), "label"), "from environment");
  const Words command{"spark-submit", "--conf", "spark.sparkprof.label= from conf ", "x"};
  EXPECT_EQ(Value(Resolve(command, environment), "label"), "from conf");
  EXPECT_EQ(ResolveSettings({command, environment, "", {{"spark.sparkprof.label", "from option"}}}).values.at("label"),
            "from option");
}

TEST(JobSettingsTest, WhatThePluginWouldRefuseIsNamedWithItsPlace) {
  const auto refused = [](const Words& command, const Environment& environment) {
    const JobSettings settings = Resolve(command, environment);
    return settings.refused.size() == 1 ? settings.refused[0] : std::to_string(settings.refused.size());
  };
  const std::string no_unit = ": \"50\" has no unit; use ns, us, ms, s, m, h or d, for instance 10ms";
  EXPECT_EQ(refused({"spark-submit", "--conf", "spark.sparkprof.cpu.interval=50", "x"}, {}),
            "spark.sparkprof.cpu.interval (--conf)" + no_unit);
  EXPECT_EQ(refused({"python", "x"}, {{"PYSPARK_SUBMIT_ARGS", "--conf spark.sparkprof.cpu.interval=50 pyspark-shell"}}),
            "spark.sparkprof.cpu.interval (--conf)" + no_unit);
  EXPECT_EQ(refused({"spark-submit", "x"}, {{"SPARK_SUBMIT_OPTS", "-Xmx1g -Dspark.sparkprof.cpu.interval=50"}}),
            "spark.sparkprof.cpu.interval (SPARK_SUBMIT_OPTS)" + no_unit);
  EXPECT_EQ(refused({"spark-submit", "x"}, {{"SPARKPROF_CPU_INTERVAL", "50"}}), "SPARKPROF_CPU_INTERVAL" + no_unit);
  EXPECT_EQ(refused({"spark-submit", "-c", "spark.executorEnv.SPARKPROF_CPU_INTERVAL=50", "x"},
                    {{"SPARKPROF_CPU_INTERVAL", "20ms"}}),
            "spark.executorEnv.SPARKPROF_CPU_INTERVAL (--conf)" + no_unit);
  EXPECT_EQ(refused({"spark-submit", "--conf", "spark.sparkprof.cpu.intervall=5ms", "x"}, {}),
            "spark.sparkprof.cpu.intervall (--conf) is not a setting; did you mean spark.sparkprof.cpu.interval?");
  EXPECT_EQ(refused({"spark-submit", "x"},
                    {{"ENABLE_AMAZON_PROFILER", "True"}, {"PROFILING_CONTEXT", "{\"probability\":\"2\"}"}}),
            "executor.fraction of PROFILING_CONTEXT: \"2\" is not a number from 0 to 1, for instance 0.25");
  EXPECT_NE(refused({"spark-submit", "x"}, {{"ENABLE_AMAZON_PROFILER", "true"}, {"PROFILING_CONTEXT", "{\\\"a"}})
                .find("not a JSON object"),
            std::string::npos);
}

TEST(JobSettingsTest, ANumberOfTheContextIsReadAsATextIs) {
  for (const char* number : {"0.3", "3e-1", "\"0.3\""}) {
    const Environment environment{{"ENABLE_AMAZON_PROFILER", "true"},
                                  {"PROFILING_CONTEXT", std::string("{\"probability\":") + number + "}"}};
    EXPECT_EQ(Value(Resolve({"spark-submit", "x"}, environment), "executor.fraction"), "300000000") << number;
  }
}

TEST(JobSettingsTest, FilesAreCheckedAsSparkReadsThem) {
  const TemporaryFolder temporary;
  const std::string folder = temporary.Path();
  ASSERT_TRUE(
      WriteFile(folder + "/spark-defaults.conf", "spark.sparkprof.bucket 5\nspark.sparkprof.label \\\n  mine\n"));
  ASSERT_TRUE(WriteFile(folder + "/my.conf", "spark.sparkprof.maxSpool = big\n"));
  const Environment environment{{"SPARK_CONF_DIR", folder}};
  JobSettings settings = Resolve({"spark-submit", "x"}, environment);
  ASSERT_EQ(settings.refused.size(), 1u);
  EXPECT_TRUE(settings.refused[0].starts_with("spark.sparkprof.bucket (" + folder + "/spark-defaults.conf): \"5\""));
  EXPECT_EQ(Value(settings, "label"), "mine");
  settings = Resolve({"spark-submit", "--properties-file", folder + "/my.conf", "x"}, environment);
  ASSERT_EQ(settings.refused.size(), 1u);
  EXPECT_TRUE(settings.refused[0].starts_with("spark.sparkprof.maxSpool (" + folder + "/my.conf): \"big\""));
  settings = Resolve({"spark-submit", "--conf", "spark.sparkprof.bucket=5s", "x"}, environment);
  EXPECT_TRUE(settings.refused.empty());
  EXPECT_EQ(Value(settings, "bucket"), "5000000000");
}

TEST(JobSettingsTest, AMisspelledVariableIsPointedOutAndNotRefused) {
  const JobSettings settings = Resolve({"spark-submit", "--conf", "spark.executorEnv.SPARKPROF_EVENT=cpu", "x"},
                                       {{"SPARKPROF_MAXSPOOL", "1g"}, {"SPARKPROF_BIN", "x"}});
  EXPECT_TRUE(settings.refused.empty());
  EXPECT_EQ(settings.notes,
            (Words{"SPARKPROF_MAXSPOOL is not a setting; did you mean SPARKPROF_MAX_SPOOL?",
                   "spark.executorEnv.SPARKPROF_EVENT is not a setting; did you mean SPARKPROF_EVENTS?"}));
}

TEST(JobSettingsTest, DescribesWhatWillBeSampled) {
  EXPECT_EQ(Describe(Resolve({"spark-submit", "--conf", "spark.sparkprof.events=alloc", "x"},
                             {{"SPARKPROF_PYTHON_ENABLED", "FALSE"}})),
            "sampling alloc every 2MiB");
}

}  // namespace
}  // namespace sparkprof

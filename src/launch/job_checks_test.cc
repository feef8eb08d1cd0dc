// SPDX-License-Identifier: Apache-2.0
#include "launch/job_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/io/file.h"
#include "base/testing/folder_test.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

Check Named(const std::string& name, const std::vector<Check>& checks) {
  const auto found = std::find_if(checks.begin(), checks.end(), [&](const Check& check) { return check.name == name; });
  return found == checks.end() ? Check{"", CheckStatus::kOk, "no such check", ""} : *found;
}

TEST(JobChecksTest, ASparkThatIsTooOldAndAJarWithoutThePluginStopIt) {
  const TemporaryFolder temporary;
  const std::string folder = temporary.Path();
  fs::create_directories(folder + "/jars");
  ASSERT_TRUE(WriteFile(folder + "/jars/spark-core_2.12-3.0.3.jar", ""));
  ASSERT_TRUE(WriteFile(folder + "/empty.jar", ""));
  const auto checks = CheckJob({{"spark-submit", "x"}, {{"SPARK_HOME", folder}}, folder + "/empty.jar", {}});
  EXPECT_EQ(Named("Spark", checks).status, CheckStatus::kMissing);
  EXPECT_EQ(Named("plugin", checks).status, CheckStatus::kMissing);
  EXPECT_EQ(Named("settings", checks).status, CheckStatus::kOk);
}

TEST(JobChecksTest, ASecondEngineIsFoundWhereverItIsConfigured) {
  const auto agents = [](const std::string& option) {
    return Named("other agents",
                 CheckJob({{"spark-submit", "--conf", "spark.driver.extraJavaOptions=" + option, "x"}, {}, "", {}}));
  };
  EXPECT_EQ(agents("-agentpath:/opt/libasyncProfiler.so=start").status, CheckStatus::kLimited);
  EXPECT_EQ(agents("-javaagent:/opt/metrics.jar").status, CheckStatus::kOk);
  EXPECT_NE(agents("-javaagent:/opt/metrics.jar").finding.find("/opt/metrics.jar"), std::string::npos);
  EXPECT_EQ(agents("-Xmx1g").finding, "none configured");
}

TEST(JobChecksTest, AnotherEngineIsToldByTheNameOfItsLibrary) {
  for (const char* option : {"-agentpath:/a/libasyncProfiler.so=x", "-agentpath:libjavaProfiler.so",
                             "-agentlib:asyncProfiler", "-agentpath:/x/LIBASYNCPROFILER.so.4"}) {
    EXPECT_TRUE(IsOtherEngine(option)) << option;
  }
  for (const char* option : {"-agentpath:/asyncProfiler/libx.so", "-javaagent:asyncprofiler.jar",
                             "-agentpath:/x.so=asyncProfiler", "-agentlib:jdwp"}) {
    EXPECT_FALSE(IsOtherEngine(option)) << option;
  }
}

TEST(JobChecksTest, InClusterModeAFolderOrAServerMustReceiveTheRecordings) {
  const auto status = [](std::vector<std::string> options) {
    std::vector<std::string> command = {"spark-submit", "--deploy-mode", "cluster"};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back("x");
    return Named("deploy mode", CheckJob({command, {}, "", {}})).status;
  };
  EXPECT_EQ(status({}), CheckStatus::kLimited);
  EXPECT_EQ(status({"--conf", "spark.sparkprof.dir=hdfs:///x"}), CheckStatus::kOk);
  EXPECT_EQ(status({"--conf", "spark.sparkprof.server=http://host"}), CheckStatus::kOk);
}

TEST(JobChecksTest, NothingToSampleStopsThePlugin) {
  const Check check = Named("settings", CheckJob({{"spark-submit", "x"}, {{"SPARKPROF_ENABLED", "FALSE"}}, "", {}}));
  EXPECT_EQ(check.status, CheckStatus::kMissing);
  EXPECT_EQ(check.finding, "profiling is disabled");
}

TEST(JobChecksTest, ADriverOnTheClusterNeedsASharedFolder) {
  const auto check = [](std::vector<std::string> command) {
    return Named("deploy mode", CheckJob({std::move(command), {}, "", {}}));
  };
  EXPECT_EQ(check({"spark-submit", "--deploy-mode", "cluster", "x"}).status, CheckStatus::kLimited);
  EXPECT_EQ(check({"spark-submit", "--deploy-mode", "cluster", "--conf", "spark.sparkprof.dir=hdfs:///p", "x"}).status,
            CheckStatus::kOk);
  EXPECT_EQ(check({"spark-submit", "x"}).status, CheckStatus::kOk);
}

TEST(JobChecksTest, RefusedSettingsAreMissing) {
  const Check check = Named("settings", CheckJob({{"spark-submit", "x"}, {{"SPARKPROF_EVENTS", "gpu"}}, "", {}}));
  EXPECT_EQ(check.status, CheckStatus::kMissing);
  EXPECT_EQ(check.finding,
            "SPARKPROF_EVENTS: \"gpu\" is not a list of cpu, wall, alloc, lock, nativemem, nativelock, pyalloc, none");
}

}  // namespace
}  // namespace sparkprof

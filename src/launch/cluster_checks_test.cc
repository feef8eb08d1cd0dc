// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/testing/folder_test.h"
#include "launch/check.h"

namespace sparkprof {
namespace {

class ClusterChecksTest : public FolderTest {
 protected:
  // Results for plugin and recordings, with these lines in spark-defaults.conf.
  std::vector<CheckStatus> Statuses(const std::string& defaults) {
    Write("spark-defaults.conf", defaults);
    const SubmitRequest job{{"spark-submit"}, {{"SPARK_CONF_DIR", folder_}}, "/opt/sparkprof-spark.jar", {}};
    checks_ = CheckCluster(job);
    std::vector<CheckStatus> statuses;
    for (const Check& check : checks_) statuses.push_back(check.status);
    return statuses;
  }

  std::vector<Check> checks_;
};

using enum CheckStatus;

TEST_F(ClusterChecksTest, NamesTheMissingLines) {
  EXPECT_EQ(Statuses("spark.x y\n"), (std::vector{kMissing, kMissing}));
  EXPECT_NE(checks_[0].advice.find("spark.driver.defaultJavaOptions -javaagent:/opt/sparkprof-spark.jar"),
            std::string::npos);
  EXPECT_NE(checks_[1].advice.find("spark.sparkprof.server"), std::string::npos);
}

TEST_F(ClusterChecksTest, AcceptsTheAgentAndAPlace) {
  const std::string jar = Write("sparkprof-spark.jar", "jar");
  const std::string agent = "spark.driver.defaultJavaOptions -Dx=y -javaagent:" + jar + "\n";
  EXPECT_EQ(Statuses(agent + "spark.sparkprof.server http://c:8320\n"), (std::vector{kOk, kOk}));
  EXPECT_EQ(Statuses(agent + "spark.sparkprof.dir hdfs:///sparkprof\n"), (std::vector{kOk, kOk}));
}

TEST_F(ClusterChecksTest, WarnsOfAJarThatWouldEndEveryDriver) {
  EXPECT_EQ(Statuses("spark.driver.defaultJavaOptions -javaagent:/none/sparkprof-spark.jar\n")[0], kMissing);
  EXPECT_NE(checks_[0].finding.find("drivers do not start"), std::string::npos);
}

TEST_F(ClusterChecksTest, AListOfPluginsReplacesThatOfTheAgent) {
  const std::string agent = "spark.driver.defaultJavaOptions -javaagent:" + Write("sparkprof-spark.jar", "jar") + "\n";
  EXPECT_EQ(Statuses(agent + "spark.plugins.defaultList a.B\n")[0], kMissing);
  EXPECT_EQ(Statuses(agent + "spark.plugins.defaultList a.B,org.sparkprof.SparkProfPlugin\n")[0], kOk);
  EXPECT_EQ(Statuses(agent + "spark.plugins a.B\n")[0], kOk);
}

TEST_F(ClusterChecksTest, ListsOfPluginsDependOnTheJob) {
  EXPECT_EQ(Statuses("spark.plugins a.B, org.sparkprof.SparkProfPlugin\n")[0], kLimited);
  EXPECT_EQ(Statuses("spark.plugins.defaultList org.sparkprof.SparkProfPlugin\n")[0], kLimited);
  EXPECT_EQ(Statuses("spark.plugins org.sparkprof.SparkProfPlugins\n")[0], kMissing);
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "launch/remote_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
#include "launch/submit_command.h"

namespace sparkprof {
namespace {

SubmitRequest Request(const std::string& command, std::map<std::string, std::string> environment = {}) {
  environment.emplace("HADOOP_USER_NAME", "ana");
  return {*SplitWords(command), std::move(environment), "/opt/lib/sparkprof-spark.jar", {}};
}

constexpr char kClusterMode[] =
    "spark-submit --master yarn --deploy-mode cluster --conf spark.hadoop.fs.defaultFS=hdfs://nn/ ";

TEST(RunFolderOnClusterTest, IsBelowTheUsersHomeOnTheDefaultFileSystem) {
  EXPECT_EQ(RunFolderOnCluster(Request(std::string(kClusterMode) + "job.py"), "17"),
            "hdfs://nn/user/ana/.sparkprof/17");
  EXPECT_EQ(RunFolderOnCluster(Request(std::string(kClusterMode) + "--principal bob/host@REALM job.py"), "17"),
            "hdfs://nn/user/bob/.sparkprof/17");
}

TEST(RunFolderOnClusterTest, TheDefaultFileSystemIsThatOfCoreSite) {
  const TemporaryFolder folder;
  ASSERT_TRUE(WriteFile(folder.Path() + "/core-site.xml",
                        "<configuration><property><name>fs.defaultFS</name><value>s3a://lake</value></property>"
                        "</configuration>"));
  EXPECT_EQ(RunFolderOnCluster(Request("spark-submit --master yarn --deploy-mode cluster job.py",
                                       {{"HADOOP_CONF_DIR", folder.Path()}}),
                               "1"),
            "s3a://lake/user/ana/.sparkprof/1");
}

TEST(RunFolderOnClusterTest, NoneForLocalFileSystemsAndOtherModes) {
  for (const char* const command :
       {"spark-submit --master yarn --deploy-mode cluster --conf spark.hadoop.fs.defaultFS=file:/// job.py",
        "spark-submit --master yarn --deploy-mode cluster job.py",
        "spark-submit --master yarn --conf spark.hadoop.fs.defaultFS=hdfs://nn job.py",
        "spark-submit --master k8s://https://h --deploy-mode cluster --conf spark.hadoop.fs.defaultFS=hdfs://nn "
        "job.py"}) {
    EXPECT_EQ(RunFolderOnCluster(Request(command), "17"), "") << command;
  }
}

TEST(MissingPlaceInClusterTest, IsThatOfDriversOnMachinesWithoutAFolderOfTheirOwn) {
  EXPECT_NE(MissingPlaceInCluster(Request("spark-submit --master spark://h:7077 --deploy-mode cluster job.py")), "");
  EXPECT_NE(MissingPlaceInCluster(Request("spark-submit --master k8s://https://h --deploy-mode cluster job.py")), "");
  EXPECT_EQ(MissingPlaceInCluster(Request(std::string(kClusterMode) + "job.py")), "");
  EXPECT_EQ(MissingPlaceInCluster(Request("spark-submit --master spark://h:7077 job.py")), "");
}

TEST(ReturnsEarlyTest, AsTheModeAndItsSettingsSay) {
  const auto returns = [](const std::string& options) {
    return ReturnsEarly(Request("spark-submit --deploy-mode cluster --master " + options + " job.py"));
  };
  EXPECT_TRUE(returns("spark://h:7077"));
  EXPECT_FALSE(returns("spark://h:7077 --conf spark.standalone.submit.waitAppCompletion=true"));
  EXPECT_FALSE(returns("yarn"));
  EXPECT_TRUE(returns("yarn --conf spark.yarn.submit.waitAppCompletion=false"));
  EXPECT_FALSE(returns("k8s://https://h"));
  EXPECT_TRUE(returns("k8s://https://h --conf spark.kubernetes.submission.waitAppCompletion=false"));
  EXPECT_FALSE(ReturnsEarly(Request("spark-submit --master spark://h:7077 job.py")));
}

TEST(MissingJarInPodTest, APodNeedsTheImagesJarOrAPlaceToUpload) {
  const std::string cluster = "spark-submit --master k8s://https://h --deploy-mode cluster ";
  EXPECT_NE(MissingJarInPod(Request(cluster + "local:///job.py")), "");
  EXPECT_EQ(MissingJarInPod(Request(cluster + "--jars local:///x/sparkprof-spark.jar local:///job.py")), "");
  EXPECT_EQ(MissingJarInPod(Request(cluster + "--conf spark.kubernetes.file.upload.path=s3a://b job.py")), "");
  EXPECT_EQ(MissingJarInPod(Request("spark-submit --master k8s://https://h job.py")), "");
  EXPECT_EQ(MissingJarInPod(Request("spark-submit --master yarn --deploy-mode cluster job.py")), "");
}

TEST(CopyCommandTest, KeepsWhatReachesTheFileSystem) {
  const SubmitRequest request = Request(
      "/spark/bin/spark-submit --master yarn --deploy-mode cluster --conf spark.hadoop.fs.s3a.endpoint=http://s3 "
      "--conf "
      "spark.plugins=a.B --packages org.apache.hadoop:hadoop-aws:3.4.2 --executor-memory 4g job.py --conf mine");
  EXPECT_EQ(fmt::format("{}", fmt::join(CopyCommand(request, "s3a://b/p", "/out/segments", 17, true), " ")),
            "/spark/bin/spark-submit --master local[1] --deploy-mode client --conf "
            "spark.hadoop.fs.s3a.endpoint=http://s3 --packages org.apache.hadoop:hadoop-aws:3.4.2 --class "
            "org.sparkprof.CopyRecordings /opt/lib/sparkprof-spark.jar s3a://b/p /out/segments 17 remove");
}

}  // namespace
}  // namespace sparkprof

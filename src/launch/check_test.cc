// SPDX-License-Identifier: Apache-2.0
#include "launch/check.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
#include "launch/job_checks.h"
#include "launch/job_process.h"
#include "launch/plugin_jar.h"

namespace sparkprof {
namespace {

using DoctorTest = FolderTest;

std::string Number(uint32_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

// A zip file's directory, without the files.
std::string Jar(const std::vector<std::string>& names, const std::string& comment) {
  std::string bytes = "PK\3\4 what comes before the directory";
  const uint32_t start = static_cast<uint32_t>(bytes.size());
  for (const std::string& name : names) {
    bytes += "PK\1\2" + std::string(24, '\0') + Number(static_cast<uint32_t>(name.size()), 2) + Number(3, 2) +
             Number(0, 2) + std::string(12, '\0') + name + "ext";
  }
  const uint32_t count = static_cast<uint32_t>(names.size());
  return bytes + "PK\5\6" + Number(0, 4) + Number(count, 2) + Number(count, 2) + Number(0, 4) + Number(start, 4) +
         Number(static_cast<uint32_t>(comment.size()), 2) + comment;
}

TEST_F(DoctorTest, ListsAJar) {
  const std::vector<std::string> names{"a/", "a/B.class", ""};
  EXPECT_EQ(ListJar(Write("x.jar", Jar(names, ""))).value(), names);
  EXPECT_EQ(ListJar(Write("y.jar", Jar(names, "a comment"))).value(), names);
}

TEST_F(DoctorTest, ADamagedJarIsAnErrorThatNamesIt) {
  const std::string whole = Jar({"a/B.class", "c"}, "");
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto names = ListJar(Write("cut.jar", whole.substr(0, size)));
    ASSERT_FALSE(names) << size;
    EXPECT_TRUE(names.error().message.starts_with(Path("cut.jar") + ": ")) << names.error().message;
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = '\xFF';
    (void)ListJar(Write("damaged.jar", damaged));
  }
}

TEST_F(DoctorTest, SaysWhatThePluginsJarLacks) {
  const auto missing = MissingInPluginJar(Write("x.jar", Jar({"org/sparkprof/SparkProfPlugin.class"}, "")));
  ASSERT_TRUE(missing);
  ASSERT_EQ(missing->size(), 2u);
  EXPECT_TRUE(missing->front().ends_with("/sparkprof-agent"));
}

TEST(DoctorJudgementTest, JavaMustFitSpark) {
  const auto status = [](const char* java, const char* spark) {
    return JudgeJava(java, spark, "/usr/bin/java").status;
  };
  EXPECT_EQ(status("17.0.15", "4.1.1"), CheckStatus::kOk);
  EXPECT_EQ(status("21", "4.1.1"), CheckStatus::kOk);
  EXPECT_EQ(status("25.0.1", "4.1.1"), CheckStatus::kMissing);
  EXPECT_EQ(status("11.0.2", "4.1.1"), CheckStatus::kMissing);
  EXPECT_EQ(status("1.8.0_402", "3.5.7"), CheckStatus::kOk);
  EXPECT_EQ(status("21.0.1", "3.5.7"), CheckStatus::kLimited);
  EXPECT_EQ(status("1.7.0", "3.5.7"), CheckStatus::kMissing);
  EXPECT_EQ(status("", "4.1.1"), CheckStatus::kOk);
}

TEST(DoctorJudgementTest, ARefusedPerfEventLimitsAndSaysWhatToDo) {
  EXPECT_EQ(JudgePerfEvents(0, "4").status, CheckStatus::kOk);
  EXPECT_EQ(JudgePerfEvents(EACCES, "2").advice, "sysctl kernel.perf_event_paranoid=1");
  EXPECT_NE(JudgePerfEvents(EPERM, "1").finding.find("container"), std::string::npos);
  EXPECT_EQ(JudgePerfEvents(ENOSYS, "").status, CheckStatus::kLimited);
}

TEST(DoctorJudgementTest, KernelNamesNeedOnlyTheSettingsThatHideThem) {
  EXPECT_EQ(JudgeKernelNames(true, "1", "2").status, CheckStatus::kOk);
  EXPECT_EQ(JudgeKernelNames(false, "1", "1").advice, "sysctl kernel.kptr_restrict=0");
  EXPECT_EQ(JudgeKernelNames(false, "0", "2").advice, "sysctl kernel.perf_event_paranoid=1");
  EXPECT_EQ(JudgeKernelNames(false, "2", "3").advice, "sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1");
  EXPECT_EQ(JudgeKernelNames(false, "0", "1").advice, "");
}

TEST(DoctorJudgementTest, FindsAgentsAmongJvmOptions) {
  EXPECT_EQ(AgentOptions("-Xmx1g -agentpath:/a.so=x -agentlib:jdwp=server=y -javaagent:b.jar -Da=-javaagent"),
            (std::vector<std::string>{"-agentpath:/a.so=x", "-javaagent:b.jar"}));
}

TEST_F(DoctorTest, ReadsSparksVersionFromItsCoreJar) {
  EXPECT_FALSE(FindSparkVersion(folder_));
  Write("jars/spark-core_2.13-4.1.1.jar", "");
  const auto version = FindSparkVersion(folder_);
  ASSERT_TRUE(version);
  EXPECT_EQ(version->text, "4.1.1");
  EXPECT_EQ(version->major, 4);
  EXPECT_EQ(version->minor, 1);
}

TEST_F(DoctorTest, ExplainsAMissingRecordingByWhatIsKnown) {
  const std::string jar = Write("empty.jar", Jar({}, ""));
  Write("jars/spark-core_2.12-2.4.8.jar", "");
  SubmitRequest request{{"spark-submit", "--deploy-mode", "cluster", "x.jar"},
                        {{"SPARK_HOME", folder_}, {"SPARKPROF_ENABLED", "FALSE"}},
                        jar,
                        {}};
  const std::string text = ExplainNoRecording(request, Launcher::kSubmit, 1);
  for (const char* part : {"code 1", "disabled", "deploy mode cluster", "2.4.8", "has no org/sparkprof"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
}

}  // namespace
}  // namespace sparkprof

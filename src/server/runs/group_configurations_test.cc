// SPDX-License-Identifier: Apache-2.0
#include "server/runs/group_configurations.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
#include "server/testing/colliding_texts.h"

namespace sparkprof {
namespace {

constexpr auto kUnrecorded = [](const GroupConfiguration&, const GroupConfiguration&, const Change& change) {
  return change();
};

class GroupConfigurationsTest : public FolderTest {
 protected:
  GroupConfigurations configurations_{folder_};
};

TEST_F(GroupConfigurationsTest, KeepsWhatWasSet) {
  EXPECT_EQ(configurations_.Get("", "etl")->version, 0);
  const Configured done = configurations_.Set(
      "", "etl", R"({"configuration":{"cpu.interval":"20ms","enabled":false,"executor.fraction":0.5}})", {},
      kUnrecorded);
  ASSERT_EQ(done.status, ConfigureStatus::kDone) << done.problem;
  const Result<GroupConfiguration> read = GroupConfigurations(folder_).Get("", "etl");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->version, 1);
  EXPECT_EQ(read->settings.at("enabled"), "false");
  EXPECT_EQ(ConfigurationJson(*read),
            "{\"version\":1,\"configuration\":{\"cpu.interval\":\"20ms\",\"enabled\":\"false\",\"executor.fraction\":"
            "\"0.5\"}}\n");
}

TEST_F(GroupConfigurationsTest, GroupsWithUnusualNamesAreSeparate) {
  for (const char* group : {"..", "a/b", "a%2Fb", ""}) {
    EXPECT_EQ(configurations_.Set("", group, R"({"configuration":{}})", 0, kUnrecorded).status, ConfigureStatus::kDone)
        << group;
    EXPECT_EQ(configurations_.Get("", group)->version, 1) << group;
  }
}

TEST_F(GroupConfigurationsTest, RefusesWhatAJobCannotTakeOver) {
  for (const char* json : {"", "[]", "{}", R"({"configuration":[]})", R"({"configuration":{"nonsense":"1"}})",
                           R"({"configuration":{"dir":"/tmp"}})", R"({"configuration":{"cpu.interval":"20"}})",
                           R"({"configuration":{"cpu.interval":"20ms"})", R"({"configuration":{"jobs.share":"2"}})",
                           R"({"configuration":{"jobs.users":" "}})", R"({"configuration":{"jobs.names":"etl"}})"}) {
    const Configured refused = configurations_.Set("", "etl", json, {}, kUnrecorded);
    EXPECT_EQ(refused.status, ConfigureStatus::kInvalid) << json;
    EXPECT_FALSE(refused.problem.empty());
  }
  EXPECT_EQ(configurations_.Get("", "etl")->version, 0);
}

TEST_F(GroupConfigurationsTest, DoesNotOverwriteAnotherVersion) {
  EXPECT_EQ(configurations_.Set("", "etl", R"({"configuration":{}})", 0, kUnrecorded).status, ConfigureStatus::kDone);
  EXPECT_EQ(configurations_.Set("", "etl", R"({"configuration":{}})", 0, kUnrecorded).status,
            ConfigureStatus::kConflict);
  EXPECT_EQ(configurations_.Set("", "etl", R"({"configuration":{}})", 1, kUnrecorded).after.version, 2);
}

TEST_F(GroupConfigurationsTest, AGroupsOwnSettingsReplaceThoseOfAllGroups) {
  configurations_.Set("", "*", R"({"configuration":{"cpu.interval":"20ms","stackDepth":"100"}})", {}, kUnrecorded);
  configurations_.Set("", "etl", R"({"configuration":{"cpu.interval":"5ms"}})", {}, kUnrecorded);
  const RunningJob job{"app-1", "ana", "prod"};
  EXPECT_EQ(ConfigurationJson(*configurations_.For("", "etl", job)),
            "{\"version\":2,\"configuration\":{\"cpu.interval\":\"5ms\",\"stackDepth\":\"100\"}}\n");
  EXPECT_EQ(ConfigurationJson(*configurations_.For("", "web", job)),
            "{\"version\":1,\"configuration\":{\"cpu.interval\":\"20ms\",\"stackDepth\":\"100\"}}\n");
}

TEST_F(GroupConfigurationsTest, UsersQueuesAndAShareChooseTheJobsToSample) {
  const auto is_on = [&](const RunningJob& job, const std::string& group = "etl") {
    const Result<GroupConfiguration> configuration = configurations_.For("", group, job);
    EXPECT_EQ(configuration->settings.size(), configuration->settings.count("enabled")) << "nothing else reaches jobs";
    const auto enabled = configuration->settings.find("enabled");
    return enabled == configuration->settings.end() || enabled->second == "true";
  };
  configurations_.Set("", "*", R"({"configuration":{"jobs.users":"ana, ben","jobs.queues":"prod"}})", {}, kUnrecorded);
  EXPECT_TRUE(is_on({"app-1", "ben", "dev"}));
  EXPECT_TRUE(is_on({"app-1", "eve", "prod"}));
  EXPECT_FALSE(is_on({"app-1", "eve", "dev"}));
  configurations_.Set("", "always", R"({"configuration":{"enabled":"true"}})", {}, kUnrecorded);
  EXPECT_TRUE(is_on({"app-1", "eve", "dev"}, "always"));
  configurations_.Set("", "*", R"({"configuration":{"jobs.share":"0.25"}})", {}, kUnrecorded);
  int chosen = 0;
  for (int i = 0; i < 1000; ++i) chosen += is_on({"app-" + std::to_string(i), "eve", "dev"}) ? 1 : 0;
  EXPECT_NEAR(chosen, 250, 50);
  configurations_.Set("", "*", R"({"configuration":{"jobs.share":"0"}})", {}, kUnrecorded);
  EXPECT_FALSE(is_on({"app-1", "ana", "prod"}));
}

TEST_F(GroupConfigurationsTest, ReportsDamagedFilesUntilTheyAreRestored) {
  const std::string set = R"({"configuration":{"cpu.interval":"5ms"}})";
  for (const std::string group : {"doubled", "replaced", "etl"}) configurations_.Set("", group, set, {}, kUnrecorded);
  const std::string doubled = Path("groups/doubled.json"), replaced = Path("groups/replaced.json");
  const std::string content = *ReadFile(doubled);
  std::ofstream(doubled, std::ios::app) << content;
  std::filesystem::remove(replaced);
  std::filesystem::create_directory(replaced);
  GroupConfigurations restarted(folder_);
  ASSERT_EQ(restarted.Problems().size(), 2u);
  EXPECT_TRUE(restarted.Problems()[0].starts_with(doubled + ": damaged")) << restarted.Problems()[0];
  EXPECT_TRUE(restarted.Problems()[1].starts_with(replaced + ": ")) << restarted.Problems()[1];
  std::ofstream(doubled) << content;
  EXPECT_TRUE(restarted.Get("", "doubled"));
  EXPECT_EQ(restarted.Problems().size(), 1u);
}

TEST_F(GroupConfigurationsTest, GroupsOfLongNamesThatCollideInXxhAreApart) {
  const auto [first, second] = CollidingTexts();
  configurations_.Set("", first, R"({"configuration":{"cpu.interval":"5ms"}})", {}, kUnrecorded);
  EXPECT_EQ(configurations_.Get("", first)->version, 1);
  EXPECT_EQ(configurations_.Get("", second)->version, 0);
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "server/runs/group_configurations.h"

#include <gtest/gtest.h>

#include "base/testing/folder_test.h"

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
  EXPECT_EQ(configurations_.Get("etl")->version, 0);
  const Configured done = configurations_.Set(
      "etl", R"({"configuration":{"cpu.interval":"20ms","enabled":false,"executor.fraction":0.5}})", {}, kUnrecorded);
  ASSERT_EQ(done.status, ConfigureStatus::kDone) << done.problem;
  const Result<GroupConfiguration> read = GroupConfigurations(folder_).Get("etl");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->version, 1);
  EXPECT_EQ(read->settings.at("enabled"), "false");
  EXPECT_EQ(ConfigurationJson(*read),
            "{\"version\":1,\"configuration\":{\"cpu.interval\":\"20ms\",\"enabled\":\"false\",\"executor.fraction\":"
            "\"0.5\"}}\n");
}

TEST_F(GroupConfigurationsTest, GroupsWithUnusualNamesAreSeparate) {
  for (const char* group : {"..", "a/b", "a%2Fb", ""}) {
    EXPECT_EQ(configurations_.Set(group, R"({"configuration":{}})", 0, kUnrecorded).status, ConfigureStatus::kDone)
        << group;
    EXPECT_EQ(configurations_.Get(group)->version, 1) << group;
  }
}

TEST_F(GroupConfigurationsTest, RefusesWhatAJobCannotTakeOver) {
  for (const char* json : {"", "[]", "{}", R"({"configuration":[]})", R"({"configuration":{"nonsense":"1"}})",
                           R"({"configuration":{"dir":"/tmp"}})", R"({"configuration":{"cpu.interval":"20"}})",
                           R"({"configuration":{"cpu.interval":"20ms"})"}) {
    const Configured refused = configurations_.Set("etl", json, {}, kUnrecorded);
    EXPECT_EQ(refused.status, ConfigureStatus::kInvalid) << json;
    EXPECT_FALSE(refused.problem.empty());
  }
  EXPECT_EQ(configurations_.Get("etl")->version, 0);
}

TEST_F(GroupConfigurationsTest, DoesNotOverwriteAnotherVersion) {
  EXPECT_EQ(configurations_.Set("etl", R"({"configuration":{}})", 0, kUnrecorded).status, ConfigureStatus::kDone);
  EXPECT_EQ(configurations_.Set("etl", R"({"configuration":{}})", 0, kUnrecorded).status, ConfigureStatus::kConflict);
  EXPECT_EQ(configurations_.Set("etl", R"({"configuration":{}})", 1, kUnrecorded).after.version, 2);
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "mcp/input_applications.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/testing/folder_test.h"

namespace sparkprof {
namespace {

std::string EventLog(const std::string& id, int64_t start_ms) {
  return fmt::format(R"({{"Event":"SparkListenerLogStart","Spark Version":"3.5.7"}}
{{"Event":"SparkListenerApplicationStart","App Name":"etl {}","App ID":"{}","Timestamp":{},"User":"me"}}
{{"Event":"SparkListenerApplicationEnd","Timestamp":{}}}
)",
                     id, id, start_ms, start_ms + 6000);
}

class InputApplicationsTest : public FolderTest {
 protected:
  // Applications app-10, app-11, …, each a minute after the one before.
  void WriteLogs(int count) {
    for (int i = 10; i < 10 + count; ++i) {
      Write(fmt::format("log{}", i), EventLog(fmt::format("app-{}", i), 1'700'000'000'000 + i * 60'000));
    }
  }
};

TEST_F(InputApplicationsTest, ListsTheLatestFirstWithNamesAndDurations) {
  WriteLogs(3);
  InputApplications applications({folder_}, {}, "");
  const Result<ApplicationList> list = applications.List({});
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->total, 3u);
  EXPECT_EQ(list->applications[0].name, "etl app-12");
  EXPECT_EQ(list->applications[0].duration_ns, 6'000'000'000);
  EXPECT_EQ(list->applications[0].status, "finished");
  EXPECT_EQ(list->applications[0].inputs, "event log");
  EXPECT_EQ(applications.List({.search = "APP-11"})->total, 1u);
  EXPECT_EQ(applications.List({.offset = 2})->applications.size(), 1u);
}

TEST_F(InputApplicationsTest, ReadsAnApplicationAgainThatIsNoLongerInMemory) {
  WriteLogs(12);
  InputApplications applications({folder_}, {}, "");
  for (int round = 0; round < 2; ++round) {
    const Result<ApplicationList> list = applications.List({});
    for (const ApplicationSummary& one : list->applications) {
      const Result<AskedApplication> asked = applications.Load(one.key);
      ASSERT_TRUE(asked) << asked.error().message;
      EXPECT_EQ(asked->recorded->name, one.name);
      EXPECT_NE(asked->answers, nullptr);
    }
  }
}

TEST_F(InputApplicationsTest, AcceptsTheIdOfAnApplicationWhoseInputHasAnotherName) {
  WriteLogs(1);
  InputApplications applications({folder_}, {}, "");
  EXPECT_TRUE(applications.Load("app-10"));
  const Result<AskedApplication> unknown = applications.Load("app-99");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "no application «app-99»: find_applications lists the IDs");
}

TEST_F(InputApplicationsTest, ManyApplicationsAreListedByTheirFirstEvents) {
  WriteLogs(30);
  InputApplications applications({folder_}, {}, "");
  const Result<ApplicationList> list = applications.List({});
  ASSERT_TRUE(list);
  EXPECT_EQ(list->total, 30u);
  EXPECT_EQ(list->applications[0].name, "etl app-39");
  EXPECT_EQ(list->applications[0].duration_ns, -1);
  ASSERT_TRUE(applications.Load(list->applications[0].key));
  EXPECT_EQ(applications.List({})->applications[0].duration_ns, 6'000'000'000);
}

TEST_F(InputApplicationsTest, AFolderWithoutApplicationsIsNamed) {
  InputApplications applications({folder_}, {}, "");
  const Result<ApplicationList> list = applications.List({});
  ASSERT_FALSE(list);
  EXPECT_TRUE(list.error().message.starts_with("no applications in " + folder_)) << list.error().message;
}

}  // namespace
}  // namespace sparkprof

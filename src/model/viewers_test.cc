// SPDX-License-Identifier: Apache-2.0
#include "model/viewers.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

Application With(std::string user, std::vector<std::pair<std::string, std::string>> settings) {
  Application application;
  application.user = std::move(user);
  application.environment = {{"Spark", std::move(settings)}};
  return application;
}

TEST(ViewersTest, AreTheUserAndThoseInTheSettings) {
  const std::string viewers = ViewersOf(With("alice", {{"spark.ui.view.acls", "bob, carol,,"},
                                                       {"spark.ui.view.acls.groups", "etl"},
                                                       {"spark.admin.acls", "root"},
                                                       {"spark.admin.acls.groups", "ops"},
                                                       {"spark.modify.acls", "mallory"}}));
  for (const char* user : {"alice", "bob", "carol", "root"}) EXPECT_TRUE(MayView(viewers, {user, {}})) << user;
  for (const char* user : {"", "ali", "lice", "Bob", "mallory", "etl", "user:bob"}) {
    EXPECT_FALSE(MayView(viewers, {user, {}})) << user;
  }
  EXPECT_TRUE(MayView(viewers, {"x", {"other", "etl"}}));
  EXPECT_TRUE(MayView(viewers, {"", {"ops"}}));
  EXPECT_FALSE(MayView(viewers, {"x", {"alice", "other"}}));
}

TEST(ViewersTest, AStarIsEverybody) {
  EXPECT_TRUE(MayView(ViewersOf(With("alice", {{"spark.ui.view.acls", "*"}})), {"", {}}));
  EXPECT_TRUE(MayView(ViewersOf(With("alice", {{"spark.admin.acls.groups", "*"}})), {"x", {}}));
  EXPECT_FALSE(MayView(ViewersOf(With("alice", {})), {"*x", {}}));
}

TEST(ViewersTest, NobodySeesAnApplicationThatNamesNobody) {
  EXPECT_FALSE(MayView(ViewersOf(Application()), {"", {}}));
  EXPECT_FALSE(MayView(ViewersOf(Application()), {"alice", {"etl"}}));
}

TEST(ViewersTest, LineEndsMakeNoOtherNames) {
  EXPECT_FALSE(MayView(ViewersOf(With("a\nuser:bob", {})), {"bob", {}}));
  EXPECT_FALSE(MayView(ViewersOf(With("alice", {})), {"x\n\nuser:alice", {}}));
}

TEST(ViewersTest, OtherPartsOfTheEnvironmentGrantNothing) {
  Application application = With("alice", {});
  application.environment.push_back({"System", {{"spark.ui.view.acls", "bob"}}});
  EXPECT_FALSE(MayView(ViewersOf(application), {"bob", {}}));
}

}  // namespace
}  // namespace sparkprof

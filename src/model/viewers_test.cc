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

TEST(ViewersTest, NobodySeesWhatAnotherTenantHas) {
  const std::string own = ViewersOf(With("alice", {{"spark.ui.view.acls", "*"}}));
  const std::string of_a = InTenant(own, "a"), of_nobody = InTenant("", "a");
  EXPECT_EQ(of_a, "\ntenant:a\ntenant:a/user:*\ntenant:a/user:alice\n");
  EXPECT_EQ(WithoutTenant(of_a), own);
  EXPECT_EQ(TenantOf(of_a), "a");
  EXPECT_EQ(TenantOf(own), "");
  EXPECT_EQ(WithoutTenant(of_nobody), "");
  EXPECT_TRUE(MayView(of_a, {.user = "alice", .groups = {}, .tenant = "a"}));
  for (const std::string& viewers : {of_a, of_nobody}) {
    EXPECT_TRUE(MayView(viewers, {.user = "", .groups = {}, .tenant = "a", .sees_all = true}));
    for (const char* const tenant : {"", "b", "A", "?"}) {
      EXPECT_FALSE(MayView(viewers, {.user = "alice", .groups = {"*"}, .tenant = tenant})) << tenant;
      EXPECT_FALSE(MayView(viewers, {.user = "alice", .groups = {}, .tenant = tenant, .sees_all = true})) << tenant;
    }
  }
  EXPECT_TRUE(MayView(own, {.user = "", .groups = {}, .sees_all = true}));
  EXPECT_FALSE(MayView(own, {.user = "alice", .groups = {}, .tenant = "a", .sees_all = true}));
}

TEST(ViewersTest, ATenantHasANameThatNoSeparatorIsIn) {
  for (const char* const name : {"a", "Team-1.x_y"}) EXPECT_TRUE(IsTenant(name)) << name;
  for (const std::string& name : {std::string(), std::string("a/b"), std::string("a b"), std::string(65, 'a')}) {
    EXPECT_FALSE(IsTenant(name)) << name;
  }
}

}  // namespace
}  // namespace sparkprof

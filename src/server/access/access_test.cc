// SPDX-License-Identifier: Apache-2.0
#include "server/access/access.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/file.h"

namespace sparkprof {
namespace {

std::string TokenFile(std::string_view text, mode_t mode = 0600) {
  std::string path = testing::TempDir() + "tokens-" + std::to_string(getpid());
  EXPECT_TRUE(WriteFile(path, text));
  chmod(path.c_str(), mode);
  return path;
}

Role RoleWith(const Access& access, const std::string& header, const std::string& value) {
  HttpRequest request;
  request.headers = {{header, value}};
  return access.RoleOf(request);
}

TEST(AccessTest, ReadsRolesFromHeaderAndCookie) {
  const Result<Access> access = Access::ReadTokens(
      TokenFile("# comment\nread aaaaaaaaaaaaaaaa\r\n\ningest bbbbbbbbbbbbbbbb\nadmin cccccccccccccc+c\n"));
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(RoleWith(*access, "authorization", "Bearer aaaaaaaaaaaaaaaa"), Role::kRead);
  EXPECT_EQ(RoleWith(*access, "authorization", "bearer bbbbbbbbbbbbbbbb"), Role::kIngest);
  EXPECT_EQ(RoleWith(*access, "authorization", "Basic aaaaaaaaaaaaaaaa"), Role::kNone);
  EXPECT_EQ(RoleWith(*access, "authorization", "Bearer aaaaaaaaaaaaaaa"), Role::kNone);
  EXPECT_EQ(RoleWith(*access, "cookie", "other=1; sparkprof=cccccccccccccc%2Bc"), Role::kAdmin);
  EXPECT_EQ(RoleWith(*access, "cookie", "sparkprofx=aaaaaaaaaaaaaaaa"), Role::kNone);
  EXPECT_EQ(RoleWith(*access, "x", ""), Role::kNone);
}

TEST(AccessTest, AllowsEverythingWithoutTokens) { EXPECT_EQ(RoleWith(Access(), "x", ""), Role::kAdmin); }

TEST(AccessTest, RefusesFilesThatProtectNothing) {
  EXPECT_FALSE(Access::ReadTokens(TokenFile("read aaaaaaaaaaaaaaaa\n", 0644)));
  for (const char* text :
       {"", "# nothing\n", "read\n", "read short\n", "root aaaaaaaaaaaaaaaa\n", "aaaaaaaaaaaaaaaa\n",
        "read aaaaaaaa aaaaaaaaaaaa\n", "read aaaaaaaaaaaaaaaa user=\n", "read aaaaaaaaaaaaaaaa groups=,\n",
        "read aaaaaaaaaaaaaaaa user=a user=b\n", "read aaaaaaaaaaaaaaaa name=a\n"}) {
    EXPECT_FALSE(Access::ReadTokens(TokenFile(text))) << text;
  }
}

TEST(AccessTest, OnlyRootsFilesMayBeReadByAGroup) {
  EXPECT_FALSE(IsExposed(0600, 10001, 10001));
  EXPECT_FALSE(IsExposed(0440, 0, 10001));
  EXPECT_TRUE(IsExposed(0444, 0, 10001));
  EXPECT_TRUE(IsExposed(0440, 10001, 10001));
  EXPECT_TRUE(IsExposed(0640, 0, 0));
}

TEST(AccessTest, RolesDoNotIncludeEachOther) {
  EXPECT_TRUE(Includes(Role::kAdmin, Role::kIngest));
  EXPECT_TRUE(Includes(Role::kIngest, Role::kAny));
  EXPECT_FALSE(Includes(Role::kNone, Role::kAny));
  EXPECT_FALSE(Includes(Role::kRead, Role::kIngest));
  EXPECT_FALSE(Includes(Role::kIngest, Role::kRead));
  EXPECT_FALSE(Includes(Role::kRead, Role::kAdmin));
  EXPECT_TRUE(Includes(Role::kNone, Role::kNone));
}

constexpr std::string_view kPeople =
    "read aaaaaaaaaaaaaaaa user=alice groups=etl,ops\nread bbbbbbbbbbbbbbbb\nadmin cccccccccccccccc user=carol\n";

Access PeopleWith(AclOptions acls) {
  Result<Access> access = Access::ReadTokens(TokenFile(kPeople));
  EXPECT_TRUE(access) << access.error().message;
  acls.is_enabled = true;
  access->SetAcls(std::move(acls));
  return *access;
}

// "all", or the user and groups.
std::string Asking(const Access& access, const std::string& token, HttpHeaders more = {},
                   const std::string& peer = "10.0.0.9") {
  HttpRequest request;
  request.headers = std::move(more);
  request.headers.emplace_back("authorization", "Bearer " + token);
  request.peer = peer;
  const std::optional<Viewer> viewer = access.ViewerOf(request);
  if (!viewer) return "all";
  std::string text = viewer->user + ":";
  for (const std::string& group : viewer->groups) text += " " + group;
  return text;
}

TEST(ViewerTest, IsTheUserOfTheToken) {
  const Access access = PeopleWith({});
  EXPECT_EQ(Asking(access, "aaaaaaaaaaaaaaaa"), "alice: etl ops");
  EXPECT_EQ(Asking(access, "bbbbbbbbbbbbbbbb"), ":");
  EXPECT_EQ(Asking(access, "cccccccccccccccc"), "all");
  EXPECT_EQ(Asking(access, "unknown"), ":");
  EXPECT_EQ(Asking(Access(), "unknown"), "all");
}

TEST(ViewerTest, AdministratorsSeeAll) {
  EXPECT_EQ(Asking(PeopleWith({.admins = {"alice"}}), "aaaaaaaaaaaaaaaa"), "all");
  EXPECT_EQ(Asking(PeopleWith({.admins = {"alice"}}), "bbbbbbbbbbbbbbbb"), ":");
  EXPECT_EQ(Asking(PeopleWith({.admin_groups = {"ops"}}), "aaaaaaaaaaaaaaaa"), "all");
  EXPECT_EQ(Asking(PeopleWith({.admins = {"etl"}, .admin_groups = {"alice"}}), "aaaaaaaaaaaaaaaa"), "alice: etl ops");
  EXPECT_EQ(Asking(PeopleWith({.admins = {"*"}}), "bbbbbbbbbbbbbbbb"), "all");
}

TEST(ViewerTest, HeadersCountFromTrustedProxiesOnly) {
  const Access access =
      PeopleWith({.admins = {"root"}, .user_header = "x-user", .groups_header = "x-groups", .proxies = {"10.0.0.1"}});
  const HttpHeaders dave = {{"x-user", "dave"}, {"x-groups", "etl, web"}};
  EXPECT_EQ(Asking(access, "bbbbbbbbbbbbbbbb", dave, "10.0.0.1"), "dave: etl web");
  EXPECT_EQ(Asking(access, "bbbbbbbbbbbbbbbb", dave, "::ffff:10.0.0.1"), "dave: etl web");
  EXPECT_EQ(Asking(access, "cccccccccccccccc", dave, "10.0.0.1"), "dave: etl web");
  EXPECT_EQ(Asking(access, "bbbbbbbbbbbbbbbb", {{"x-user", "root"}}, "10.0.0.1"), "all");
  EXPECT_EQ(Asking(access, "bbbbbbbbbbbbbbbb", {{"x-user", "root"}}, "10.0.0.2"), ":");
  EXPECT_EQ(Asking(access, "aaaaaaaaaaaaaaaa", dave, "10.0.0.2"), "alice: etl ops");
  EXPECT_EQ(Asking(access, "aaaaaaaaaaaaaaaa", {}, "10.0.0.1"), "alice: etl ops");
}

TEST(ViewerTest, TwoNamesAreNobody) {
  const Access access =
      PeopleWith({.admins = {"root"}, .user_header = "x-user", .groups_header = "x-groups", .proxies = {"10.0.0.1"}});
  EXPECT_EQ(Asking(access, "cccccccccccccccc", {{"x-user", "root"}, {"x-user", "dave"}}, "10.0.0.1"), ":");
  EXPECT_EQ(Asking(access, "cccccccccccccccc", {{"x-user", "dave"}, {"x-groups", "a"}, {"x-groups", "b"}}, "10.0.0.1"),
            "dave:");
}

TEST(ViewerTest, WithoutTheOptionAHeaderIsNothing) {
  EXPECT_EQ(Asking(PeopleWith({.proxies = {"10.0.0.1"}}), "bbbbbbbbbbbbbbbb", {{"x-user", "root"}}, "10.0.0.1"), ":");
}

TEST(ClientTest, IsTheUserOfTheProxyOrTheTokenWithItsNetwork) {
  const Access access = PeopleWith({.user_header = "x-user", .groups_header = "", .proxies = {"10.0.0.1"}});
  const auto client = [&access](const std::string& token, const std::string& peer, const std::string& user = "") {
    HttpRequest request;
    request.headers = {{"authorization", "Bearer " + token}};
    if (!user.empty()) request.headers.emplace_back("x-user", user);
    request.peer = peer;
    return access.ClientOf(request);
  };
  EXPECT_EQ(client("aaaaaaaaaaaaaaaa", "10.0.0.1", "dave"), client("bbbbbbbbbbbbbbbb", "10.0.0.1", "dave"));
  EXPECT_NE(client("aaaaaaaaaaaaaaaa", "10.0.0.1", "dave"), client("aaaaaaaaaaaaaaaa", "10.0.0.1", "eve"));
  EXPECT_EQ(client("aaaaaaaaaaaaaaaa", "10.0.0.2", "dave"), client("aaaaaaaaaaaaaaaa", "10.0.0.2", "eve"));
  EXPECT_NE(client("aaaaaaaaaaaaaaaa", "10.0.0.2"), client("bbbbbbbbbbbbbbbb", "10.0.0.2"));
  EXPECT_NE(client("aaaaaaaaaaaaaaaa", "10.0.0.2"), client("aaaaaaaaaaaaaaaa", "10.0.0.3"));
  EXPECT_EQ(client("aaaaaaaaaaaaaaaa", "2001:db8::1"), client("aaaaaaaaaaaaaaaa", "2001:db8::2"));
  EXPECT_EQ(client("unknown", "10.0.0.2"), "10.0.0.2");
  EXPECT_EQ(client("aaaaaaaaaaaaaaaa", "10.0.0.2").find("aaaa"), std::string::npos);
}

bool Forged(HttpHeaders headers, bool loopback_only) {
  HttpRequest request;
  request.headers = std::move(headers);
  return IsForged(request, loopback_only);
}

TEST(ForgedRequestTest, OtherOriginsAndNamesAreForged) {
  EXPECT_FALSE(Forged({{"host", "127.0.0.1:8320"}}, true));
  EXPECT_FALSE(Forged({{"host", "LocalHost:8320"}}, true));
  EXPECT_FALSE(Forged({{"host", "[::1]:8320"}}, true));
  EXPECT_TRUE(Forged({{"host", "rebound.example:8320"}}, true));
  EXPECT_TRUE(Forged({}, true));
  EXPECT_FALSE(Forged({{"host", "collector.example"}}, false));
  EXPECT_FALSE(Forged({{"host", "a:1"}, {"origin", "http://a:1"}}, false));
  EXPECT_TRUE(Forged({{"host", "a:1"}, {"origin", "http://b:1"}}, false));
  EXPECT_TRUE(Forged({{"host", "a:1"}, {"origin", "null"}}, false));
}

}  // namespace
}  // namespace sparkprof

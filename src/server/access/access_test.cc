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

// Describes what a request may read: "all", "all of TENANT", "alice: etl ops" or "bob: of TENANT"; or why it is
// rejected.
std::string Asking(const Access& access, const std::string& token, HttpHeaders more = {},
                   const std::string& peer = "10.0.0.9") {
  HttpRequest request;
  request.headers = std::move(more);
  request.headers.emplace_back("authorization", "Bearer " + token);
  request.peer = peer;
  const std::optional<Viewer> viewer = access.ViewerOf(request);
  const Result<std::string> tenant = access.TenantOf(request);
  if (!tenant) return tenant.error().message;
  if (!viewer) return "all";
  EXPECT_EQ(viewer->tenant, *tenant);
  if (viewer->sees_all) return "all of " + *tenant;
  std::string text = viewer->user + ":";
  for (const std::string& group : viewer->groups) text += " " + group;
  return tenant->empty() ? text : text + " of " + *tenant;
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

TEST(ViewerTest, AnEmptyNameIsNobody) {
  const Access access =
      PeopleWith({.admins = {"root"}, .user_header = "x-user", .groups_header = "x-groups", .proxies = {"10.0.0.1"}});
  EXPECT_EQ(Asking(access, "aaaaaaaaaaaaaaaa", {{"x-user", ""}}, "10.0.0.1"), ":");
  EXPECT_EQ(Asking(access, "cccccccccccccccc", {{"x-user", ""}}, "10.0.0.1"), ":") << "an administrator's token";
  EXPECT_EQ(Asking(access, "cccccccccccccccc", {{"x-user", ""}, {"x-groups", "etl"}}, "10.0.0.1"), ":");
  EXPECT_EQ(Asking(access, "cccccccccccccccc", {{"x-user", ""}, {"x-user", "root"}}, "10.0.0.1"), ":");
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

constexpr std::string_view kTenants =
    "read aaaaaaaaaaaaaaaa tenant=a\nread bbbbbbbbbbbbbbbb user=bob tenant=b\nadmin cccccccccccccccc tenant=a\n"
    "admin dddddddddddddddd\ningest eeeeeeeeeeeeeeee\n";

TEST(TenantTest, IsTheOneOfTheToken) {
  Result<Access> access = Access::ReadTokens(TokenFile(kTenants));
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_TRUE(access->HasTenants());
  EXPECT_EQ(Asking(*access, "aaaaaaaaaaaaaaaa"), "all of a");
  EXPECT_EQ(Asking(*access, "bbbbbbbbbbbbbbbb"), "all of b");
  EXPECT_EQ(Asking(*access, "cccccccccccccccc"), "all of a");
  EXPECT_EQ(Asking(*access, "dddddddddddddddd"), "all");
  EXPECT_EQ(Asking(*access, "eeeeeeeeeeeeeeee"), "all of ");
  access->SetAcls({.is_enabled = true, .admins = {"*"}});
  EXPECT_EQ(Asking(*access, "bbbbbbbbbbbbbbbb"), "all of b") << "an administrator of the own tenant";
  access->SetAcls({.is_enabled = true});
  EXPECT_EQ(Asking(*access, "aaaaaaaaaaaaaaaa"), ": of a");
  EXPECT_EQ(Asking(*access, "bbbbbbbbbbbbbbbb"), "bob: of b");
  EXPECT_EQ(Asking(*access, "cccccccccccccccc"), "all of a");
  for (const char* const wrong : {"tenant=", "tenant=a/b", "tenant=a tenant=b"}) {
    EXPECT_FALSE(Access::ReadTokens(TokenFile(std::string("read aaaaaaaaaaaaaaaa ") + wrong))) << wrong;
  }
}

TEST(TenantTest, IsTheOneThatATrustedProxyNames) {
  Result<Access> access = Access::ReadTokens(TokenFile("read aaaaaaaaaaaaaaaa\nread bbbbbbbbbbbbbbbb tenant=b\n"));
  ASSERT_TRUE(access);
  access->SetAcls({.tenant_header = "x-scope-orgid", .proxies = {"10.0.0.1"}});
  const HttpHeaders a = {{"x-scope-orgid", "a"}};
  EXPECT_EQ(Asking(*access, "aaaaaaaaaaaaaaaa", a, "10.0.0.1"), "all of a");
  EXPECT_EQ(Asking(*access, "aaaaaaaaaaaaaaaa", a, "10.0.0.2"), "all of ") << "not from the proxy";
  EXPECT_EQ(Asking(*access, "bbbbbbbbbbbbbbbb", a, "10.0.0.1"), "x-scope-orgid: the token is of another tenant");
  for (const HttpHeaders& headers : std::vector<HttpHeaders>{{}, {{"x-scope-orgid", "a|b"}}, {a.front(), a.front()}}) {
    EXPECT_NE(Asking(*access, "aaaaaaaaaaaaaaaa", headers, "10.0.0.1").find("expected one tenant"), std::string::npos);
  }
}

TEST(TenantTest, IsKnownFromTheHeadersThatNodesPassOn) {
  Access access;
  access.SetAcls({.user_header = "x-user", .tenant_header = "x-tenant", .proxies = {"10.0.0.1"}});
  EXPECT_EQ(access.IdentityHeaders(), (std::vector<std::string>{"authorization", "cookie", "x-user", "x-tenant"}));
}

TEST(TenantTest, OneSecretInTwoTenantsIsTwo) {
  Access access;
  access.SetAcls({.tenant_header = "x-tenant", .proxies = {"10.0.0.1"}});
  const auto sender = [&](const std::string& tenant) {
    HttpRequest request;
    request.headers = {{"x-tenant", tenant}, {"sparkprof-upload-secret", std::string(32, 's')}};
    request.peer = "10.0.0.1";
    return *access.SenderOf(request);
  };
  EXPECT_EQ(sender("a").tenant, "a");
  EXPECT_EQ(sender("a").secret, sender("a").secret);
  EXPECT_NE(sender("a").secret, sender("b").secret);
  EXPECT_NE(sender("a").token, sender("b").token);
}

}  // namespace
}  // namespace sparkprof

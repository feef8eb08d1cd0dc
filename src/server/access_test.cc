// SPDX-License-Identifier: Apache-2.0
#include "server/access.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

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
  for (const char* text : {"", "# nothing\n", "read\n", "read short\n", "root aaaaaaaaaaaaaaaa\n", "aaaaaaaaaaaaaaaa\n",
                           "read aaaaaaaa aaaaaaaaaaaa\n"}) {
    EXPECT_FALSE(Access::ReadTokens(TokenFile(text))) << text;
  }
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

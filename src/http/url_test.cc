// SPDX-License-Identifier: Apache-2.0
#include "http/url.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(UrlTest, HasThePortOfItsScheme) {
  const Result<Url> plain = ParseUrl("http://example.org"), secure = ParseUrl("HTTPS://example.org/base/?a=b#part");
  ASSERT_TRUE(plain && secure);
  EXPECT_EQ(plain->port, 80);
  EXPECT_EQ(plain->target, "/");
  EXPECT_EQ(plain->Authority(), "example.org");
  EXPECT_EQ(secure->port, 443);
  EXPECT_EQ(secure->target, "/base/?a=b");
}

TEST(UrlTest, KeepsBracketsOfIpv6InTheAuthorityOnly) {
  const Result<Url> url = ParseUrl("http://[::1]:8320/x");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->Authority(), "[::1]:8320");
}

TEST(UrlTest, RefusesWhatIsNotHttp) {
  for (const char* text : {"", "example.org", "ftp://example.org", "http://", "http://:80", "http://h:99999",
                           "http://h:x", "http://[::1", "http://a b/", "file:///etc/passwd"}) {
    EXPECT_FALSE(ParseUrl(text)) << text;
  }
}

TEST(UrlTest, RefusesPasswordsWithoutPrintingThem) {
  const Result<Url> url = ParseUrl("http://user:hunter2@example.org/");
  ASSERT_FALSE(url);
  EXPECT_EQ(url.error().message.find("hunter2"), std::string::npos);
}

TEST(PercentEncodingTest, RoundTripsEveryByte) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(PercentDecode(PercentEncode(all)), all);
  EXPECT_EQ(PercentEncode("a b/c~"), "a%20b%2Fc~");
  EXPECT_EQ(PercentDecode("a+b"), "a+b");
  EXPECT_EQ(PercentDecode("a+b", true), "a b");
  EXPECT_FALSE(PercentDecode("%4"));
  EXPECT_FALSE(PercentDecode("%zz"));
}

TEST(TargetTest, SplitsBeforeItDecodes) {
  HttpRequest request;
  ASSERT_TRUE(ParseTarget("/groups/a%2Fb/flame/?event=cpu&stage=3%2B1&empty=&x", &request));
  EXPECT_EQ(request.segments, (std::vector<std::string>{"groups", "a/b", "flame"}));
  EXPECT_EQ(request.Parameter("stage"), "3+1");
  EXPECT_EQ(request.parameters.size(), 4U);
  HttpRequest root;
  ASSERT_TRUE(ParseTarget("/", &root));
  EXPECT_TRUE(root.segments.empty());
}

TEST(TargetTest, RefusesPathsThatLeaveTheirFolder) {
  for (const char* target :
       {"", "x", "*", "/..", "/a/../b", "/a/%2e%2E/b", "/a//b", "/./a", "/a%00b", "/%", "/a?b=%1"}) {
    HttpRequest request;
    EXPECT_FALSE(ParseTarget(target, &request)) << target;
  }
}

TEST(ListenAddressTest, ReadsWhatPeopleWrite) {
  const auto read = [](const char* text) {
    const Result<ListenAddress> address = ParseListenAddress(text);
    return address ? address->host + " " + std::to_string(address->port) : "refused";
  };
  EXPECT_EQ(read("127.0.0.1:0"), "127.0.0.1 0");
  EXPECT_EQ(read("8320"), "127.0.0.1 8320");
  EXPECT_EQ(read("localhost:1"), "127.0.0.1 1");
  EXPECT_EQ(read(":80"), "0.0.0.0 80");
  EXPECT_EQ(read("[::1]:80"), "::1 80");
  for (const char* text : {"", "127.0.0.1", "example.org:80", "127.0.0.1:x", "127.0.0.1:70000", "[::1]"}) {
    EXPECT_EQ(read(text), "refused") << text;
  }
}

TEST(ListenAddressTest, KnowsLoopback) {
  EXPECT_TRUE((ListenAddress{"127.9.9.9", 0}).IsLoopback());
  EXPECT_TRUE((ListenAddress{"::1", 0}).IsLoopback());
  EXPECT_FALSE((ListenAddress{"0.0.0.0", 0}).IsLoopback());
  EXPECT_FALSE((ListenAddress{"10.0.0.1", 0}).IsLoopback());
  EXPECT_FALSE((ListenAddress{"::", 0}).IsLoopback());
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "http/signing.h"
#include "storage/credentials.h"

namespace sparkprof {
namespace {

std::string Bytes(const std::string& text) { return static_cast<char>(text.size()) + text; }

std::string TokenOf(const std::string& kind) {
  // A length beyond 127 has its size in the byte before it.
  return "\x8F" + std::string("\xC8") + std::string(200, 'i') + Bytes("password") + Bytes(kind) + Bytes("host:9870");
}

std::string TokenFile(const std::string& kind) {
  using std::string_literals::operator""s;
  return "HDTS\0\x02"s + Bytes("yarn") + Bytes("id") + Bytes("pw") + Bytes("YARN_AM_RM_TOKEN") + Bytes("") +
         Bytes("alias") + TokenOf(kind) + "\0"s;
}

TEST(HadoopTokenTest, TheTokenForHdfsIsWrittenForUrls) {
  for (const char* const kind : {"WEBHDFS delegation", "HDFS_DELEGATION_TOKEN"})
    EXPECT_EQ(HdfsTokenOf(TokenFile(kind)).value(), Base64Url(TokenOf(kind)));
}

TEST(HadoopTokenTest, FilesWithoutOneAndTruncatedOnesAreRefused) {
  EXPECT_EQ(HdfsTokenOf(TokenFile("HIVE")).error().message, "the token file has no token for HDFS");
  EXPECT_FALSE(HdfsTokenOf("HDTS\x01"));
  const std::string whole = TokenFile("WEBHDFS delegation");
  for (size_t size = 0; size + 1 < whole.size(); ++size) EXPECT_FALSE(HdfsTokenOf(whole.substr(0, size))) << size;
}

}  // namespace
}  // namespace sparkprof

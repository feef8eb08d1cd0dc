// SPDX-License-Identifier: Apache-2.0
#include "http/message.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(HttpHeaderTest, OnlyTokensAreNames) {
  EXPECT_TRUE(IsHeaderName("content-type"));
  EXPECT_TRUE(IsHeaderName("x_1!"));
  for (const std::string name : {"", "a b", "a:b", "a\r\nb", "a\n", "a\"b", "\xC3\xA9", "a(b)"}) {
    EXPECT_FALSE(IsHeaderName(name)) << name;
  }
}

TEST(HttpHeaderTest, AValueHasNoControlCharacters) {
  EXPECT_EQ(HeaderValue("a; b=\"c\", \xC3\xA9"), "a; b=\"c\", \xC3\xA9");
  EXPECT_EQ(HeaderValue(std::string("a\r\nb: c\0d\te\x7f\x1b", 13)), "a  b: c d e  ");
}

TEST(HttpHeaderTest, TheNameOfADownloadEndsNoQuotesAndLeavesNoFolder) {
  EXPECT_EQ(AttachmentNamed("eventLogs-app-1.zip"), "attachment; filename=eventLogs-app-1.zip");
  EXPECT_EQ(AttachmentNamed("a\"; x=\"../../b%41'.zip"), "attachment; filename=a___x__.._.._b_41_.zip");
  EXPECT_EQ(AttachmentNamed("a\r\nSet-Cookie: b"), "attachment; filename=a__Set-Cookie__b");
  EXPECT_EQ(AttachmentNamed(std::string("a\0b", 3)), "attachment; filename=a_b");
  EXPECT_EQ(AttachmentNamed("../x"), "attachment; filename=___x");
  EXPECT_EQ(AttachmentNamed(""), "attachment; filename=_");
}

TEST(HttpHeaderTest, LettersBeyondAsciiAreInTheExtendedName) {
  EXPECT_EQ(AttachmentNamed("\xC3\xA9t\xC3\xA9/1.zip"),
            "attachment; filename=_t__1.zip; filename*=utf-8''%C3%A9t%C3%A9_1.zip");
  // A mark that reverses the direction of text would hide the ending.
  EXPECT_EQ(AttachmentNamed("a\xE2\x80\xAEpiz.exe"), "attachment; filename=a_piz.exe");
}

}  // namespace
}  // namespace sparkprof

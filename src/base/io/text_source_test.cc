// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/io/byte_source.h"

namespace sparkprof {
namespace {

using std::string_view_literals::operator""sv;

// Delivers one byte at a time, so that every boundary falls between two pieces.
class ByteByByte : public ByteSource {
 public:
  explicit ByteByByte(std::string_view bytes) : bytes_(bytes) {}
  Result<size_t> Read(char* bytes, size_t) override {
    if (next_ == bytes_.size()) return 0;
    bytes[0] = bytes_[next_++];
    return 1;
  }

 private:
  const std::string bytes_;
  size_t next_ = 0;
};

std::string Decoded(std::string_view bytes) {
  const std::string slow = *ReadAll(DecodeText(std::make_unique<ByteByByte>(bytes), "x").get(), 1 << 20, "x");
  EXPECT_EQ(*ReadAll(DecodeText(StringSource(std::string(bytes)), "x").get(), 1 << 20, "x"), slow);
  return slow;
}

TEST(TextSource, RemovesTheByteOrderMarkOfUtf8) {
  EXPECT_EQ(Decoded("\xef\xbb\xbf"
                    "a;b 1\n"),
            "a;b 1\n");
  EXPECT_EQ(Decoded("\xef\xbb"), "\xef\xbb");
}

TEST(TextSource, ConvertsUtf16WithAByteOrderMark) {
  EXPECT_EQ(Decoded("\xff\xfe"
                    "a\0\xe9\0\xac\x20\x3d\xd8\x00\xde\n\0"sv),
            "aé€😀\n");
  EXPECT_EQ(Decoded("\xfe\xff"
                    "\0a\0\xe9\x20\xac\xd8\x3d\xde\x00\0\n"sv),
            "aé€😀\n");
}

TEST(TextSource, ConvertsUtf16WithoutAByteOrderMark) {
  EXPECT_EQ(Decoded("a\0;\0b\0\n\0"sv), "a;b\n");
  EXPECT_EQ(Decoded("\0a\0;\0b\0\n"sv), "a;b\n");
  EXPECT_EQ(Decoded("\1\0\2\0"sv), "\1\0\2\0"sv);
  EXPECT_EQ(Decoded("a\0bc\0\0"sv), "a\0bc\0\0"sv);
}

TEST(TextSource, ReplacesInvalidUtf16) {
  EXPECT_EQ(Decoded("\xff\xfe"
                    "\x00\xde"
                    "a\0\x3d\xd8"sv),
            "\ufffda\ufffd");
  EXPECT_EQ(Decoded("\xff\xfe"
                    "\x3d\xd8"
                    "a\0"sv),
            "\ufffda");
}

TEST(TextSource, KeepsTheTextBeforeATruncatedUtf16Unit) {
  const auto source = DecodeText(StringSource(std::string("\xff\xfe"
                                                          "a\0b"sv)),
                                 "x.txt");
  std::optional<Error> error;
  EXPECT_EQ(ReadUpTo(source.get(), 100, &error), "a");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "x.txt: UTF-16 text truncated at byte 5");
}

TEST(TextSource, LinesEndInLineFeeds) {
  EXPECT_EQ(Decoded("a 1\r\nb 2\r\n"), "a 1\nb 2\n");
  EXPECT_EQ(Decoded("a 1\rb 2\r"), "a 1\nb 2\n");
  EXPECT_EQ(Decoded("a 1\r\r\nb\rc 2\r\n"), "a 1\r\nb\rc 2\n");
  EXPECT_EQ(Decoded("a 1\n\rb\n"), "a 1\n\rb\n");
  EXPECT_EQ(Decoded("\xff\xfe"
                    "a\0\r\0\n\0b\0\r\0\n\0"sv),
            "a\nb\n");
}

TEST(TextSource, BinaryDataPassesUnchanged) {
  for (const std::string_view bytes :
       {"FLR\0\r\n\r\r"sv, "\xff\xfe\0\0a\0\0\0\r\0\0\0"sv, "\0\r"sv, "\x12\r\n\x02\x01\x02"sv, ""sv}) {
    EXPECT_EQ(Decoded(bytes), bytes);
  }
}

TEST(TextSource, AnErrorOfTheSourceComesAfterItsText) {
  const auto source = DecodeText(HeadedSource("a\r", Error{"x: broken"}, StringSource({})), "x");
  std::optional<Error> error;
  EXPECT_EQ(ReadUpTo(source.get(), 100, &error), "a\n");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "x: broken");
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/archive.h"

namespace sparkprof {
namespace {

class YarnTextTest : public testing::Test {
 protected:
  Archive List(const std::string& text) {
    text_ = text;
    Result<Archive> listed = ListYarnText([this]() -> Result<std::unique_ptr<ByteSource>> {
      ++opened_;
      return StringSource(text_);
    });
    EXPECT_TRUE(listed.has_value());
    opened_ = 0;
    return listed ? std::move(*listed) : Archive();
  }

  static std::string Content(const ArchiveEntry& entry) {
    Result<std::unique_ptr<ByteSource>> source = entry.open();
    if (!source) return "cannot open: " + source.error().message;
    std::optional<Error> error;
    return ReadUpTo(source->get(), size_t{1} << 20, &error);
  }

  std::string text_;
  int opened_ = 0;
};

std::string Log(std::string_view name, std::string_view content) {
  return "LogType:" + std::string(name) + "\nLogLength:" + std::to_string(content.size()) + "\nLog Contents:\n" +
         std::string(content) + "\nEnd of LogType:" + std::string(name) + "\n";
}

TEST_F(YarnTextTest, ALogIsReadInAnyOrderAndTheTextOnceInItsOwn) {
  std::string text = "Container: container_1 on host-1_45454\n";
  std::vector<std::string> contents;
  for (int log = 0; log < 4; ++log) {
    contents.push_back(std::string(static_cast<size_t>(1000 + log), static_cast<char>('a' + log)));
    text += Log("log" + std::to_string(log), contents.back());
  }
  const Archive archive = List(text);
  ASSERT_EQ(archive.entries.size(), 4u);
  for (size_t log = 0; log < 4; ++log) EXPECT_EQ(Content(archive.entries[log]), contents[log]);
  EXPECT_EQ(opened_, 1);
  for (size_t log = 4; log > 0; --log) EXPECT_EQ(Content(archive.entries[log - 1]), contents[log - 1]);
  for (size_t log = 0; log < 4; ++log) EXPECT_EQ(Content(archive.entries[log]), contents[log]);
}

TEST_F(YarnTextTest, TwoLogsCanBeReadAtOnce) {
  const Archive archive = List("Container: container_1 on host-1_45454\n" + Log("a", "first") + Log("b", "second"));
  ASSERT_EQ(archive.entries.size(), 2u);
  Result<std::unique_ptr<ByteSource>> first = archive.entries[0].open(), second = archive.entries[1].open();
  ASSERT_TRUE(first && second);
  std::optional<Error> error;
  EXPECT_EQ(ReadUpTo(first->get(), 3, &error), "fir");
  EXPECT_EQ(ReadUpTo(second->get(), 3, &error), "sec");
  EXPECT_EQ(ReadUpTo(first->get(), 100, &error), "st");
  EXPECT_EQ(ReadUpTo(second->get(), 100, &error), "ond");
  EXPECT_EQ(opened_, 2);
}

TEST_F(YarnTextTest, LogsAreNamedAfterTheirContainer) {
  const Archive archive = List(Log("early", "0") + "Container: container_1 on host-1_45454\r\n" + Log("stderr", "1") +
                               Log("stderr", "2") + "Container: container_2\n" + Log("stderr", "3"));
  ASSERT_EQ(archive.entries.size(), 4u);
  EXPECT_EQ(archive.entries[0].name, "container/early");
  EXPECT_EQ(archive.entries[0].host, "");
  EXPECT_EQ(archive.entries[1].name, "container_1/stderr");
  EXPECT_EQ(archive.entries[1].host, "host-1");
  EXPECT_EQ(archive.entries[2].name, "container_1/stderr.1");
  EXPECT_EQ(archive.entries[3].name, "container_2/stderr");
  EXPECT_EQ(archive.entries[3].host, "");
}

TEST_F(YarnTextTest, AWrongLengthGivesWayToTheEndOfTheLog) {
  const Archive archive = List(
      "Container: container_1 on h_1\nLogType:a\nLogLength:2\nLogContents:\nlonger than that\nEnd of LogType:a\n"
      "LogType:b\nLogLength:many\nLogContents:\nno length\nContainer: container_2 on h_1\n"
      "LogType:c\nLogLength:-5\nLogContents:\nlast, without an end");
  ASSERT_EQ(archive.entries.size(), 3u);
  EXPECT_EQ(Content(archive.entries[0]), "longer than that\n");
  EXPECT_EQ(Content(archive.entries[1]), "no length\n");
  EXPECT_EQ(archive.entries[2].name, "container_2/c");
  EXPECT_EQ(Content(archive.entries[2]), "last, without an end");
}

TEST_F(YarnTextTest, ContentsWithoutATypeAreNotALog) {
  EXPECT_TRUE(List("Container: container_1 on h_1\nLogLength:3\nLogContents:\nabc\n").entries.empty());
}

TEST_F(YarnTextTest, ATextThatShrankIsAnError) {
  const Archive archive = List(Log("a", "first") + Log("b", "second"));
  ASSERT_EQ(archive.entries.size(), 2u);
  text_ = "LogType:a\n";
  EXPECT_EQ(Content(archive.entries[1]).find("cannot open: the output of `yarn logs` now ends at byte 10, before"), 0u);
}

}  // namespace
}  // namespace sparkprof

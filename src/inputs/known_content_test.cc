// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "inputs/content_kind.h"

namespace sparkprof {
namespace {

using std::string_view_literals::operator""sv;

TEST(KnownContent, NamesFilesOfOtherPrograms) {
  for (const auto& [head, name] : {std::pair("\x89PNG\r\n\x1a\n\0"sv, "a PNG image"sv),
                                   {"\xff\xd8\xff\xe0\0\x10JFIF"sv, "a JPEG image"},
                                   {"RIFF\x24\0\0\0WEBPVP8 "sv, "a WebP image"},
                                   {"%PDF-1.7\n"sv, "a PDF document"},
                                   {"PK\x03\x04\x14\0"sv, "a zip archive: unpack it first"},
                                   {"BZh91AY&SY"sv, "bzip2-compressed: decompress it first"},
                                   {"\xfd\x37zXZ\0"sv, "xz-compressed: decompress it first"},
                                   {"\x7f\x45LF\x02\x01"sv, "a program"},
                                   {"JAVA PROFILE 1.0.2\0"sv, "a Java heap dump"},
                                   {"\xff\xfe\0\0a\0\0\0"sv, "UTF-32 text: convert it to UTF-8 with iconv first"}}) {
    EXPECT_EQ(DescribeUnread(head), name);
  }
  const std::string tar = std::string(257, 'x') + "ustar";
  EXPECT_EQ(DescribeUnread(tar), "a tar archive: unpack it first");
  EXPECT_EQ(DescribeUnread(std::string_view(tar).substr(0, 260)), "text without stacks");
}

TEST(KnownContent, GuessesWhatTextIs) {
  EXPECT_EQ(DescribeText("Nothing of Spark.\nOnly two lines, and a comma.\n"), "plain text");
  EXPECT_EQ(DescribeText("\nfrom pyspark.sql import SparkSession\n"), "Python code");
  EXPECT_EQ(DescribeText("SELECT 1\n"), "SQL");
  EXPECT_EQ(DescribeText("id,name\n1,a\n2,b\n"), "a table of comma-separated values");
  EXPECT_EQ(DescribeText("spark.executor.memory 4g\n"), "settings of Spark");
  EXPECT_EQ(DescribeText("How long?\n\n| stage | delay |\n| --- | --- |\n"), "a table in Markdown");
  EXPECT_EQ(DescribeText("+---+\n| id|\n+---+\n"), "a table of rows (show)");
  EXPECT_EQ(DescribeText(""), "plain text");
}

TEST(KnownContent, TellsTextFromDocumentsAndBinaryData) {
  EXPECT_EQ(DescribeUnread("hello\nworld\n"), "text without stacks");
  EXPECT_EQ(DescribeUnread(" \n<html>"), "an XML or HTML document");
  EXPECT_EQ(DescribeUnread("{\"a\": 1}"), "an unknown JSON document");
  EXPECT_EQ(DescribeUnread("[INFO] a"), "text without stacks");
  EXPECT_EQ(DescribeUnread("Stra\xDF"
                           "e in Latin-1"),
            "text without stacks");
  EXPECT_EQ(DescribeUnread("\x89noise\x02 with few control characters"), "an unknown binary format");
  EXPECT_EQ(DescribeUnread("\x01\x02\x03"), "an unknown binary format");
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "failures/message_sign.h"

#include <gtest/gtest.h>

#include <string>

namespace sparkprof {
namespace {

// The value of the hole "x"; "-" without a match.
std::string ValueIn(std::string_view sign, std::string_view text) {
  const MessageSign message(sign);
  HoleValues values;
  const size_t at = text.find(message.Begin());
  if (at == std::string_view::npos || !message.Match(text, at, &values)) return "-";
  return std::string(values.Find("x").value_or(""));
}

TEST(MessageSignTest, HolesHaveTypes) {
  EXPECT_EQ(ValueIn("after {x:int} ms", "after 1,200 ms"), "1,200");
  EXPECT_EQ(ValueIn("after {x:int} ms", "after -5 ms"), "-5");
  EXPECT_EQ(ValueIn("after {x:int} ms", "after some ms"), "-");
  EXPECT_EQ(ValueIn("version {x:number})", "version 61.0)"), "61.0");
  EXPECT_EQ(ValueIn("used {x:size} of", "used 1026.4 MiB of"), "1026.4 MiB");
  EXPECT_EQ(ValueIn("used {x:size} of", "used 6GB of"), "6GB");
  EXPECT_EQ(ValueIn("used {x:size} of", "used 6 of"), "-");
  EXPECT_EQ(ValueIn("in {x:path}", "in /tmp/a, and"), "/tmp/a");
  EXPECT_EQ(ValueIn("host {x:word} was", "host node-7.example was"), "node-7.example");
  EXPECT_EQ(ValueIn("region {x:word}", "region eu-west-1. This"), "eu-west-1");
  EXPECT_EQ(ValueIn("class {x:class}.", "class com.example.Job."), "com.example.Job");
  EXPECT_EQ(ValueIn("changed from {before:int} to {x:smaller},", "changed from 900 to 15,"), "15");
  EXPECT_EQ(ValueIn("changed from {before:int} to {x:smaller},", "changed from 15 to 900,"), "-");
  EXPECT_EQ(ValueIn("alive{blanks}{x:size}", "alive\t 2.0 GiB"), "2.0 GiB");
  EXPECT_EQ(ValueIn("alive{blanks}{x:size}", "alive2.0 GiB"), "-");
  EXPECT_EQ(ValueIn("column {x:text}.b in {x:same}.c,", "column a.b in a.c,"), "a");
  EXPECT_EQ(ValueIn("column {x:text}.b in {x:same}.c,", "column a.b in d.c,"), "-");
}

TEST(MessageSignTest, TextsEndAtTheNextLiteralOrTheLine) {
  EXPECT_EQ(ValueIn("on {x:text}: full", "on the disk: full"), "the disk");
  EXPECT_EQ(ValueIn("on {x:text}", "on the disk\nat x"), "the disk");
  EXPECT_EQ(ValueIn("on {x:text}: full", "on the disk\n: full"), "-");
  EXPECT_EQ(ValueIn("Job aborted.{end}", "Job aborted.\nCaused by"), "");
  EXPECT_EQ(ValueIn("Job aborted.{end}", "Job aborted. Then"), "-");
}

TEST(MessageSignTest, LinesReachAFrameBelowTheMessage) {
  EXPECT_EQ(
      ValueIn("after {x:int} s{lines}.doExecute", "after 300 s\n\tat a.Await.result(a:1)\n\tat Join.doExecute(b:2)"),
      "300");
  EXPECT_EQ(ValueIn("after {x:int} s{lines}.doExecute", "after 300 s\n\tat a.Await.result(a:1)"), "-");
}

TEST(MessageSignTest, WordsAreWhole) {
  EXPECT_EQ(ValueIn("OutOfMemoryError", "java.lang.OutOfMemoryError: x"), "");
  EXPECT_EQ(ValueIn("OutOfMemoryError", "-XX:OnOutOfMemoryError='kill %p'"), "-");
  EXPECT_EQ(ValueIn("OutOfMemoryError", "OutOfMemoryErrors"), "-");
  EXPECT_EQ(ValueIn("-104", "status -104."), "");
  EXPECT_EQ(ValueIn("-104", "status -1041"), "-");
}

}  // namespace
}  // namespace sparkprof

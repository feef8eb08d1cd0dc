// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/testing/folder_test.h"
#include "model/hash_bytes.h"
#include "server/folders/collector_files.h"
#include "server/testing/colliding_texts.h"

namespace sparkprof {
namespace {

using FileNameTest = FolderTest;

TEST_F(FileNameTest, NobodyCanChooseTextsWithOneName) {
  const auto [first, second] = CollidingTexts();
  ASSERT_EQ(HashBytes(first), HashBytes(second));
  EXPECT_EQ(OldFileNameFor(first), OldFileNameFor(second));
  EXPECT_NE(FileNameFor(first), FileNameFor(second));
  EXPECT_LT(FileNameFor(first).size(), 200u) << "leaves room for endings";
}

TEST_F(FileNameTest, ShortTextsKeepTheirNames) {
  EXPECT_EQ(FileNameFor("app-1"), "app-1");
  EXPECT_EQ(FileNameFor(".."), "%2E.");
  EXPECT_EQ(FileNameFor("a/b+c"), "a%2Fb%2Bc");
  EXPECT_EQ(OldFileNameFor("a/b+c"), "a%2Fb%2Bc");
}

TEST_F(FileNameTest, AFileOfAnEarlierVersionIsFoundUntilItIsReplaced) {
  const std::string text(300, 'x');
  const std::string old = Path(OldFileNameFor(text) + ".json"), current = Path(FileNameFor(text) + ".json");
  EXPECT_EQ(FindFile(folder_, text, ".json"), current);
  std::ofstream(old) << "{}";
  EXPECT_EQ(FindFile(folder_, text, ".json"), old);
  std::ofstream(current) << "{}";
  EXPECT_EQ(FindFile(folder_, text, ".json"), current);
}

}  // namespace
}  // namespace sparkprof

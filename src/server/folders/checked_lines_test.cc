// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "server/folders/collector_files.h"

namespace sparkprof {
namespace {

TEST(CheckedLinesTest, EveryDamagedByteIsNoticed) {
  const std::string whole = WithChecksum(R"({"a":1})") + "\n" + WithChecksum(R"({"b":"x"})") + "\n";
  const CheckedLines read = ReadCheckedLines(whole);
  EXPECT_EQ(read.lines, (std::vector<std::string>{R"({"a":1})", R"({"b":"x"})"}));
  EXPECT_FALSE(read.is_old);
  EXPECT_EQ(read.damaged, 0U);
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char other : {'\0', '"', '}', '0', '\n', '\x7f'}) {
      if (whole[at] == other) continue;
      std::string damaged = whole;
      damaged[at] = other;
      const CheckedLines checked = ReadCheckedLines(damaged);
      EXPECT_GT(checked.damaged, 0U) << damaged;
      for (const std::string& line : checked.lines) {
        EXPECT_TRUE(line == read.lines[0] || line == read.lines[1]) << line;
      }
    }
  }
}

TEST(CheckedLinesTest, FilesOfEarlierVersionsHaveNoChecksums) {
  const CheckedLines read = ReadCheckedLines("{\"a\":1}\nnot JSON\n{\"b\":2}\n{\"c\"");
  EXPECT_TRUE(read.is_old);
  EXPECT_EQ(read.damaged, 2U);
  EXPECT_EQ(read.lines, (std::vector<std::string>{"{\"a\":1}", "{\"b\":2}"}));
}

TEST(CheckedLinesTest, ALineWithoutAChecksumIsDamagedAmongOthersThatHaveOne) {
  const CheckedLines read = ReadCheckedLines("{\"a\":1}\n" + WithChecksum("{\"b\":2}") + "\n");
  EXPECT_EQ(read.damaged, 1U);
  EXPECT_EQ(read.lines, std::vector<std::string>{"{\"b\":2}"});
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "capture/proc.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace sparkprof {
namespace {

constexpr char kStat[] =
    "4242 (a) (b c) S 17 4242 4242 0 -1 4194304 100 0 0 0 250 50 7 3 20 0 12 0 987654 2500000 1234 "
    "18446744073709551615 "
    "1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";

TEST(ProcessStat, IsReadWithBracketsAndBlanksInTheCommand) {
  const auto stat = ParseProcessStat(kStat, "stat");
  ASSERT_TRUE(stat) << stat.error().message;
  EXPECT_EQ(stat->pid, 4242);
  EXPECT_EQ(stat->command, "a) (b c");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent_pid, 17);
  EXPECT_EQ(stat->user_ticks, 250);
  EXPECT_EQ(stat->system_ticks, 50);
  EXPECT_EQ(stat->children_user_ticks, 7);
  EXPECT_EQ(stat->children_system_ticks, 3);
  EXPECT_EQ(stat->threads, 12);
  EXPECT_EQ(stat->start_ticks, 987654);
  EXPECT_EQ(stat->rss_pages, 1234);
}

TEST(ProcessStat, ACutLineIsAnErrorThatNamesTheFile) {
  const std::string_view whole = kStat;
  for (size_t size = 0; size < whole.find(" 1234"); ++size) {
    const auto stat = ParseProcessStat(whole.substr(0, size), "/proc/1/stat");
    ASSERT_FALSE(stat) << size;
    EXPECT_TRUE(stat.error().message.starts_with("/proc/1/stat: ")) << stat.error().message;
  }
}

TEST(ProcessIo, ReadsWhatReachedStorage) {
  const auto io = ParseProcessIo(
      "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 4096\nwrite_bytes: 8192\n"
      "cancelled_write_bytes: 5\n",
      "io");
  ASSERT_TRUE(io);
  EXPECT_EQ(io->read_bytes, 4096);
  EXPECT_EQ(io->write_bytes, 8192);
  EXPECT_FALSE(ParseProcessIo("rchar: 1\n", "io"));
  EXPECT_FALSE(ParseProcessIo("read_bytes: x\nwrite_bytes: 1\n", "io"));
}

TEST(ProcessStat, OfThisProcessIsTrue) {
  const auto stat = ReadProcessStat(getpid());
  ASSERT_TRUE(stat) << stat.error().message;
  EXPECT_EQ(stat->pid, getpid());
  EXPECT_EQ(stat->parent_pid, getppid());
  EXPECT_GT(stat->rss_pages, 0);
  EXPECT_FALSE(ReadProcessStat(1LL << 40));
}

}  // namespace
}  // namespace sparkprof

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
  EXPECT_EQ(stat->minor_faults, 100);
  EXPECT_EQ(stat->major_faults, 0);
  EXPECT_EQ(stat->virtual_bytes, 2500000);
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

constexpr char kMemory[] =
    "00400000-7fff0000 ---p 00000000 00:00 0 [rollup]\nRss: 100 kB\nPss: 40 kB\nPss_Anon: 9 kB\nShared_Clean: 50 kB\n"
    "Shared_Dirty: 10 kB\nPrivate_Clean: 8 kB\nPrivate_Dirty: 12 kB\nSwap: 3 kB\nSwapPss: 1 kB\n";

TEST(MemorySharesTest, AreSumsInBytes) {
  const auto memory = ParseMemoryShares(kMemory, "smaps_rollup");
  ASSERT_TRUE(memory) << memory.error().message;
  EXPECT_EQ(memory->proportional, 40 << 10);
  EXPECT_EQ(memory->own, 20 << 10);
  EXPECT_EQ(memory->shared, 60 << 10);
  EXPECT_EQ(memory->swap, 3 << 10);
}

TEST(MemorySharesTest, DamagedTextIsAnErrorOrLess) {
  const std::string_view whole = kMemory;
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto memory = ParseMemoryShares(whole.substr(0, size), "x");
    EXPECT_LE(memory ? memory->own : 0, 20 << 10);
  }
  EXPECT_FALSE(ParseMemoryShares("", "x"));
  EXPECT_FALSE(ParseMemoryShares("Pss: -1 kB\n", "x"));
  EXPECT_FALSE(ParseMemoryShares("Pss: 9223372036854775807 kB\n", "x"));
}

TEST(ProcessStatusTest, HasWhatNoCheaperFileHas) {
  const auto status = ParseProcessStatus(
      "Name:\tx\nUid:\t1000\t1001\t1000\t1000\nVmHWM:\t  12 kB\nVmSwap:\t 1 kB\n"
      "voluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t8\n",
      "status");
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(status->user_id, 1001);
  EXPECT_EQ(status->peak_rss_bytes, 12 << 10);
  EXPECT_EQ(status->swap_bytes, 1 << 10);
  EXPECT_EQ(status->voluntary_switches, 7);
  EXPECT_EQ(status->involuntary_switches, 8);
  EXPECT_FALSE(ParseProcessStatus("Name: x\n", "status"));
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

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

std::string Words(const std::vector<uint64_t>& words, int size, bool big_endian = false) {
  std::string bytes;
  for (const uint64_t word : words) {
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(word >> (8 * (big_endian ? size - 1 - i : i)));
  }
  return bytes;
}

constexpr const char* kMap =
    "400000-500000 r-xp 00000000 08:01 12 /usr/bin/job\n7f0000-7f9000 r-xp 0000 08:01 13 /lib/libc.so.6\n";

TEST(LegacyPprofTest, CpuProfilesOfAllWordFormats) {
  const std::vector<uint64_t> words = {0, 3, 0, 10'000, 0, 3, 2, 0x400100, 0x7f0011, 2, 1, 0x10, 0, 1, 0};
  for (const auto& [size, big_endian] : {std::pair(4, false), {4, true}, {8, false}, {8, true}}) {
    const std::string text = Words(words, size, big_endian) + kMap;
    EXPECT_EQ(RecognizeProfileFormat(text)->name, "legacy-pprof");
    const Result<Profile> profile = ReadProfile("legacy-pprof", text);
    ASSERT_TRUE(profile);
    // Addresses of callers are of the call, one before the address to return to.
    EXPECT_EQ(StacksOf(*profile, 0), (Stacks{{"libc.so.6+0x7f0010;job+0x400100", 30'000'000}, {"0x10", 20'000'000}}));
    EXPECT_EQ(profile->samples[0].count, 3);
    EXPECT_EQ(profile->events[0], (ProfileEvent{"cpu", "ns", "samples", false}));
  }
}

TEST(LegacyPprofTest, FramesOfTheSignalHandlerAreRemoved) {
  std::vector<uint64_t> words = {0, 3, 0, 1, 0};
  for (uint64_t i = 0; i < 40; ++i) words.insert(words.end(), {1, 4, 0x1000 + i, 0x51, 0x61, 0x71});
  words.insert(words.end(), {1, 3, 0x2000, 0x2000, 0x81, 0, 1, 0});
  const Stacks stacks = StacksOfText("legacy-pprof", Words(words, 8));
  EXPECT_EQ(stacks.size(), 41u);
  EXPECT_EQ(stacks.count("0x70;0x1000"), 1u);
  // A leaf that is also its own caller is there once.
  EXPECT_EQ(stacks.count("0x80;0x2000"), 1u);
}

TEST(LegacyPprofTest, JavaProfilesHaveNames) {
  const std::string text = Words({0, 3, 1, 1000, 0, 2, 3, 3, 4, 5, 0, 1, 0}, 8) +
                           " 0x3 com.example.Job.run (Job.java:12)\n 0x4 start (/usr/lib/libjvm.so)\n 0x5 GC\n";
  EXPECT_EQ(StacksOfText("legacy-pprof", text), (Stacks{{"GC;start;com.example.Job.run:12", 2'000'000}}));
}

TEST(LegacyPprofTest, AddressesBelongToTheFilesOfTheMap) {
  const std::string map =
      "nonsense\n10-20 r-xp 0 08:01 1  /usr/bin/job\n20-30 rw-p 0 08:01 5 /data\n"
      "100-200 r-xp 80 08:01 6 /lib/late.so (deleted)\n500-508 r-xp 0 00:00 0  [vdso]\n300-400 r-xp 0 00:00 0\n";
  const auto stack = [&](uint64_t address) {
    return StacksOfText("legacy-pprof", Words({0, 3, 0, 1, 0, 1, 1, address, 0, 1, 0}, 8) + map).begin()->first;
  };
  EXPECT_EQ(stack(0x15), "job+0x15");
  EXPECT_EQ(stack(0x25), "0x25") << "not executable";
  EXPECT_EQ(stack(0x504), "[vdso]+0x504");
  EXPECT_EQ(stack(0x150), "late.so+0x150");
  EXPECT_EQ(stack(0x90), "late.so+0x90") << "in its first part, which the map lacks";
  EXPECT_EQ(stack(0x350), "0x350");
}

TEST(LegacyPprofTest, DamageNamesTheOffset) {
  const std::string cpu = Words({0, 3, 0, 10'000, 0, 3, 2, 0x400100, 0x7f0011, 1, 99}, 8);
  EXPECT_EQ(DamageOf("legacy-pprof", cpu), "input: offset 72: expected a sample's count, depth and addresses");
  EXPECT_EQ(StacksOfText("legacy-pprof", cpu, {.lenient = true}), (Stacks{{"0x400100", 30'000'000}}));
  EXPECT_EQ(DamageOf("legacy-pprof", cpu.substr(0, 72)).substr(0, 38), "input: offset 72: expected the words 0");
  EXPECT_EQ(DamageOf("legacy-pprof", Words({0, 3, 0, 10'000, 0, UINT64_MAX, 0, 0, 1, 0}, 8)),
            "input: offset 40: expected a count of samples, found 18446744073709551615");
  EXPECT_EQ(DamageOf("legacy-pprof", "no profile\n"), "input: offset 0: expected the header of a CPU profile");
}

}  // namespace
}  // namespace sparkprof::testing

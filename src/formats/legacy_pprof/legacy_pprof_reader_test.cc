// SPDX-License-Identifier: Apache-2.0
#include "formats/legacy_pprof/legacy_pprof_reader.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "formats/legacy_pprof/memory_map.h"
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

Stacks StacksOfEvent(const std::string& text, std::string_view event) {
  const Result<Profile> profile = ReadProfile("legacy-pprof", text);
  EXPECT_TRUE(profile) << profile.error().message;
  return StacksOf(*profile, *profile->FindEvent(event));
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
  const std::string cpu = Words({0, 3, 1, 1000, 0, 2, 2, 3, 4, 0, 1, 0}, 8) +
                          " 0x3 com.example.Job.run (Job.java:12)\n 0x4 start (/usr/lib/libjvm.so)\n";
  EXPECT_EQ(StacksOfText("legacy-pprof", cpu), (Stacks{{"start;com.example.Job.run:12", 2'000'000}}));
  const std::string heap =
      "--- heapz 1 ---\nformat = java\nresolution = bytes\n 1048576 2 @ 0x3 0x4\n\n 0x3 a (A.java:1)\n 0x4 GC\n";
  EXPECT_EQ(StacksOfEvent(heap, "inuse_objects"), (Stacks{{"GC;a:1", 3}}));
  EXPECT_EQ(StacksOfEvent(heap, "inuse_space"), (Stacks{{"GC;a:1", 1'658'822}}));
  const std::string locks =
      "--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = 100\n"
      "  14 1 @ 0x3\n  2 3 @ 0x4\n 0x3 a\n 0x4 b\n";
  EXPECT_EQ(StacksOfEvent(locks, "delay"), (Stacks{{"a", 1'400'000}, {"b", 200'000}}));
  EXPECT_EQ(StacksOfEvent(locks, "contentions"), (Stacks{{"a", 100}, {"b", 300}}));
}

TEST(LegacyPprofTest, HeapsAreScaledBySamplingRate) {
  const std::string samples =
      "  2: 1048576 [ 2: 1048576] @ 0x400101 0x400201\n\nMAPPED_LIBRARIES:\n" + std::string(kMap);
  const std::string exact = "heap profile: 2: 1048576 [ 2: 1048576] @ heapprofile\n" + samples;
  EXPECT_EQ(StacksOfText("legacy-pprof", exact), (Stacks{{"job+0x400200;job+0x400100", 1048576}}));
  const std::string sampled = "heap profile: 2: 1048576 [ 2: 1048576] @ heap_v2/524288\n" + samples;
  EXPECT_EQ(StacksOfText("legacy-pprof", sampled), (Stacks{{"job+0x400200;job+0x400100", 1'658'822}}));
  EXPECT_EQ(StacksOfEvent(sampled, "objects"), (Stacks{{"job+0x400200;job+0x400100", 3}}));
  const std::string growth = "heap profile: 2: 1048576 [ 2: 1048576] @ growthz\n" + samples;
  EXPECT_EQ(StacksOfText("legacy-pprof", growth), (Stacks{{"job+0x400200;job+0x400100", 1048576}}));
  // With allocations that were freed.
  const std::string both = "heap profile: 1: 8 [ 3: 24] @ heapprofile\n1: 8 [3: 24] @ 0x11\n";
  EXPECT_EQ(StacksOfEvent(both, "alloc_objects"), (Stacks{{"0x10", 3}}));
  EXPECT_EQ(StacksOfText("legacy-pprof", both), (Stacks{{"0x10", 8}}));
}

TEST(LegacyPprofTest, TheHeadersTypeGivesTheRateOfAHeap) {
  const auto space = [](const std::string& type) {
    return StacksOfText("legacy-pprof",
                        "heap profile: 2: 1048576 [ 2: 1048576] @ " + type + "\n2: 1048576 [2: 1048576] @ 0x11\n")
        .at("0x10");
  };
  EXPECT_EQ(space("heap_v2/524288"), 1'658'822);
  EXPECT_EQ(space("heapz_v2/524288"), 1'658'822);
  EXPECT_EQ(space("heap/1048576"), 1'658'822) << "twice the rate";
  EXPECT_EQ(space("heap_v2"), 1'048'576);
  EXPECT_EQ(space("heap_v2/"), 1'048'576);
  EXPECT_EQ(space("heap_v2/1"), 1'048'576) << "every allocation";
  EXPECT_EQ(space("heap_v2/2"), 1'048'576);
  EXPECT_EQ(space("fragmentationz/524288"), 1'048'576);
}

TEST(LegacyPprofTest, AllocationsAreColumnsWhenTheyDifferFromWhatIsInUse) {
  const auto events = [](const std::string& header) {
    const Result<Profile> profile = ReadProfile("legacy-pprof", "heap profile: " + header + "\n1: 8 [3: 24] @ 0x11\n");
    std::vector<std::string> names;
    for (const ProfileEvent& event : profile->events) names.push_back(event.name);
    return names;
  };
  using Names = std::vector<std::string>;
  const Names all = {"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}, some = {"objects", "space"};
  EXPECT_EQ(events("1: 8 [3: 24] @ heapprofile"), all);
  EXPECT_EQ(events("1: 8 [1: 24] @ heapprofile"), all);
  EXPECT_EQ(events("1: 8 [3: 8] @ heapprofile"), all);
  EXPECT_EQ(events("1: 8 [1: 8] @ heapprofile"), some);
  EXPECT_EQ(events("1: 8 [0: 0] @ heapprofile"), some);
  EXPECT_EQ(events("1: 8 [3: 24] @ growthz"), some);
}

TEST(LegacyPprofTest, BytesWithoutObjectsAreDamage) {
  const std::string header = "heap profile: 1: 8 [3: 24] @ heapprofile\n";
  const std::string expected = "input: line 2: expected 1: 2 [3: 4] @ 0x1 0x2, found ";
  EXPECT_EQ(DamageOf("legacy-pprof", header + "0: 8 [3: 24] @ 0x11\n"), expected + "'0: 8 [3: 24] @ 0x11'");
  EXPECT_EQ(DamageOf("legacy-pprof", header + "1: 8 [0: 1] @ 0x11\n"), expected + "'1: 8 [0: 1] @ 0x11'");
  EXPECT_EQ(DamageOf("legacy-pprof", header + "1: 8 [3: 24] @ 0x11111111111111111\n"),
            expected + "'1: 8 [3: 24] @ 0x11111111111111111'");
  for (const char* const line : {"1 8 [3: 24] @ 0x11", "1: 8 3: 24] @ 0x11", "1: 8 [3: 24 @ 0x11", "1: 8 [3: 24] 0x11",
                                 "x: 8 [3: 24] @ 0x11", "1: x [3: 24] @ 0x11"}) {
    EXPECT_EQ(DamageOf("legacy-pprof", header + line + "\n"), expected + "'" + line + "'");
  }
  EXPECT_EQ(StacksOfEvent(header + "0: 0 [3: 24] @ 0x11\n", "alloc_space"), (Stacks{{"0x10", 24}}));
  EXPECT_EQ(StacksOfEvent(header + "1:8[3:24]@0x11\n", "alloc_space"), (Stacks{{"0x10", 24}})) << "no blanks";
  EXPECT_EQ(StacksOfEvent(header + "1: 8 \t [3: 24] @ 0x11\n", "alloc_space"), (Stacks{{"0x10", 24}}));
}

TEST(LegacyPprofTest, SampledHeapsOfNothingStayNothing) {
  const std::string text = "heap profile: 1: 8 [3: 24] @ heap_v2/524288\n0: 0 [3: 24] @ 0x11\n";
  const Result<Profile> profile = ReadProfile("legacy-pprof", text);
  ASSERT_TRUE(profile);
  EXPECT_EQ(StacksOf(*profile, *profile->FindEvent("inuse_space")).size(), 0u);
  EXPECT_GT(StacksOf(*profile, *profile->FindEvent("alloc_space")).at("0x10"), 1'500'000);
}

TEST(LegacyPprofTest, DamageInOtherTextsNamesTheLine) {
  const std::string locks = "--- contentionz 1 ---\nsampling period = 2\n";
  for (const char* const line :
       {"1 @ 0x11", "1 2 0x11", "x 2 @ 0x11", "1 2 @ 0x11111111111111111", "1 9223372036854775807 @ 0x11"}) {
    EXPECT_EQ(DamageOf("legacy-pprof", locks + line + "\n"),
              "input: line 3: expected 1 2 @ 0x1 0x2, found '" + std::string(line) + "'");
  }
  EXPECT_EQ(DamageOf("legacy-pprof", "--- contentionz 1 ---\ncycles/second = 1\n9223372036854775807 1 @ 0x11\n"),
            "input: line 3: expected 1 2 @ 0x1 0x2, found '9223372036854775807 1 @ 0x11'");
  EXPECT_EQ(DamageOf("legacy-pprof", "goroutine profile: total 5\n3 0x11\n"),
            "input: line 2: expected 1 @ 0x1 0x2, found '3 0x11'");
  EXPECT_EQ(DamageOf("legacy-pprof", "goroutine profile: total 5\n@ 0x11\n"),
            "input: line 2: expected 1 @ 0x1 0x2, found '@ 0x11'");
  const std::string java = "--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = 100\n";
  EXPECT_EQ(DamageOf("legacy-pprof", java + "14 @ 0x3\n"), "input: line 5: expected 1 2 @ 0x1 0x2, found '14 @ 0x3'");
  EXPECT_EQ(DamageOf("legacy-pprof", java + "9223372036854775807 1 @ 0x3\n").substr(0, 14), "input: line 5:");
  EXPECT_EQ(DamageOf("legacy-pprof", java + "1 9223372036854775807 @ 0x3\n").substr(0, 14), "input: line 5:");
  EXPECT_EQ(DamageOf("legacy-pprof", "--- heapz 1 ---\nformat = java\nresolution = bytes\n 8 0 @ 0x3\n").substr(0, 14),
            "input: line 4:");
}

TEST(LegacyPprofTest, TheCyclesOfALaterLineAreASample) {
  const std::string text =
      "--- contentionz 1 ---\ncycles/second = 1000000000\n7 1 @ 0x11\n"
      "discarded samples = 3\n";
  EXPECT_EQ(DamageOf("legacy-pprof", text), "input: line 4: expected 1 2 @ 0x1 0x2, found 'discarded samples = 3'");
  EXPECT_EQ(StacksOfText("legacy-pprof", "--- contentionz 1 ---\n7 1 @ 0x11\n"), (Stacks{{"0x10", 7}}));
}

TEST(LegacyPprofTest, ContentionIsScaledToNanoseconds) {
  const std::string text =
      "--- contentionz 1 ---\ncycles/second = 2000000000\nsampling period = 10\n"
      "  400  3 @ 0x11 0x400201\n--- Memory map: ---\n  400000-500000: /usr/bin/job\n";
  EXPECT_EQ(StacksOfText("legacy-pprof", text), (Stacks{{"job+0x400200;0x10", 2000}}));
  EXPECT_EQ(StacksOfEvent(text, "contentions"), (Stacks{{"job+0x400200;0x10", 30}}));
}

TEST(LegacyPprofTest, GosCommentsAreSymbols) {
  const std::string text =
      "goroutine profile: total 5\n3 @ 0x11 0x21 0x31\n#\t0x10\tmain.inlined+0x1\t/src/main.go:3\n"
      "#\t0x10\tmain.f+0x9\t\t/src/main.go:7\n#\t0x20\tmain.main+0x1\t/src/main.go:9\n\n"
      "2 @ 0x11 0x31\n#\t0x10\tmain.inlined+0x1\t/src/main.go:3\n#\t0x10\tmain.f+0x9\t\t/src/main.go:7\n";
  EXPECT_EQ(StacksOfText("legacy-pprof", text),
            (Stacks{{"0x30;main.main:9;main.f:7;main.inlined:3", 3}, {"0x30;main.f:7;main.inlined:3", 2}}));
  EXPECT_EQ(RecognizeProfileFormat(text)->name, "legacy-pprof");
  const std::string mutex =
      "--- mutex:\ncycles/second=1000000000\nsampling period=2\n7 1 @ 0x11\n#\t0x10\tf+0x1\t/a.go:1\n";
  EXPECT_EQ(StacksOfText("legacy-pprof", mutex), (Stacks{{"f:1", 14}}));
}

TEST(LegacyPprofTest, ThreadsWithTheSameStackAreCounted) {
  const std::string text =
      "--- threadz 1 ---\n\n--- Thread 7f79 (name: main/12) stack: ---\n  PC:  0x400100: helper(arg *)\n  0x400201: "
      "main\n"
      "--- Thread 7f78 (name: worker/13) stack: ---\n  [same as previous thread]\n"
      "--- Thread 7f77 (name: other/14) stack: ---\n  PC: 0x7f0010 0x400301\n--- Memory map: ---\n" +
      std::string(kMap);
  EXPECT_EQ(StacksOfText("legacy-pprof", text),
            (Stacks{{"main;helper(arg *)", 2}, {"job+0x400300;libc.so.6+0x7f0010", 1}}));
}

TEST(LegacyPprofTest, DamageNamesTheLineOrOffset) {
  EXPECT_EQ(DamageOf("legacy-pprof", "heap profile: 1: 8 [ 1: 8] @ heapprofile\n1: 8 [1: 8] @ 0x11\n1: x\n"),
            "input: line 3: expected 1: 2 [3: 4] @ 0x1 0x2, found '1: x'");
  EXPECT_EQ(DamageOf("legacy-pprof", "goroutine profile: total 5\n3 @ 0x11111111111111111\n").substr(0, 14),
            "input: line 2:");
  const std::string cpu = Words({0, 3, 0, 10'000, 0, 3, 2, 0x400100, 0x7f0011, 1, 99}, 8);
  EXPECT_EQ(DamageOf("legacy-pprof", cpu), "input: offset 72: expected a sample's count, depth and addresses");
  EXPECT_EQ(StacksOfText("legacy-pprof", cpu, {.lenient = true}), (Stacks{{"0x400100", 30'000'000}}));
  EXPECT_EQ(DamageOf("legacy-pprof", cpu.substr(0, 72)).substr(0, 38), "input: offset 72: expected the words 0");
  EXPECT_EQ(DamageOf("legacy-pprof", "no profile\n"), "input: offset 0: expected the header of a CPU profile");
}

TEST(MemoryMapTest, ReadsFormsOfLegacyProfiles) {
  MemoryMap map;
  map.AddLines(
      "build=/b/1\n  10-20: $build/job\nI0101 12:00:00 7 x.cc:12] 30-40: /logged.so\n"
      "0x50-0x60 /at.so (@1000) abc\n70-80 rw-p 0 08:01 5 /data\nnonsense\n90-a0: [vdso]\n");
  map.Finish();
  EXPECT_EQ(map.FileOf(0x15), "/b/1/job");
  EXPECT_EQ(map.FileOf(0x20), "");
  EXPECT_EQ(map.FileOf(0x35), "/logged.so");
  EXPECT_EQ(map.FileOf(0x55), "/at.so");
  EXPECT_EQ(map.FileOf(0x75), "");
  EXPECT_EQ(map.FileOf(0x95), "[vdso]");
}

}  // namespace
}  // namespace sparkprof::testing

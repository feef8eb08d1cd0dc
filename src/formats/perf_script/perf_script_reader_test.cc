// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_script/perf_script_reader.h"

#include <gtest/gtest.h>

#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

constexpr const char* kTwoSamples =
    "# cmdline : /usr/bin/perf record -g\n"
    "java 24636/25607 [000] 4794564.109216:   10 cycles:pppH: \n"
    "\tffffffff8103ce3b native_safe_halt+0x7 ([kernel.kallsyms])\n"
    "\t7f722d142778 Ljava/io/PrintStream;::print+0x12 (/tmp/perf-19982.map)\n"
    "\t7f00 [unknown] (/usr/lib/libc-2.33.so)\n"
    "\n"
    "V8 Worker Thread 1/2 1.500000: cycles:pppH: \n"
    "\t1 std::vector<int>::push(int) (/x)\n"
    "\t2 outer->inner (/x)\n"
    "\n";

TEST(PerfScriptReaderTest, ReadsStacksAsStackcollapsePerfHasThem) {
  EXPECT_EQ(StacksOfText("perf", kTwoSamples),
            (Stacks{{"java;[libc-2.33.so];java/io/PrintStream:::print;native_safe_halt", 10},
                    {"V8_Worker_Thread;outer;inner_[i];std::vector<int>::push", 1}}));
}

TEST(PerfScriptReaderTest, KeepsThreadsTimesAndEvents) {
  const Result<Profile> profile = ReadProfile("perf", kTwoSamples, {.keep_threads = true, .bucket_ns = 1});
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->samples.size(), 2u);
  EXPECT_EQ(profile->samples[0].time_ns, 4'794'564'109'216'000);
  EXPECT_EQ(profile->threads[profile->samples[0].thread], (ProfileThread{24636, 25607, "java"}));
  EXPECT_EQ(profile->events[0], (ProfileEvent{"cycles:pppH", "count"}));
}

TEST(PerfScriptReaderTest, TheFirstEventIsTheDefault) {
  const std::string text = "a 1 2.0: 5 cycles: \n\t1 f (/x)\n\na 1 2.0: 7 instructions: \n\t1 f (/x)\n\n";
  const Result<Profile> profile = ReadProfile("perf", text);
  ASSERT_TRUE(profile);
  EXPECT_EQ(StacksOf(*profile, 0), (Stacks{{"a;f", 5}}));
  EXPECT_EQ(StacksOf(*profile, 1), (Stacks{{"a;f", 7}}));
  EXPECT_EQ(profile->default_event, 0u);
}

TEST(PerfScriptReaderTest, ASampleAtTheEndNeedsNoEmptyLine) {
  EXPECT_EQ(StacksOfText("perf", "a 1 2.0: 5 cycles: \n\t1 f (/x)"), (Stacks{{"a;f", 5}}));
}

// Frames with a known address use a fast path. Both paths must agree, also for a reused address, a missing offset and a
// module with parentheses. perf pads addresses to 16 characters; with 17, the fast path is not used.
TEST(PerfScriptReaderTest, FramesThatWereSeenAreReadLikeNewOnes) {
  const char* const rests[] = {"f+0x12 (/x)",
                               "f+0xab3 (/x)",
                               "f (/x)",
                               "f+0x (/x)",
                               "ff+0x1 (/x)",
                               "f+0x1 (/x/y)",
                               "g (b)+0x1 (/x (deleted))",
                               "a->b+0x7 (/x)",
                               "[unknown] (/x)",
                               "(no) (/x)",
                               "f+0x1 ([kernel.kallsyms])",
                               "+0x1 (/x)",
                               "f(int)+0x1 (/x)",
                               "f+0x1 (/x)\r",
                               "Ljava/io/Y;::z+0x1 (/tmp/perf-1.map)",
                               "f+0x1+0x2 (/x)"};
  std::string known, fresh;
  uint32_t seed = 1;
  const auto random = [&](uint32_t below) { return (seed = seed * 1664525 + 1013904223) / 65536 % below; };
  for (int sample = 0; sample < 400; ++sample) {
    const std::string head = std::string(sample % 3 == 0 ? "java" : "ls") + " 1 2.0: 5 cycles: \n";
    known += head;
    fresh += head;
    for (uint32_t frame = random(6) + 1; frame > 0; --frame) {
      const std::string address(1, static_cast<char>('a' + random(4)));
      const std::string rest = rests[random(std::size(rests))];
      known += "\t" + std::string(15, ' ') + address + " " + rest + "\n";
      fresh += "\t" + std::string(16, ' ') + address + " " + rest + "\n";
    }
    known += "\n";
    fresh += "\n";
  }
  EXPECT_EQ(StacksOfText("perf", known), StacksOfText("perf", fresh));
}

TEST(PerfScriptReaderTest, DamageNamesTheLine) {
  EXPECT_EQ(DamageOf("perf", "a 1 2.0: 5 cycles: \n\t1 f (/x)\nwhat\n\n"),
            "input: line 3: expected an address, a symbol and (module), or an empty line, found 'what'");
}

}  // namespace
}  // namespace sparkprof::testing

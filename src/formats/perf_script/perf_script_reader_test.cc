// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

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

TEST(PerfScriptReaderTest, FramesNeedNeitherSymbolNorModule) {
  EXPECT_EQ(StacksOfText("perf", "a 1 2.0: cycles: \n\t7f00 (/usr/lib/libc.so.6)\n\t7f01  (/x)\n\n"),
            (Stacks{{"a; ;[libc.so.6]", 1}}));
  EXPECT_EQ(StacksOfText("perf", "a 1 2.0: cycles: \n\t    7f00 read+0x1\n\t    7f01 std::f<int>\n\t  7f02\n\n"),
            (Stacks{{"a;[unknown];std::f<int>;read", 1}}));
}

TEST(PerfScriptReaderTest, FramesMayBeginTheLine) {
  EXPECT_EQ(StacksOfText("perf", "java 19983 cycles:\nffff8103 f ([kernel.kallsyms])\nc6d78 g 12 x:1 (/x)\n\n"),
            (Stacks{{"java;g 12 x:1;f", 1}}));
}

TEST(PerfScriptReaderTest, SamplesMayBeSingleLines) {
  EXPECT_EQ(StacksOfText("perf",
                         "      false 39654 19.489713:          7 cycles:  ffff9b20 [unknown] ([unknown])\n"
                         "         dd 39654 19.489719:          3 cycles:      7fa6 main+0x4 (/usr/lib/ld-2.31.so)\n"
                         "  a.cpp:12\n"),
            (Stacks{{"false;[unknown]", 7}, {"dd;main", 3}}));
  EXPECT_EQ(StacksOfText("perf", "   dd 22733   7fb9db f (/x)\n   dd 22733   7fb9dc g (/x)\n"),
            (Stacks{{"dd;f", 1}, {"dd;g", 1}}));
}

// -F +addr prints the address of the data before the stack.
TEST(PerfScriptReaderTest, AStackBelowReplacesTheFrameInTheLine) {
  EXPECT_EQ(StacksOfText("perf", "dd 1 2.0:  3 faults:  7f00 data+0x1 (/x)\n\t7f01 f (/x)\n\t7f02 main (/x)\n\n"),
            (Stacks{{"dd;main;f", 3}}));
}

TEST(PerfScriptReaderTest, ASampleEndsWhereTheNextOneBegins) {
  EXPECT_EQ(StacksOfText("perf",
                         "perf 0 0.000000: PERF_RECORD_COMM: perf:1/1\n"
                         "dd 1 [000] 2.0: sched:sched_switch: prev_pid=0 ==> next_pid=7\n"
                         "   dd 1 [000] 3.0: sched:sched_switch: prev_pid=7 ==> next_pid=0\n"
                         "\t7f01 f (/x)\n"
                         "dd 1 4.0: PERF_RECORD_EXIT(1:1):(1:1)\n"),
            (Stacks{{"dd", 1}, {"dd;f", 1}}));
}

TEST(PerfScriptReaderTest, WithoutACommandTheProcessIsTheRoot) {
  EXPECT_EQ(StacksOfText("perf", "1/2 2.0: cycles: \n\t7f01 f (/x)\n\n3 2.0: cycles: \n\t7f01 f (/x)\n\n"),
            (Stacks{{":1;f", 1}, {":3;f", 1}}));
  EXPECT_EQ(StacksOfText("perf", "cycles: \n\t7f01 f (/x)\n\n"), (Stacks{{"f", 1}}));
}

TEST(PerfScriptReaderTest, ModulesTellTheKindsOfFrames) {
  const Result<Profile> profile =
      ReadProfile("perf",
                  "a 1 2.0: cycles: \n\t1 a (/boot/vmlinux-5.4.14-x_1)\n\t2 b (/lib/x.ko.xz)\n"
                  "\t3 c ([nf_tables])\n\t4 d (/tmp/perf-1.map)\n\t5 e (/x/jitted-1-2.so)\n"
                  "\t6 f (inlined)\n\t7 g (/x/vmlinux/x)\n\t8 h ([unknown])\n\n");
  ASSERT_TRUE(profile);
  std::string kinds;
  std::vector<FrameId> path;
  profile->stacks.Unwind(profile->samples[0].stack, &path);
  for (const FrameId frame : path) {
    const FrameKind kind = profile->frames.Get(frame).kind;
    kinds += kind == FrameKind::kKernel    ? 'k'
             : kind == FrameKind::kJit     ? 'j'
             : kind == FrameKind::kInlined ? 'i'
             : kind == FrameKind::kNative  ? 'n'
                                           : '-';
  }
  EXPECT_EQ(kinds, "-nnijjkkk");
}

TEST(PerfScriptReaderTest, LinesMayEndAsOnWindows) {
  std::string text = kTwoSamples;
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, 1, '\r');
  EXPECT_EQ(StacksOfText("perf", text), StacksOfText("perf", kTwoSamples));
}

TEST(PerfScriptReaderTest, PerfsBinaryFormatIsNamed) {
  for (const char* const magic : {"PERFILE2", "2ELIFREP"}) {
    const std::string data = std::string(magic) + std::string(100, '\0');
    EXPECT_TRUE(LooksLikePerfScript(data));
    const Result<Profile> profile = ReadProfile("perf", data, {.lenient = true});
    ASSERT_FALSE(profile);
    EXPECT_EQ(profile.error().message,
              "input: this is perf's binary format; run perf script -i FILE >perf.txt and read perf.txt");
  }
}

TEST(PerfScriptReaderTest, EveryFormIsRecognized) {
  for (const char* const text :
       {"java 19983 cycles:\nffff8103 f ([kernel.kallsyms])\n\n", "sleep 22733 \n\t1 f (/x)\n\n",
        "   dd 22733   7fb9db f (/x)\n", "cycles:  7f f (/x)\n", "a 1 2.0: cycles: \n\t  7fb9dbee f\n\n",
        "a 1 2.0: cycles: \n\t  7fb9dbee\n\n", "a 1 2.0: PERF_RECORD_COMM: a:1/1\na 1 2.0: cycles: \n",
        "a 1 2.0: PERF_RECORD_COMM: a:1/1\n"}) {
    EXPECT_TRUE(LooksLikePerfScript(text)) << text;
  }
  for (const char* const text :
       {"main;f (x) 1\n", "at 12 x:\n  at a.b(c)\n", "Caused by:\n\tadd (x)\n",
        "0000000000401136 T main\n0000000000401137 T f\n", "a;b 1795256429005000\na;c 1795256429005001\n"}) {
    EXPECT_FALSE(LooksLikePerfScript(text)) << text;
  }
}

// A stack of which nothing can be read is no sample without a stack.
TEST(PerfScriptReaderTest, ASampleWithoutAReadableFrameIsSkipped) {
  const std::string text = "a 1 2.0: 5 cycles: \n\tnothing\n\nb 1 2.0: 5 cycles: \n\n";
  EXPECT_EQ(StacksOfText("perf", text, {.lenient = true}), (Stacks{{"b", 5}}));
  EXPECT_EQ(DamageOf("perf", text),
            "input: line 2: expected an address, a symbol and (module), or an empty line, found '\tnothing'");
}

TEST(PerfScriptReaderTest, DamageNamesTheLine) {
  EXPECT_EQ(DamageOf("perf", "a 1 2.0: 5 cycles: \n\t1 f (/x)\nwhat\n\n"),
            "input: line 3: expected an address, a symbol and (module), or an empty line, found 'what'");
}

// The output of perf 6.1 with -F: `head` before each stack of -g, or before the only address without it.
TEST(PerfScriptReaderTest, AnyFieldsCanBeBeforeAStack) {
  const std::string stack = "\t            1162 fib\n\t    7fc2f5a1bd90 main\n\n";
  const struct {
    std::string head, without_stack, root;
    int64_t weight = 2;
  } cases[] = {
      {"", "", ""},                                                       // ip,sym
      {"fib ", "             fib ", "fib;"},                              // comm,ip,sym
      {"17003 ", "17003 ", ":17003;"},                                    // pid,ip,sym
      {"17003/17004 ", "17003/17004 ", ":17003;"},                        // pid,tid,ip,sym
      {"   2004008 ", "   2004008 ", ""},                                 // period,ip,sym
      {"cpu-clock: ", "cpu-clock: ", ""},                                 // event,ip,sym
      {" 4643.682072: ", " 4643.682072: ", ""},                           // time,ip,sym
      {"fib 17003 ", "             fib 17003 ", "fib;"},                  // comm,tid,ip,sym
      {"fib  4643.682072: ", "             fib  4643.682072: ", "fib;"},  // comm,time,ip,sym
      {"my fib    2004008 cpu-clock: ", "          my fib    2004008 cpu-clock: ", "my_fib;"},
      {"fib 17003    2004008 cpu-clock: ", "             fib 17003    2004008 cpu-clock: ", "fib;"},
      {"fib 17003  4643.682072:    2004008 ", "             fib 17003  4643.682072:    2004008 ", "fib;", 4008016},
  };
  for (const auto& one : cases) {
    const std::string text = one.head + "\n" + stack + one.head + "\n" + stack;
    EXPECT_TRUE(LooksLikePerfScript(text)) << text;
    EXPECT_EQ(StacksOfText("perf", text), (Stacks{{one.root + "main;fib", one.weight}})) << text;
    const std::string line = one.without_stack + "     564424acd14d fib\n";
    EXPECT_TRUE(LooksLikePerfScript(line + line)) << line;
    EXPECT_EQ(StacksOfText("perf", line + line), (Stacks{{one.root + "fib", one.weight}})) << line;
  }
}

TEST(PerfScriptReaderTest, AddressesNeedNeitherSymbolNorModuleAndMayHaveSourceLines) {
  const std::string address = "             fib      564424acd14d";
  EXPECT_EQ(StacksOfText("perf", address + "\n" + address + "\n"), (Stacks{{"fib;[unknown]", 2}}));
  EXPECT_EQ(StacksOfText("perf", address + " (/x/fib)\n" + address + " (/x/fib)\n"), (Stacks{{"fib;[fib]", 2}}));
  const std::string with_source = address + " fib\n  fib.c:2\n" + address + " fib\n  fib.c:3\n";
  EXPECT_TRUE(LooksLikePerfScript(with_source));
  EXPECT_EQ(StacksOfText("perf", with_source, {.source_lines = true}),
            (Stacks{{"fib;fib:fib.c:2", 1}, {"fib;fib:fib.c:3", 1}}));
}

// With --show-mmap-events, a large program maps more than the head of the file shows.
TEST(PerfScriptReaderTest, AHeadFullOfOtherRecordsIsRecognized) {
  for (const std::string fields : {"java 17003  4643.680100: ", "java ", ""}) {
    std::string text;
    while (text.size() < kFormatHeadSize) {
      text += fields + "PERF_RECORD_MMAP2 17003/17003: [0x5605c7af0000(0x1000) @ 0x1000 fe:00 1 2]: r-xp /x/lib.so\n";
    }
    text += "java 17003  4643.682072: cycles: \n\t            1162 f (/x)\n\n";
    EXPECT_TRUE(LooksLikePerfScript(text.substr(0, kFormatHeadSize)));
    EXPECT_EQ(StacksOfText("perf", text), (Stacks{{"java;f", 1}}));
  }
}

TEST(PerfScriptReaderTest, SamplesWithoutStacksGetANote) {
  const Result<Profile> profile =
      ReadProfile("perf", "fib 17003  4643.682072: cycles: \nfib 17003  4643.69: cycles: \n");
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->notes.size(), 1u);
  EXPECT_NE(profile->notes[0].find("samples without stacks; use perf record -g"), std::string::npos);
}

TEST(PerfScriptReaderTest, ALineWithoutAStackBelowIsDamage) {
  EXPECT_EQ(DamageOf("perf", "what\n\na 1 2.0: 5 cycles: \n\t1 f (/x)\n\n"),
            "input: line 1: expected a sample such as 'java 1/2 [000] 3.4: 5 cycles:', found 'what'");
  EXPECT_EQ(DamageOf("perf", "a 1 2.0: 5 cycles: \n\t1 f (/x)\n\nfi"),
            "input: line 4: expected a sample such as 'java 1/2 [000] 3.4: 5 cycles:', found 'fi'");
}

}  // namespace
}  // namespace sparkprof::testing

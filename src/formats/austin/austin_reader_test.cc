// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

constexpr const char* kText =
    "# austin: 3.7.0\n# interval: 100\n# mode: wall\n\n"
    "P12;T0:34;/x/job.py:main:3;/x/job.py:f:7 150\n"
    "P12;T0:34;/x/job.py:main:3;/x/job.py:f:7 50\n"
    "P12;T0:35;C:\\x\\job.py:main:3;:GC: 10\n"
    "P12;T36;<frozen zipimport>:g:9;/lib/libc.so.6:read:0;kernel:do_read:0 1\n"
    "P12;T0:34 5\n\n# duration: 300\n";

TEST(AustinTest, FramesHaveFileAndLine) {
  EXPECT_EQ(StacksOfText("austin", kText), (Stacks{{"main (job.py:3);f (job.py:7)", 200'000},
                                                   {"main (C:\\x\\job.py:3);GC", 10'000},
                                                   {"g (<frozen zipimport>:9);read;do_read", 1'000},
                                                   {"", 5'000}}));
  EXPECT_EQ(RecognizeProfileFormat(kText)->name, "austin");
  EXPECT_EQ(RecognizeProfileFormat("P12;T0:34;/x/job.py:main:3 5\n")->name, "austin");
  EXPECT_EQ(RecognizeProfileFormat("P12;Tab;main 5\n")->name, "collapsed");
}

TEST(AustinTest, ThreadsAreKept) {
  const Result<Profile> profile = ReadProfile("austin", kText, {.keep_threads = true});
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->threads.size(), 4u);
  EXPECT_EQ(profile->threads[1].process, 12);
  EXPECT_EQ(profile->threads[1].tid, 34);
  EXPECT_EQ(profile->threads[3].tid, 36);
}

TEST(AustinTest, FullModeHasEachMetric) {
  const std::string text = "# mode: full\nP1;T2;a.py:f:1 10,0,4096\nP1;T2;a.py:f:1 20,1,-1024\nP1;T2;a.py:f:1 5,0,0\n";
  const Result<Profile> profile = ReadProfile("austin", text);
  ASSERT_TRUE(profile);
  const auto weight = [&](std::string_view event) {
    return StacksOf(*profile, *profile->FindEvent(event))["f (a.py:1)"];
  };
  EXPECT_EQ(weight("wall"), 35'000);
  EXPECT_EQ(weight("cpu"), 15'000);
  EXPECT_EQ(weight("alloc"), 4096);
  EXPECT_EQ(weight("free"), 1024);
  EXPECT_EQ(profile->events[profile->default_event].name, "wall");
  EXPECT_EQ(StacksOfText("austin", "# mode: memory\nP1;T2;a.py:f:1 -7\nP1;T2;a.py:f:1 8\n"),
            (Stacks{{"f (a.py:1)", 8}}));
}

TEST(AustinTest, DamageNamesTheLine) {
  EXPECT_EQ(DamageOf("austin", "# mode: cpu\nP1;T2;a.py:f:1 1\nP1;T2;a.py:f:1 x\n"),
            "input: line 3: expected P1;T2;FILE:FUNCTION:LINE;…, a space and a number, found 'P1;T2;a.py:f:1 x'");
  EXPECT_EQ(DamageOf("austin", "# mode: full\nP1;T2;a.py:f:1 1,2\n").substr(0, 14), "input: line 2:");
  EXPECT_EQ(DamageOf("austin", "X1;T2;a.py:f:1 1\n").substr(0, 14), "input: line 1:");
}

// Parts of a MOJO file.
std::string Varint(int64_t number) {
  const bool is_negative = number < 0;
  auto rest = static_cast<uint64_t>(is_negative ? -number : number);
  std::string bytes(1, static_cast<char>((rest & 0x3f) | (is_negative ? 0x40 : 0)));
  for (rest >>= 6; rest != 0; rest >>= 7) {
    bytes.back() = static_cast<char>(bytes.back() | 0x80);
    bytes += static_cast<char>(rest & 0x7f);
  }
  return bytes;
}
std::string Zero(const std::string& text) { return text + '\0'; }
std::string Event(char type, const std::string& rest = {}) { return type + rest; }
std::string Stack(int version, int process, const std::string& thread) {
  return Event(2, Varint(process) + (version >= 3 ? Varint(0) : "") + Zero(thread));
}
std::string String(int key, const std::string& text) { return Event(11, Varint(key) + Zero(text)); }
std::string FrameEvent(int version, int key, int file, int function, int line) {
  return Event(3, Varint(key) + Varint(file) + Varint(function) + Varint(line) +
                      (version >= 2 ? Varint(line) + Varint(0) + Varint(0) : ""));
}
std::string Use(int key) { return Event(5, Varint(key)); }
std::string Time(int64_t micros) { return Event(9, Varint(micros)); }
std::string Head(int version) { return "MOJ" + Varint(version) + Event(1, Zero("mode") + Zero("wall")); }

TEST(MojoTest, EachVersionIsRead) {
  for (int version = 1; version <= 4; ++version) {
    const std::string text = Head(version) + Stack(version, 300, "1f") + String(5, "/x/job.py") + String(6, "main") +
                             FrameEvent(version, 9, 5, 6, 3) + FrameEvent(version, 10, 5, 1, 200) + Use(9) + Use(10) +
                             Time(100'000) + Stack(version, 300, "1f") + Use(9) + Event(6, Zero("read")) + Event(7) +
                             Time(1);
    EXPECT_EQ(StacksOfText("mojo", text),
              (Stacks{{"main (job.py:3);<unknown> (job.py:200)", 100'000'000}, {"main (job.py:3);read;GC", 1000}}))
        << version;
    EXPECT_EQ(RecognizeProfileFormat(text)->name, "mojo");
    const Result<Profile> profile = ReadProfile("mojo", text, {.keep_threads = true});
    EXPECT_EQ(profile->threads[1].tid, 0x1f);
  }
}

TEST(MojoTest, RepeatedFramesAreThoseOfTheSameThread) {
  const std::string text = Head(4) + Stack(4, 1, "a") + String(5, "j.py") + String(6, "f") + String(7, "g") +
                           String(8, "libc.so") + FrameEvent(4, 1, 5, 6, 1) + FrameEvent(4, 2, 5, 7, 2) +
                           FrameEvent(4, 3, 8, 7, 0) + Use(1) + Use(2) + Use(3) + Time(1) +  //
                           Stack(4, 1, "b") + Use(1) + Time(1) +                             //
                           Stack(4, 1, "a") + Use(2) + Event(13) + Time(1) +                 //
                           Stack(4, 1, "b") + Event(13) + Time(1);
  EXPECT_EQ(
      StacksOfText("mojo", text),
      (Stacks{{"f (j.py:1);g (j.py:2);g", 1000}, {"f (j.py:1)", 2000}, {"f (j.py:1);g (j.py:2);g (j.py:2)", 1000}}));
}

TEST(MojoTest, KeysBelongToAProcess) {
  const auto define = [](const std::string& name) {
    return String(5, name + ".py") + String(6, name) + FrameEvent(3, 1, 5, 6, 1);
  };
  const std::string text = Head(3) + define("before") + Stack(3, 1, "1") + Use(1) + Time(1) + Stack(3, 2, "2") +
                           define("two") + Use(1) + Time(1) + Stack(3, 1, "1") + define("one") + Use(1) + Time(1) +
                           Stack(3, 2, "2") + Use(1) + Time(1);
  EXPECT_EQ(StacksOfText("mojo", text),
            (Stacks{{"before (before.py:1)", 1000}, {"two (two.py:1)", 2000}, {"one (one.py:1)", 1000}}));
}

TEST(MojoTest, MemoryAndIdleTimeAreEventsOfTheFullMode) {
  const std::string text = "MOJ" + Varint(3) + Event(1, Zero("mode") + Zero("full")) + Stack(3, 1, "1") + Time(7) +
                           Event(8) + Event(10, Varint(-4096)) + Stack(3, 1, "1") + Time(5) + Event(10, Varint(100));
  const Result<Profile> profile = ReadProfile("mojo", text);
  ASSERT_TRUE(profile);
  EXPECT_EQ(StacksOf(*profile, profile->Row(sparkprof::Event::kWall))[""], 12'000);
  EXPECT_EQ(StacksOf(*profile, profile->Row(sparkprof::Event::kCpu))[""], 5'000);
  EXPECT_EQ(StacksOf(*profile, profile->Row(sparkprof::Event::kFree))[""], 4096);
  EXPECT_EQ(StacksOf(*profile, profile->Row(sparkprof::Event::kAlloc))[""], 100);
}

TEST(MojoTest, EventsBeforeTheDamageAreRead) {
  const std::string sample = Stack(3, 1, "1") + String(5, "a.py") + String(6, "f") + FrameEvent(3, 1, 5, 6, 1) + Use(1);
  const std::string whole = Head(3) + sample + Time(70);
  EXPECT_EQ(DamageOf("mojo", whole + Event(99)),
            "input: offset " + std::to_string(whole.size()) + ": expected an event from 1 to 13, found 99");
  EXPECT_EQ(
      DamageOf("mojo", whole + Stack(3, 1, "1") + Use(8) + Time(1)),
      "input: offset " + std::to_string(whole.size() + Stack(3, 1, "1").size()) + ": expected a known frame, found 8");
  EXPECT_EQ(StacksOfText("mojo", whole + Event(99) + Time(3), {.lenient = true}), (Stacks{{"f (a.py:1)", 70'000}}));
  EXPECT_EQ(DamageOf("mojo", "MOJ" + Varint(9)), "input: offset 3: expected version 1 to 4 of MOJO, found 9");
  EXPECT_EQ(DamageOf("mojo", "MOX"), "input: offset 0: expected MOJ, found other bytes");
  // Cut within the last event.
  EXPECT_EQ(DamageOf("mojo", whole.substr(0, whole.size() - 1)).substr(0, 13), "input: offset");
  EXPECT_EQ(StacksOfText("mojo", whole + Stack(3, 1, "1") + Use(1) + Event(9), {.lenient = true}),
            (Stacks{{"f (a.py:1)", 70'000}}));
}

TEST(MojoTest, EventsAcrossBlocksAreRead) {
  std::string text = Head(3) + Stack(3, 1, "1") + String(5, "a.py") + String(6, "f") + FrameEvent(3, 1, 5, 6, 1);
  for (int i = 0; i < 30'000; ++i) text += Stack(3, 1, "7f00deadbeef") + Use(1) + Time(3);
  text += String(7, std::string(200'000, 'x')) + Stack(3, 1, "1") + Use(1) + Time(1);
  EXPECT_EQ(StacksOfText("mojo", text), (Stacks{{"f (a.py:1)", 90'001'000}}));
}

}  // namespace
}  // namespace sparkprof::testing

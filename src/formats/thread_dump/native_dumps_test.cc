// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "formats/profile_formats.h"
#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

// In the form of OpenJ9's documentation.
constexpr const char* kJavacore =
    "0SECTION       TITLE subcomponent dump routine\nNULL           ===============================\n"
    "1TIDATETIME    Date: 2024/05/14 at 12:11:12:123\n0SECTION       THREADS subcomponent dump routine\n"
    "3XMTHREADINFO      \"main\" J9VMThread:0x1, omrthread_t:0x2, java/lang/Thread:0x3, state:R, prio=5\n"
    "3XMTHREADINFO1            (native thread ID:0x1E9F, native priority:0x5, native policy:UNKNOWN, vmstate:R)\n"
    "3XMTHREADINFO3           Java callstack:\n"
    "4XESTACKTRACE                at com/example/Work.fib(Work.java:12(Compiled Code))\n"
    "4XESTACKTRACE                at com/example/Work.main(Work.java:30)\n"
    "5XESTACKTRACE                   (entered lock: java/lang/Object@0x3, entry count: 1)\nNULL\n"
    "3XMTHREADINFO      \"pool \"x\"-1\" J9VMThread:0x4, state:P, prio=5\n"
    "4XESTACKTRACE                at sun/misc/Unsafe.park(Native Method)\n"
    "4XENATIVESTACK                pthread_cond_wait+0x100 (0x7F [libpthread.so.0+0xc000])\nNULL\n"
    "3XMTHREADINFO      Anonymous native thread\n2XMFULLTHDDUMP Full thread dump J9 VM\n"
    "0SECTION       CLASSES subcomponent dump routine\n";

constexpr const char* kGdb =
    "[Thread debugging using libthread_db enabled]\n"
    "Thread 2 (Thread 0x7f3c11aea700 (LWP 2345) \"worker\"):\n"
    "#0  0x00007f3c1f2e0a35 in pthread_cond_wait@@GLIBC_2.3.2 () from /lib64/libpthread.so.0\n"
    "#1  0x00000000004005ed in std::vector<int>::push_back (this=0x0, x=1) at w.cpp:12\n"
    "#2  0x00007f3c1efff5bf in ?? () from /lib64/libc.so.6\n"
    "Thread 1 (process 2344):\n#0  nanosleep () from /lib64/libc.so.6\n#1  main () at w.cpp:30\n";

std::string FormatOf(const std::string& text) {
  const ProfileFormat* const format = RecognizeProfileFormat(text);
  return format == nullptr ? "" : std::string(format->name);
}

TEST(JavacoreTest, ThreadsAndFramesAreRead) {
  EXPECT_EQ(FormatOf(kJavacore), "thread-dump");
  const Result<Profile> profile = ReadProfile("thread-dump", kJavacore, {.keep_threads = true});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(StacksOf(*profile, 0),
            (Stacks{{"com.example.Work.main:30;com.example.Work.fib:12", 1}, {"sun.misc.Unsafe.park", 1}}));
  EXPECT_EQ(StacksOf(*profile, 1), (Stacks{{"com.example.Work.main:30;com.example.Work.fib:12", 1}})) << "runnable";
  EXPECT_EQ(profile->threads[profile->samples[0].thread].tid, 0x1E9F);
}

TEST(JavacoreTest, WhatIsMissingIsDamage) {
  const std::string text = kJavacore;
  EXPECT_EQ(DamageOf("thread-dump", text.substr(0, text.find("2XMFULL"))),
            "input: line 16: expected a section after the threads, found the end");
  EXPECT_EQ(DamageOf("thread-dump", text.substr(0, text.find("3XMTHREADINFO")) + "0SECTION x\n"),
            "input: line 5: expected threads of a javacore, found none");
  std::string corrupt = text;
  corrupt.replace(corrupt.find("Work.main("), 10, "Work.main#");
  EXPECT_EQ(DamageOf("thread-dump", corrupt), "input: line 9: expected at CLASS.METHOD(FILE:LINE)");
}

TEST(GdbStacksTest, ThreadsAndFramesAreRead) {
  EXPECT_EQ(FormatOf(kGdb), "thread-dump");
  const Result<Profile> profile = ReadProfile("thread-dump", kGdb, {.keep_threads = true});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(StacksOf(*profile, 0),
            (Stacks{{"[unknown];std::vector<int>::push_back:12;pthread_cond_wait@@GLIBC_2.3.2", 1},
                    {"main:30;nanosleep", 1}}));
  EXPECT_EQ(StacksOf(*profile, 1), Stacks()) << "gdb does not print whether threads ran";
  EXPECT_EQ(profile->threads[profile->samples[0].thread].name, "worker");
  EXPECT_EQ(profile->threads[profile->samples[1].thread].tid, 2344);
  EXPECT_EQ(StacksOfText("thread-dump", "#0  0x00007f3c1f2e0a35 in f () from /x\n#1  0x1 in main ()\n"),
            (Stacks{{"main;f", 1}}));
}

TEST(GdbStacksTest, FramesThatAreCutAreDamage) {
  const std::string text = kGdb;
  EXPECT_EQ(DamageOf("thread-dump", text.substr(0, text.find(" from /lib64/libpthread") - 3)),
            "input: line 3: expected a frame of gdb, '#0  0x… in FUNCTION (…)'");
}

}  // namespace
}  // namespace sparkprof::testing

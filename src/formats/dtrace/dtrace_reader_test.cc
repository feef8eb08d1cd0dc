// SPDX-License-Identifier: Apache-2.0
#include "formats/dtrace/dtrace_reader.h"

#include <gtest/gtest.h>

#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

constexpr const char* kText =
    "CPU     ID                    FUNCTION:NAME\n  0  64091                        :tick-60s\n\n\n"
    "              genunix`copen+0x20c\n              unix`sys_syscall+0x17a\n                2\n\n"
    "              job`ns::f<int>(char, a::b(*)(int))+0x1\n              job`Lrun;x->inner+0x3\n              0x7f12\n"
    "               +0x9\n                5\n";

TEST(DtraceTest, NamesAreThoseOfStackcollapse) {
  EXPECT_EQ(StacksOfText("dtrace", kText), (Stacks{{"unix`sys_syscall;genunix`copen", 2},
                                                   {"-;0x7f12;job`Lrun:x;inner_[i];job`ns::f<int>(char, a::b(*)", 5}}));
  EXPECT_EQ(RecognizeProfileFormat(kText)->name, "dtrace");
}

TEST(DtraceTest, StackWithoutCountIsDamage) {
  EXPECT_EQ(DamageOf("dtrace", "header\n\n  a`b+0x1\n  3\n  a`c+0x1\n"),
            "input: line 5: expected the count of the last stack, found the end of the file");
  EXPECT_EQ(DamageOf("dtrace", "header\n\n  a`b+0x1\n  99999999999999999999\n"),
            "input: line 4: expected a count below 2^63, found '99999999999999999999'");
}

}  // namespace
}  // namespace sparkprof::testing

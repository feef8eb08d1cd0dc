// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

constexpr const char* kText =
    "Attaching 2 probes...\n\n\n"
    "@[\n    read+7\n    sys_read+12\n, \n    main+46\n    start+9\n, bash, 12]: 3\n"
    "@[, \n    main+46\n, cc1]: 2\n"
    "@[, , idle]: 1\n"
    "@[]: 4\n"
    "@[\n\t7f01 f(int)+4 (/lib/libf.so)\n\t7f02 0x7f02 ([unknown])\n]: 5\n"
    "@calls[bash, \n    open+1\n]: 9\n"
    "@total: 12\n";

TEST(BpftraceTest, KernelAndUserStacksAreOne) {
  EXPECT_EQ(StacksOfText("bpftrace", kText), (Stacks{{"bash, 12;start+9;main+46;sys_read+12;read+7", 3},
                                                     {"cc1;main+46", 2},
                                                     {"idle", 1},
                                                     {"", 4},
                                                     {"0x7f02;f(int)+4", 5}}));
  EXPECT_EQ(RecognizeProfileFormat(kText)->name, "bpftrace");
  EXPECT_EQ(RecognizeProfileFormat("Attaching 1 probe...\n\n@[bash]: 5\n")->name, "bpftrace");
  EXPECT_EQ(RecognizeProfileFormat("any text\n@[bash]: 5 %\n"), nullptr);
}

TEST(BpftraceTest, BlankLinesAreNoFrames) {
  EXPECT_EQ(StacksOfText("bpftrace", "@[\n \n    f+1\n\n]: 2\n"), (Stacks{{"f+1", 2}}));
}

TEST(BpftraceTest, EachMapIsAnEvent) {
  const Result<Profile> profile = ReadProfile("bpftrace", kText);
  ASSERT_TRUE(profile);
  EXPECT_EQ(StacksOf(*profile, *profile->FindEvent("calls")), (Stacks{{"bash;open+1", 9}}));
}

TEST(BpftraceTest, ValuesThatAreNoNumbersAreDamage) {
  EXPECT_EQ(DamageOf("bpftrace", "@[\n    f+1\n]: \n[1]   5 |@@@|\n\n@[\n    g+1\n]: 2\n"),
            "input: line 3: expected a number after ']:' as count() and sum() give, found ''");
  EXPECT_EQ(DamageOf("bpftrace", "@[\n    f+1\n]: 1\n@[\n    g+1\n"),
            "input: line 5: expected ']: NUMBER' at the end of a map's entry, found none");
  EXPECT_EQ(StacksOfText("bpftrace", "@[\n    f+1\n@[\n    g+1\n]: 2\n", {.lenient = true}), (Stacks{{"g+1", 2}}));
}

}  // namespace
}  // namespace sparkprof::testing

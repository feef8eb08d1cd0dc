// SPDX-License-Identifier: Apache-2.0
#include "merged_stack.h"

#include <gtest/gtest.h>

#include <string>

namespace sparkprof {
namespace {

// Stacks as letters, leaf first. Native: L = the interpreter's loop, i = the interpreter, s = the C library, other
// letters = code. Python: a digit per frame, '!' behind the first of a call of the loop. '?' in the result = unknown.
std::string Merged(const std::string& native, const std::string& python, bool complete = true,
                   bool* is_known = nullptr) {
  RingFrame natives[64], pythons[64];
  NativeKind kinds[64];
  bool entries[64] = {};
  BothStacks both;
  for (const char c : native) {
    kinds[both.native_depth] = c == 'L'   ? NativeKind::kLoop
                               : c == 'i' ? NativeKind::kInterpreter
                               : c == 's' ? NativeKind::kStart
                                          : NativeKind::kCode;
    natives[both.native_depth++] = {static_cast<uint32_t>(c), 0};
  }
  for (const char c : python) {
    if (c == '!') {
      entries[both.python_depth - 1] = true;
    } else {
      pythons[both.python_depth++] = {static_cast<uint32_t>(c), 0};
    }
  }
  both.native = natives;
  both.kinds = kinds;
  both.python = pythons;
  both.is_entry = entries;
  both.native_is_complete = complete;
  both.unknown = {'?', 0};
  MergedStack merged;
  MergeStacks(both, &merged);
  if (is_known != nullptr) *is_known = merged.is_known;
  std::string text;
  for (size_t i = 0; i < merged.depth; ++i) text += static_cast<char>(merged.frames[i].code);
  return text;
}

TEST(MergedStack, NativeCodeIsBelowThePythonFrameThatCalledIt) {
  EXPECT_EQ(Merged("baiiLiis", "123!"), "ba123");
  EXPECT_EQ(Merged("saiLis", "1!"), "sa1") << "memcpy and the like";
  EXPECT_EQ(Merged("Lis", "12!"), "12");
}

TEST(MergedStack, NativeCodeThatCallsBackIsBetweenPythonFrames) {
  EXPECT_EQ(Merged("aiLisbiLiis", "12!34!"), "a12sb34");
}

TEST(MergedStack, TheOuterEndIsLeftOutWhereItStartsTheThread) {
  EXPECT_EQ(Merged("aLicss", "1!"), "a1c");
  EXPECT_EQ(Merged("bass", ""), "ba");
  EXPECT_EQ(Merged("ss", ""), "ss") << "a thread that does nothing else";
}

TEST(MergedStack, MissingOuterNativeFramesLeaveTheInnerOnes) {
  bool is_known = false;
  EXPECT_EQ(Merged("aiLi", "1!2!3!", /*complete=*/false, &is_known), "a123");
  EXPECT_TRUE(is_known);
}

TEST(MergedStack, FramesThatAreNotKnownAreMarked) {
  bool is_known = true;
  EXPECT_EQ(Merged("ab", "12!", /*complete=*/false, &is_known), "ab?12");
  EXPECT_FALSE(is_known);
  EXPECT_EQ(Merged("ab", "", /*complete=*/false, &is_known), "ab?");
  EXPECT_FALSE(is_known);
}

TEST(MergedStack, ACallThatBeginsOrEndsHasNoPythonFrame) {
  bool is_known = false;
  EXPECT_EQ(Merged("LibiLis", "123!", /*complete=*/true, &is_known), "b123");
  EXPECT_TRUE(is_known);
  EXPECT_EQ(Merged("aiLibiLis", "123!", /*complete=*/true, &is_known), "ab123") << "its variables are freed";
  EXPECT_TRUE(is_known);
}

TEST(MergedStack, StacksThatDoNotMatchAreNotMixed) {
  bool is_known = true;
  EXPECT_EQ(Merged("aiLibiLciLis", "123!", /*complete=*/true, &is_known), "a123");
  EXPECT_FALSE(is_known);
}

TEST(MergedStack, IsBounded) {
  RingFrame frames[kRingMaxFrames];
  bool entries[kRingMaxFrames] = {};
  RingFrame native[] = {{1, 0}, {2, 0}};
  const NativeKind kinds[] = {NativeKind::kCode, NativeKind::kLoop};
  BothStacks both{.python = frames, .is_entry = entries, .python_depth = kRingMaxFrames};
  both.native = native;
  both.kinds = kinds;
  both.native_depth = 2;
  both.native_is_complete = true;
  MergedStack merged;
  MergeStacks(both, &merged);
  EXPECT_EQ(merged.depth, kRingMaxFrames);
  EXPECT_TRUE(merged.is_truncated);
}

}  // namespace
}  // namespace sparkprof

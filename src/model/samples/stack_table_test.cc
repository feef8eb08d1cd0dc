// SPDX-License-Identifier: Apache-2.0
#include "model/samples/stack_table.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "model/samples/string_table.h"

namespace sparkprof {
namespace {

TEST(StringTableTest, StoresEachStringOnceAndKeepsViewsWhenMoved) {
  StringTable table;
  const StringId a = table.Intern("a");
  EXPECT_EQ(table.Intern("a"), a);
  EXPECT_EQ(table.Intern(""), 0u);
  for (int i = 0; i < 50'000; ++i) table.Intern("string number " + std::to_string(i));
  const std::string_view view = table.Get(table.Intern("string number 7"));
  const StringTable moved = std::move(table);
  EXPECT_EQ(view, "string number 7");
  EXPECT_EQ(moved.Size(), 50'002u);
}

TEST(StringTableTest, ACopyOutlivesItsOriginal) {
  auto original = std::make_unique<StringTable>();
  const StringId id = original->Intern("some text");
  StringTable copy = *original;
  original.reset();
  EXPECT_EQ(copy.Get(id), "some text");
  EXPECT_EQ(copy.Intern("some text"), id);
}

TEST(StackTableTest, SharesPrefixesAndUnwindsRootFirst) {
  StackTable stacks;
  const StackId main = stacks.Push(0, 1);
  const StackId left = stacks.Push(main, 2);
  EXPECT_EQ(stacks.Push(main, 2), left);
  const StackId right = stacks.Push(main, 3);
  EXPECT_EQ(stacks.Size(), 4u);
  std::vector<FrameId> frames;
  stacks.Unwind(right, &frames);
  EXPECT_EQ(frames, (std::vector<FrameId>{1, 3}));
  EXPECT_LT(stacks.Get(right).parent, right);
}

TEST(StackTableTest, FindsStacksAgainWhateverOrderTheyCameIn) {
  StackTable stacks;
  std::map<std::vector<FrameId>, StackId> known{{{}, 0}};
  uint32_t seed = 1;
  const auto random = [&](uint32_t below) { return (seed = seed * 1664525 + 1013904223) / 65536 % below; };
  for (int i = 0; i < 20'000; ++i) {
    std::vector<FrameId> frames;
    StackId stack = 0;
    for (uint32_t depth = random(8); depth > 0; --depth) {
      frames.push_back(random(5));
      stack = stacks.Push(stack, frames.back());
      EXPECT_EQ(known.try_emplace(frames, stack).first->second, stack);
    }
  }
  EXPECT_EQ(stacks.Size(), known.size());
}

TEST(FrameTableTest, TellsApartFramesByEveryMember) {
  FrameTable frames;
  const FrameId id = frames.Intern({1, 2, 3, FrameKind::kJit});
  EXPECT_EQ(frames.Intern({1, 2, 3, FrameKind::kJit}), id);
  EXPECT_NE(frames.Intern({1, 2, 3, FrameKind::kInlined}), id);
  EXPECT_NE(frames.Intern({1, 2, 4, FrameKind::kJit}), id);
  EXPECT_NE(frames.Intern({1, 5, 3, FrameKind::kJit}), id);
}

}  // namespace
}  // namespace sparkprof

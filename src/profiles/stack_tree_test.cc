// SPDX-License-Identifier: Apache-2.0
#include "profiles/stack_tree.h"

#include <gtest/gtest.h>

#include <random>

#include "analysis/selection/selection.h"
#include "analysis/testing/application_builder.h"
#include "profiles/profile_transform.h"

namespace sparkprof {
namespace {

// Random stacks with recursion, several lines and kinds of one function.
Profile RandomProfile() {
  ApplicationBuilder builder;
  const uint32_t thread = builder.AddThread(1, "main", builder.AddExecutor("driver", 1));
  std::mt19937 random(7);
  const auto below = [&](uint32_t limit) { return random() % limit; };
  for (int i = 0; i < 2'000; ++i) {
    StackId stack = 0;
    for (uint32_t depth = below(12); depth > 0; --depth) {
      const FrameKind kind = below(2) == 0 ? FrameKind::kJit : FrameKind::kInlined;
      stack = builder.application().profile.stacks.Push(
          stack, builder.AddFrame("f" + std::to_string(below(6)), kind, "F.java", below(3)));
    }
    builder.AddSample(Event::kCpu, 0, thread, kNoTask, stack, 1 + below(1'000), 1 + below(3));
  }
  return std::move(builder.application().profile);
}

std::string Labels(const Profile& profile, const StackTree& tree) {
  std::string text;
  VisitPreorder(tree, [&](StackId stack, uint32_t depth) {
    if (depth > 0) text += tree.labels[profile.stacks.Get(stack).frame] + " ";
  });
  return text;
}

TEST(StackTreeTest, TotalsAddUpToTheWeightOfTheSamples) {
  const Profile random = RandomProfile();
  int64_t weight = 0, count = 0;
  for (const Sample& sample : random.samples) {
    weight += sample.weight;
    count += sample.count;
  }
  for (const bool reverse : {false, true}) {
    for (const bool lines : {false, true}) {
      const Profile profile = Transform(random, {.lines = lines, .reverse = reverse}).value();
      const StackTree tree = BuildStackTree(profile, 0);
      EXPECT_EQ(tree.Root().weight, weight);
      EXPECT_EQ(tree.Root().count, count);
      int64_t self = 0;
      VisitPreorder(tree, [&](StackId stack, uint32_t) {
        self += tree.self[stack].weight;
        int64_t below = tree.self[stack].weight;
        for (uint32_t i = tree.first_child[stack]; i < tree.first_child[stack + 1]; ++i) {
          below += tree.total[tree.children[i]].weight;
        }
        EXPECT_EQ(tree.total[stack].weight, below);
      });
      EXPECT_EQ(self, weight);
    }
  }
}

TEST(StackTreeTest, ASelectionHasExactlyItsOwnWeight) {
  Application application = ExampleApplication();
  Selection selection;
  selection.event = "cpu";
  selection.stage = 0;
  KeepSamples(*SelectSamples(application, selection), &application.profile);
  const StackTree tree = BuildStackTree(application.profile, application.profile.Row(Event::kCpu));
  EXPECT_EQ(tree.Root().weight, 7'000);
  EXPECT_EQ(tree.Root().count, 7);
}

TEST(StackTreeTest, NoSamplesAreARootOfNothing) {
  Profile profile = ExampleApplication().profile;
  profile.samples.clear();
  const StackTree tree = BuildStackTree(profile, 0);
  EXPECT_EQ(tree.Root().weight, 0);
  EXPECT_EQ(Labels(profile, tree), "");
}

TEST(StackTreeTest, AFunctionIsOneNodeOfTheKindThatHasMostOfItsWeight) {
  ApplicationBuilder builder;
  const uint32_t thread = builder.AddThread(1, "main", builder.AddExecutor("driver", 1));
  for (const auto& [kind, line, weight] :
       {std::tuple(FrameKind::kInterpreted, 1u, int64_t{1}), std::tuple(FrameKind::kJit, 2u, int64_t{5})}) {
    const StackId stack = builder.AddStack({builder.AddFrame("f", kind, "F.java", line)});
    builder.AddSample(Event::kCpu, 0, thread, kNoTask, stack, weight);
  }
  const Profile merged = Transform(builder.application().profile, {.lines = false}).value();
  EXPECT_EQ(Labels(merged, BuildStackTree(merged, 0)), "f ");
  EXPECT_EQ(merged.frames.Get(merged.stacks.Get(merged.samples[0].stack).frame).kind, FrameKind::kJit);
  const Profile by_line = Transform(builder.application().profile, {}).value();
  EXPECT_EQ(Labels(by_line, BuildStackTree(by_line, 0)), "f:1 f:2 ");
}

TEST(StackTreeTest, ReversedTheLeavesAreAtTheRoot) {
  ApplicationBuilder builder;
  const uint32_t thread = builder.AddThread(1, "main", builder.AddExecutor("driver", 1));
  builder.AddSample(Event::kCpu, 0, thread, kNoTask, builder.AddStack({"map", "parse"}), 6);
  builder.AddSample(Event::kCpu, 0, thread, kNoTask, builder.AddStack({"map"}), 1);
  const Profile profile = Transform(builder.application().profile, {.reverse = true}).value();
  EXPECT_EQ(Labels(profile, BuildStackTree(profile, 0)), "map parse map ");
}

TEST(StackTreeTest, ChildrenComeInTheOrderOfTheirNames) {
  ApplicationBuilder builder;
  const uint32_t thread = builder.AddThread(1, "main", builder.AddExecutor("driver", 1));
  for (const char* name : {"b", "c", "a"}) {
    builder.AddSample(Event::kCpu, 0, thread, kNoTask, builder.AddStack({name}), 1);
  }
  const Profile& profile = builder.application().profile;
  EXPECT_EQ(Labels(profile, BuildStackTree(profile, 0)), "a b c ");
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "analysis/flame_tree.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "analysis/selection.h"
#include "analysis/testing/application_builder.h"
#include "analysis/top_frames.h"

namespace sparkprof {
namespace {

std::vector<uint32_t> AllRows(const Application& application) {
  std::vector<uint32_t> rows(application.samples.size());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// Random stacks with recursion, several lines and kinds of one function.
Application RandomApplication() {
  ApplicationBuilder builder;
  builder.AddThread(1, "main", builder.AddExecutor("driver", 1));
  std::mt19937 random(7);
  const auto below = [&](uint32_t limit) { return random() % limit; };
  for (int i = 0; i < 2'000; ++i) {
    StackId stack = 0;
    for (uint32_t depth = below(12); depth > 0; --depth) {
      const FrameKind kind = below(2) == 0 ? FrameKind::kJit : FrameKind::kInlined;
      stack = builder.application().stacks.Push(
          stack, builder.AddFrame("f" + std::to_string(below(6)), kind, "F.java", below(3)));
    }
    builder.AddSample(Event::kCpu, 0, 0, kNoTask, stack, 1 + below(1'000), 1 + below(3));
  }
  return builder.application();
}

void ExpectConsistent(const Application& application, const FlameTree& tree) {
  int64_t weight = 0, count = 0, self = 0;
  for (const Sample& sample : application.samples) {
    weight += sample.weight;
    count += sample.count;
  }
  std::vector<int64_t> below(tree.nodes.size()), counts(tree.nodes.size());
  for (size_t row = tree.nodes.size(); row-- > 0;) {
    const FlameNode& node = tree.nodes[row];
    self += node.self;
    EXPECT_EQ(node.total, node.self + below[row]);
    EXPECT_GE(node.count, counts[row]);
    if (row == 0) continue;
    EXPECT_LT(node.parent, row);
    EXPECT_EQ(node.depth, tree.nodes[node.parent].depth + 1);
    EXPECT_LE(node.end, tree.nodes[node.parent].end);
    below[node.parent] += node.total;
    counts[node.parent] += node.count;
  }
  EXPECT_EQ(tree.Total(), weight);
  EXPECT_EQ(self, weight);
  EXPECT_EQ(tree.nodes[0].count, count);
  EXPECT_EQ(tree.nodes[0].end, tree.nodes.size());
}

TEST(FlameTreeTest, TotalsAddUpToTheSelectedWeight) {
  const Application application = RandomApplication();
  for (const bool reverse : {false, true}) {
    for (const bool lines : {false, true}) {
      for (const FlameOrder order : {FlameOrder::kByName, FlameOrder::kByTotal}) {
        ExpectConsistent(application, BuildFlameTree(application, AllRows(application), {reverse, lines, order}));
      }
    }
  }
}

TEST(FlameTreeTest, ASelectionHasExactlyItsOwnWeight) {
  const Application application = ExampleApplication();
  Selection selection;
  selection.event = Event::kCpu;
  selection.stage = 0;
  const FlameTree tree = BuildFlameTree(application, *SelectSamples(application, selection), {});
  EXPECT_EQ(tree.Total(), 7'000);
  EXPECT_EQ(tree.nodes[0].count, 7);
}

TEST(FlameTreeTest, AnEmptySelectionIsARootOfNothing) {
  const FlameTree tree = BuildFlameTree(ExampleApplication(), {}, {});
  ASSERT_EQ(tree.nodes.size(), 1u);
  EXPECT_EQ(tree.Total(), 0);
}

TEST(FlameTreeTest, AFunctionIsOneHoweverItWasCompiled) {
  ApplicationBuilder builder;
  builder.AddThread(1, "main", builder.AddExecutor("driver", 1));
  builder.AddSample(Event::kCpu, 0, 0, kNoTask,
                    builder.AddStack({builder.AddFrame("f", FrameKind::kInterpreted, "F.java", 1)}), 1);
  builder.AddSample(Event::kCpu, 0, 0, kNoTask, builder.AddStack({builder.AddFrame("f", FrameKind::kJit, "F.java", 2)}),
                    5);
  const Application& application = builder.application();
  const FlameTree merged = BuildFlameTree(application, AllRows(application), {});
  ASSERT_EQ(merged.nodes.size(), 2u);
  EXPECT_EQ(merged.functions[merged.nodes[1].function].kind, FrameKind::kJit);
  const FlameTree by_line = BuildFlameTree(application, AllRows(application), {.lines = true});
  ASSERT_EQ(by_line.nodes.size(), 3u);
  EXPECT_EQ(FunctionLabel(application, by_line.functions[by_line.nodes[1].function]), "f:1");
}

TEST(FlameTreeTest, PythonFunctionsOfDifferentFilesStayApart) {
  ApplicationBuilder builder;
  builder.AddThread(1, "main", builder.AddExecutor("driver", 1));
  builder.AddSample(Event::kCpu, 0, 0, kNoTask,
                    builder.AddStack({builder.AddFrame("f", FrameKind::kPython, "/job/a.py", 3)}), 1);
  builder.AddSample(Event::kCpu, 0, 0, kNoTask,
                    builder.AddStack({builder.AddFrame("f", FrameKind::kPython, "/job/b.py", 3)}), 1);
  const Application& application = builder.application();
  const FlameTree tree = BuildFlameTree(application, AllRows(application), {});
  ASSERT_EQ(tree.nodes.size(), 3u);
  EXPECT_EQ(FunctionLabel(application, tree.functions[tree.nodes[1].function]), "f (a.py)");
  EXPECT_EQ(FunctionLabel(application, tree.functions[tree.nodes[2].function]), "f (b.py)");
}

TEST(FlameTreeTest, ReversedTheLeavesAreAtTheRoot) {
  const Application application = ExampleApplication();
  Selection selection;
  selection.event = Event::kCpu;
  selection.stage = 0;
  const FlameTree tree = BuildFlameTree(application, *SelectSamples(application, selection),
                                        {.reverse = true, .order = FlameOrder::kByTotal});
  EXPECT_EQ(FunctionLabel(application, tree.functions[tree.nodes[1].function]), "java.lang.Integer.parseInt");
  EXPECT_EQ(tree.nodes[1].total, 6'000);
  EXPECT_EQ(FunctionLabel(application, tree.functions[tree.nodes[2].function]), "com.example.Job.map");
}

TEST(FlameTreeTest, ChildrenComeInTheOrderAskedFor) {
  ApplicationBuilder builder;
  builder.AddThread(1, "main", builder.AddExecutor("driver", 1));
  builder.AddSample(Event::kCpu, 0, 0, kNoTask, builder.AddStack({"b"}), 1);
  builder.AddSample(Event::kCpu, 0, 0, kNoTask, builder.AddStack({"c"}), 3);
  builder.AddSample(Event::kCpu, 0, 0, kNoTask, builder.AddStack({"a"}), 2);
  const Application& application = builder.application();
  const auto names = [&](FlameOrder order) {
    const FlameTree tree = BuildFlameTree(application, AllRows(application), {.order = order});
    std::string text;
    for (size_t row = 1; row < tree.nodes.size(); ++row)
      text += FunctionLabel(application, tree.functions[tree.nodes[row].function]);
    return text;
  };
  EXPECT_EQ(names(FlameOrder::kByName), "abc");
  EXPECT_EQ(names(FlameOrder::kByTotal), "cab");
}

TEST(TopFramesTest, ARecursiveFunctionCountsOnce) {
  ApplicationBuilder builder;
  builder.AddThread(1, "main", builder.AddExecutor("driver", 1));
  builder.AddSample(Event::kCpu, 0, 0, kNoTask, builder.AddStack({"f", "g", "f", "f"}), 10);
  builder.AddSample(Event::kCpu, 0, 0, kNoTask, builder.AddStack({"f", "g"}), 5);
  const Application& application = builder.application();
  const std::vector<TopFrame> top = TopFrames(application, AllRows(application), 5);
  ASSERT_EQ(top.size(), 2u);
  EXPECT_EQ(top[0].self, 10);
  EXPECT_EQ(top[0].total, 15);
  EXPECT_EQ(top[1].self, 5);
  EXPECT_EQ(top[1].total, 15);
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/heap_classes.h"

#include <gtest/gtest.h>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

class HeapClassesTest : public testing::Test {
 protected:
  HeapClassesTest() {
    builder_.AddExecutor("driver", 0);
    builder_.AddExecutor("1", 2);
    Add(0, 10, {{"byte[]", {10, 1000}}, {"Row", {5, 500}}});
    Add(1, 20, {{"byte[]", {1, 100}}});
    Add(0, 50, {{"Node", {7, 700}}, {"byte[]", {2, 200}}});
  }

  void Add(int32_t executor, int64_t second, const std::vector<std::pair<std::string, HeapObjects>>& classes) {
    ApplicationHeapSummary row{executor, {}};
    row.summary.time_ns = ApplicationBuilder::kStart + second * kNanosPerSecond;
    row.summary.other_classes = 1;
    row.summary.others = {1, 8};
    for (const auto& [name, objects] : classes) {
      row.summary.classes.push_back({application_.profile.strings.Intern(name), objects});
    }
    application_.heap_summaries.push_back(row);
  }

  std::string Text(const Selection& selection) const {
    std::string text;
    for (const HeapClassChange& row : HeapChangeOf(application_, selection).classes) {
      text +=
          std::string(row.name) + " " + std::to_string(row.before.bytes) + " → " + std::to_string(row.now.bytes) + "\n";
    }
    return text;
  }

  ApplicationBuilder builder_;
  Application& application_ = builder_.application();
};

TEST_F(HeapClassesTest, TheFirstAndTheLastSummaryOfEachJvmAreCompared) {
  EXPECT_EQ(Text({}), "Node 0 → 700\nbyte[] 1100 → 300\nRow 500 → 0\n");
  const HeapChange change = HeapChangeOf(application_, {});
  EXPECT_EQ(change.summaries.size(), 3u);
  EXPECT_EQ(change.before.bytes, 1616);
  EXPECT_EQ(change.now.bytes, 1016);
  EXPECT_EQ(change.now.instances, 12);
}

TEST_F(HeapClassesTest, ExecutorAndTimesSelect) {
  Selection selection;
  selection.executor = "1";
  EXPECT_EQ(Text(selection), "byte[] 100 → 100\n");
  selection.executor.reset();
  selection.to_ns = 50 * kNanosPerSecond;
  EXPECT_EQ(Text(selection), "byte[] 1100 → 1100\nRow 500 → 500\n");
  selection.from_ns = 11 * kNanosPerSecond;
  EXPECT_EQ(Text(selection), "byte[] 100 → 100\n");
  selection.from_ns = 21 * kNanosPerSecond;
  EXPECT_TRUE(HeapChangeOf(application_, selection).summaries.empty());
}

TEST_F(HeapClassesTest, ExecutorsAreNamedOnce) { EXPECT_EQ(ExecutorsWithHeapSummaries(application_), "driver, 1"); }

}  // namespace
}  // namespace sparkprof

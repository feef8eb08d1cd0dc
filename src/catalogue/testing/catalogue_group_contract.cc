// SPDX-License-Identifier: Apache-2.0
// Questions about groups: totals of stacks, findings, maxima.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalogue/testing/catalogue_contract.h"
#include "catalogue/testing/contract_helpers.h"
#include "catalogue/testing/example_entries.h"

namespace sparkprof {

TEST_P(CatalogueContract, CountsGroups) {
  PutRow(Row("a", 5, "alice", "etl", ApplicationStatus::kFinished));
  PutRow(Row("b", 1, "alice", "etl", ApplicationStatus::kFailed));
  PutRow(Row("c", 3, "alice", "etl", ApplicationStatus::kRunning));
  ApplicationRow other = ExampleRow("d");
  other.group = "";
  other.cpu_ns = INT64_MAX;
  other.memory_mib_s = kUnknownTotal;
  PutRow(other);
  EXPECT_EQ(Take(catalogue_->Groups(std::nullopt)),
            (std::vector<GroupRow>{{"", 1, 0, 0, kTestStart, kTestStart, INT64_MAX, 0, 0},
                                   {"etl", 3, 1, 1, kTestStart + kTestHour, kTestStart + 5 * kTestHour, 120'000'000'000,
                                    360'000, 184'320}}));
}

TEST_P(CatalogueContract, AddsUpStacksOfAGroup) {
  Put(EntryBuilder(ExampleRow("a"))
          .Total({"main", "f"}, 5, 1)
          .Total({"main"}, 2, 1)
          .Total({}, 1, 1)
          .Total({"main", "f"}, 100, 7, 0, "alloc", "bytes"));
  Put(EntryBuilder(ExampleRow("b")).Total({"main", "f"}, 6, 2).Total({"main", "g"}, 3, 1).Total({"main"}, 4, 4, 1));
  ApplicationRow other = ExampleRow("c");
  other.group = "other";
  Put(EntryBuilder(other).Total({"main", "f"}, 1'000, 1));

  const Profile cpu = Take(catalogue_->GroupSamples({.group = "group"}, "cpu"));
  EXPECT_EQ(StacksOf(cpu), (Stacks{{"", {1, 1}}, {"main", {6, 5}}, {"main;f", {11, 3}}, {"main;g", {3, 1}}}));
  EXPECT_EQ(cpu.samples.size(), 4u);
  ASSERT_EQ(cpu.events.size(), 1u);
  EXPECT_EQ(cpu.events[0].name, "cpu");
  EXPECT_EQ(cpu.events[0].unit, "ns");
  EXPECT_EQ(cpu.frames.Get(cpu.stacks.Get(1).frame).kind, FrameKind::kJit);
  EXPECT_EQ(StacksOf(Take(catalogue_->GroupSamples({.group = "group"}, "alloc"))), (Stacks{{"main;f", {100, 7}}}));
  GroupRange of_b{.group = "group", .application = ApplicationKey{"b", ""}};
  EXPECT_EQ(StacksOf(Take(catalogue_->GroupSamples(of_b, "cpu"))).at("main;f"), std::pair(int64_t{6}, int64_t{2}));
  EXPECT_TRUE(Take(catalogue_->GroupSamples({.group = "none"}, "cpu")).samples.empty());
  EXPECT_TRUE(Take(catalogue_->GroupSamples({.group = "group"}, "none")).samples.empty());
}

TEST_P(CatalogueContract, NeverAddsUpTwoUnits) {
  Put(EntryBuilder(ExampleRow("a")).Total({"f"}, 5, 5));
  Put(EntryBuilder(ExampleRow("b")).Total({"f"}, 7, 2, 0, "cpu", "count"));
  const Profile samples = Take(catalogue_->GroupSamples({.group = "group"}, "cpu"));
  EXPECT_EQ(StacksOf(samples), (Stacks{{"f", {5, 5}}}));
  EXPECT_EQ(samples.events.at(0).unit, "ns");
  EXPECT_EQ(samples.notes, std::vector<std::string>{"group: 2 samples of cpu in count not shown with those in ns"});
}

TEST_P(CatalogueContract, RangesAreWidenedToHours) {
  Put(EntryBuilder(ExampleRow("a"))
          .Total({"f"}, 1, 1, 0)
          .Total({"f"}, 10, 1, 1)
          .Total({"f"}, 100, 1, 2)
          .Maximum("s", 0, 1)
          .Maximum("s", 1, 2)
          .Maximum("s", 2, 3));
  const auto weight = [&](const GroupRange& range) {
    int64_t sum = 0;
    for (const Sample& sample : Take(catalogue_->GroupSamples(range, "cpu")).samples) sum += sample.weight;
    const size_t maxima = Take(catalogue_->GroupMaxima(range)).size();
    EXPECT_EQ(maxima, std::to_string(sum).size() - (sum == 0 ? 1 : sum == 100 ? 2 : sum == 110 || sum == 10 ? 1 : 0));
    return sum;
  };
  EXPECT_EQ(weight(Hours(0, 3)), 111);
  EXPECT_EQ(weight(Hours(0, 1)), 1);
  EXPECT_EQ(weight(Hours(1, 2)), 10);
  EXPECT_EQ(weight(Hours(1, 3)), 110);
  EXPECT_EQ(weight(Hours(3, 9)), 0);
  EXPECT_EQ(weight(Hours(1, 1)), 0);
  EXPECT_EQ(weight(Hours(2, 1)), 0);
  GroupRange range = Hours(0, 1);
  range.to_ns = *range.to_ns + 1;
  EXPECT_EQ(weight(range), 11);
  range = Hours(1, 2);
  range.from_ns = *range.from_ns - 1;
  EXPECT_EQ(weight(range), 11);
  range = Hours(1, 2);
  range.from_ns = *range.to_ns - 1;
  EXPECT_EQ(weight(range), 10);
  EXPECT_EQ(weight({.group = "group", .from_ns = kTestStart + 2 * kTestHour}), 100);
  EXPECT_EQ(weight({.group = "group", .to_ns = kTestStart + kTestHour}), 1);
}

TEST_P(CatalogueContract, MaximaAreOverAllApplications) {
  Put(EntryBuilder(ExampleRow("a")).Maximum("rss", 0, 1.5).Maximum("rss", 1, -4).Maximum("heap", 1, 7));
  Put(EntryBuilder(ExampleRow("b")).Maximum("rss", 0, 2.5).Maximum("rss", 1, -5));
  EXPECT_EQ(Take(catalogue_->GroupMaxima({.group = "group"})),
            (std::vector<SeriesMaximum>{
                {"heap", kTestStart + kTestHour, 7}, {"rss", kTestStart, 2.5}, {"rss", kTestStart + kTestHour, -4}}));
  EXPECT_EQ(Take(catalogue_->GroupMaxima({.group = "group", .application = ApplicationKey{"a", ""}})).at(1).value, 1.5);
}

TEST_P(CatalogueContract, FindingsThatComeBackAreCounted) {
  Put(EntryBuilder(ExampleRow("a", 0)).Finding("gc", "high", "a: GC", 5).Finding("gc", "low", "a: GC again", 50));
  Put(EntryBuilder(ExampleRow("b", 2)).Finding("gc", "low", "b: GC", 7).Finding("gc", "medium", "b: worse", 1));
  Put(EntryBuilder(ExampleRow("c", 1)).Finding("gc", "low", "c: GC", 1).Finding("skew", "low", "c: skew", 0));
  const std::vector<GroupFinding> all = Take(catalogue_->GroupFindings({.group = "group"}));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0], (GroupFinding{"gc", "high", "b: worse", 3, kTestStart + 2 * kTestHour, {"b", ""}, 64}));
  EXPECT_EQ(all[1], (GroupFinding{"skew", "low", "c: skew", 1, kTestStart + kTestHour, {"c", ""}, 0}));
  const std::vector<GroupFinding> later = Take(catalogue_->GroupFindings(Hours(1, 3)));
  ASSERT_EQ(later.size(), 2u);
  EXPECT_EQ(later[0], (GroupFinding{"gc", "medium", "b: worse", 2, kTestStart + 2 * kTestHour, {"b", ""}, 9}));
  GroupRange of_a{.group = "group", .application = ApplicationKey{"a", ""}};
  EXPECT_EQ(Take(catalogue_->GroupFindings(of_a)).at(0).applications, 1);
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "catalogue/testing/catalogue_contract.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.h"
#include "catalogue/testing/example_entries.h"

namespace sparkprof {

void CatalogueContract::SetUp() {
  storage_ = GetParam().make();
  if (storage_ == nullptr) GTEST_SKIP() << "no " << GetParam().name << " on this machine";
  Reopen();
}

void CatalogueContract::Reopen() {
  catalogue_.reset();
  Result<std::unique_ptr<Catalogue>> opened = storage_->Open();
  ASSERT_TRUE(opened) << opened.error().message;
  catalogue_ = std::move(*opened);
}

namespace {

template <typename T>
T Take(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return T();
  }
  return std::move(*result);
}

void Check(const Result<void>& result) { ASSERT_TRUE(result) << result.error().message; }

GroupRange Hours(int64_t from, int64_t to) {
  return {.group = "group", .from_ns = kTestStart + from * kTestHour, .to_ns = kTestStart + to * kTestHour};
}

ApplicationRow Row(const std::string& id, int64_t hour, std::string user, std::string group, ApplicationStatus status) {
  ApplicationRow row = ExampleRow(id, hour);
  row.user = std::move(user);
  row.group = std::move(group);
  row.status = status;
  return row;
}

using Stacks = std::map<std::string, std::pair<int64_t, int64_t>>;

}  // namespace

void CatalogueContract::Put(const CatalogueEntry& entry) { Check(catalogue_->Put(entry)); }
void CatalogueContract::PutRow(const ApplicationRow& row) { Check(catalogue_->PutRow(row)); }
void CatalogueContract::Remove(const ApplicationKey& key) { Check(catalogue_->Remove(key)); }
ApplicationPage CatalogueContract::List(const ApplicationQuery& query) { return Take(catalogue_->Applications(query)); }

std::string CatalogueContract::Ids(const ApplicationQuery& query) {
  std::string ids;
  for (const ApplicationRow& row : List(query).applications) ids += (ids.empty() ? "" : " ") + row.key.id;
  return ids;
}

std::string CatalogueContract::IdsOfPages(const ApplicationQuery& query) {
  std::string ids;
  ApplicationQuery page_query = query;
  for (int page = 0; page < 100; ++page) {
    const ApplicationPage rows = List(page_query);
    ids += page == 0 ? "" : " |";
    for (const ApplicationRow& row : rows.applications) ids += (ids.empty() ? "" : " ") + row.key.id;
    if (rows.next.empty()) return ids;
    page_query.cursor = rows.next;
  }
  return "no end: " + ids;
}

TEST_P(CatalogueContract, IsEmptyAtFirst) {
  const ApplicationPage page = List({});
  EXPECT_TRUE(page.applications.empty());
  EXPECT_EQ(page.next, "");
  EXPECT_EQ(page.total, 0);
  EXPECT_EQ(Take(catalogue_->Find("a", std::nullopt)), std::nullopt);
  EXPECT_TRUE(Take(catalogue_->Stages({"a", ""})).empty());
  EXPECT_TRUE(Take(catalogue_->Executors({"a", ""})).empty());
  EXPECT_TRUE(Take(catalogue_->Findings({"a", ""})).empty());
  EXPECT_TRUE(Take(catalogue_->Groups(std::nullopt)).empty());
  EXPECT_TRUE(Take(catalogue_->GroupFindings({.group = "group"})).empty());
  EXPECT_TRUE(Take(catalogue_->GroupMaxima({.group = "group"})).empty());
  const Profile samples = Take(catalogue_->GroupSamples({.group = "group"}, "cpu"));
  EXPECT_TRUE(samples.samples.empty());
  ASSERT_EQ(samples.events.size(), 1u);
  EXPECT_EQ(samples.events[0].name, "cpu");
  EXPECT_EQ(samples.events[0].unit, "ns");
  Remove({"a", ""});
}

TEST_P(CatalogueContract, ReturnsWhatWasPut) {
  EntryBuilder entry(ExampleRow("a"));
  entry.Stage({3, 1, "count at Job.scala:12", "succeeded", 5, 6, 7, 8, 9, 10})
      .Stage({-1, 0, "", "failed", INT64_MIN, INT64_MAX, 0, 0, 0, 0})
      .Executor({"driver", "host-a", 0, 1, 2})
      .Executor({"1", "host-b", 4, 3, 0})
      .Finding("skew", "low", "Stage 3: skew", 12)
      .Finding("gc", "high", "Stage 4: GC", 34);
  Put(entry);
  const std::optional<ApplicationRow> row = Take(catalogue_->Find("a", std::nullopt));
  ASSERT_TRUE(row);
  EXPECT_EQ(*row, entry.entry().application);
  EXPECT_EQ(List({}).applications, std::vector{entry.entry().application});
  EXPECT_EQ(Take(catalogue_->Stages({"a", ""})), entry.entry().stages);
  EXPECT_EQ(Take(catalogue_->Executors({"a", ""})), entry.entry().executors);
  EXPECT_EQ(Take(catalogue_->Findings({"a", ""})), entry.entry().findings);
}

TEST_P(CatalogueContract, PutReplacesAllOfAnApplicationAndNothingElse) {
  Put(EntryBuilder(ExampleRow("a")).Total({"old"}, 5).Finding("skew", "low", "old", 1).Maximum("s", 0, 9).Stage({1}));
  Put(EntryBuilder(ExampleRow("b")).Total({"other"}, 7).Finding("gc", "low", "other", 2).Maximum("s", 0, 3).Stage({2}));
  ApplicationRow row = ExampleRow("a");
  row.tasks = 99;
  Put(EntryBuilder(row).Total({"new"}, 6).Finding("spill", "low", "new", 3).Maximum("s", 0, 4).Stage({4}));

  EXPECT_EQ(List({}).total, 2);
  EXPECT_EQ(Take(catalogue_->Find("a", std::nullopt))->tasks, 99);
  EXPECT_EQ(Take(catalogue_->Stages({"a", ""})).at(0).stage, 4);
  EXPECT_EQ(Take(catalogue_->Stages({"b", ""})).at(0).stage, 2);
  EXPECT_EQ(Take(catalogue_->Findings({"a", ""})).size(), 1u);
  EXPECT_EQ(StacksOf(Take(catalogue_->GroupSamples({.group = "group"}, "cpu"))),
            (Stacks{{"new", {6, 1}}, {"other", {7, 1}}}));
  EXPECT_EQ(Take(catalogue_->GroupMaxima({.group = "group"})), (std::vector<SeriesMaximum>{{"s", kTestStart, 4}}));
  EXPECT_EQ(Take(catalogue_->GroupFindings({.group = "group"})).size(), 2u);
}

TEST_P(CatalogueContract, TheSamePutTwiceCountsOnce) {
  const EntryBuilder entry = EntryBuilder(ExampleRow("a")).Total({"main", "f"}, 5, 2).Finding("gc", "low", "t", 1);
  for (int i = 0; i < 3; ++i) Put(entry);
  EXPECT_EQ(List({}).total, 1);
  EXPECT_EQ(StacksOf(Take(catalogue_->GroupSamples({.group = "group"}, "cpu"))), (Stacks{{"main;f", {5, 2}}}));
  EXPECT_EQ(Take(catalogue_->GroupFindings({.group = "group"})).at(0).gain_ns, 1);
}

TEST_P(CatalogueContract, PutRowChangesTheListOnly) {
  PutRow(ExampleRow("new"));
  EXPECT_EQ(Take(catalogue_->Find("new", std::nullopt)), ExampleRow("new"));

  Put(EntryBuilder(ExampleRow("a")).Total({"f"}, 5).Stage({1}).Finding("gc", "low", "t", 1));
  ApplicationRow row = ExampleRow("a", 2);
  row.name = "other name";
  row.user = "bob";
  row.status = ApplicationStatus::kRunning;
  row.tasks = 1'000;
  row.cpu_ns = 7;
  row.findings = 1;
  row.location = "s3://b/a";
  row.version = "2";
  PutRow(row);
  EXPECT_EQ(Take(catalogue_->Find("a", std::nullopt)), row);
  EXPECT_EQ(List({}).total, 2);
  EXPECT_EQ(Take(catalogue_->Stages({"a", ""})).size(), 1u);
  EXPECT_EQ(Take(catalogue_->Findings({"a", ""})).size(), 1u);
  EXPECT_EQ(StacksOf(Take(catalogue_->GroupSamples({.group = "group"}, "cpu"))), (Stacks{{"f", {5, 1}}}));
}

TEST_P(CatalogueContract, AnApplicationMayChangeItsGroup) {
  Put(EntryBuilder(ExampleRow("a")).Total({"f"}, 5).Maximum("s", 0, 1).Finding("gc", "low", "t", 1));
  ApplicationRow row = ExampleRow("a");
  row.group = "other";
  PutRow(row);
  EXPECT_TRUE(Take(catalogue_->GroupSamples({.group = "group"}, "cpu")).samples.empty());
  EXPECT_TRUE(Take(catalogue_->GroupFindings({.group = "group"})).empty());
  EXPECT_TRUE(Take(catalogue_->GroupMaxima({.group = "group"})).empty());
  EXPECT_EQ(StacksOf(Take(catalogue_->GroupSamples({.group = "other"}, "cpu"))), (Stacks{{"f", {5, 1}}}));
  EXPECT_EQ(Take(catalogue_->GroupFindings({.group = "other"})).size(), 1u);
  EXPECT_EQ(Take(catalogue_->GroupMaxima({.group = "other"})).size(), 1u);
}

TEST_P(CatalogueContract, RemoveLeavesNothing) {
  const EntryBuilder entry = EntryBuilder(ExampleRow("a"))
                                 .Total({"f"}, 5)
                                 .Maximum("s", 0, 1)
                                 .Finding("gc", "low", "t", 1)
                                 .Stage({1})
                                 .Executor({"1", "h"});
  Put(entry);
  Put(EntryBuilder(ExampleRow("b")).Total({"f"}, 6));
  Remove({"a", ""});
  EXPECT_EQ(Ids({}), "b");
  EXPECT_TRUE(Take(catalogue_->Stages({"a", ""})).empty());
  EXPECT_TRUE(Take(catalogue_->Executors({"a", ""})).empty());
  EXPECT_TRUE(Take(catalogue_->Findings({"a", ""})).empty());
  EXPECT_TRUE(Take(catalogue_->GroupFindings({.group = "group"})).empty());
  EXPECT_TRUE(Take(catalogue_->GroupMaxima({.group = "group"})).empty());
  EXPECT_EQ(StacksOf(Take(catalogue_->GroupSamples({.group = "group"}, "cpu"))), (Stacks{{"f", {6, 1}}}));
  Put(entry);  // and it may come back
  EXPECT_EQ(Take(catalogue_->GroupSamples({.group = "group"}, "cpu")).samples.at(0).weight, 11);
}

TEST_P(CatalogueContract, AttemptsAreApplicationsOfTheirOwn) {
  for (const char* attempt : {"9", "10", "2"}) {
    ApplicationRow row = ExampleRow("a");
    row.key.attempt = attempt;
    row.tasks = *ParseInteger(attempt);
    Put(EntryBuilder(row).Total({"f"}, 1).Stage({row.tasks}));
  }
  EXPECT_EQ(List({}).total, 3);
  // All started at the same time.
  EXPECT_EQ(Take(catalogue_->Find("a", std::nullopt))->key.attempt, "10");
  EXPECT_EQ(Take(catalogue_->Find("a", "2"))->tasks, 2);
  EXPECT_EQ(Take(catalogue_->Find("a", "3")), std::nullopt);
  EXPECT_EQ(Take(catalogue_->Find("a", "")), std::nullopt);
  EXPECT_EQ(Take(catalogue_->Stages({"a", "9"})).at(0).stage, 9);
  ApplicationRow later = ExampleRow("a", 1);
  later.key.attempt = "1";
  PutRow(later);
  EXPECT_EQ(Take(catalogue_->Find("a", std::nullopt))->key.attempt, "1");
  Remove({"a", "10"});
  EXPECT_EQ(List({}).total, 3);
  EXPECT_EQ(Take(catalogue_->GroupSamples({.group = "group"}, "cpu")).samples.at(0).weight, 2);
}

TEST_P(CatalogueContract, FiltersTheList) {
  Put(EntryBuilder(Row("a", 0, "alice", "etl", ApplicationStatus::kFinished)).Finding("gc", "low", "t", 1));
  Put(EntryBuilder(Row("b", 1, "bob", "etl", ApplicationStatus::kFailed)).Finding("skew", "low", "t", 1));
  Put(EntryBuilder(Row("c", 2, "alice", "ml", ApplicationStatus::kRunning)).Finding("gc", "high", "t", 1));
  Put(EntryBuilder(Row("d", 3, "Alice", "ml", ApplicationStatus::kIncomplete)));
  const auto up = [](ApplicationQuery query) {
    query.descending = false;
    return query;
  };
  EXPECT_EQ(Ids(up({.group = "etl"})), "a b");
  EXPECT_EQ(Ids(up({.user = "alice"})), "a c");
  EXPECT_EQ(Ids(up({.status = ApplicationStatus::kFinished})), "a");
  EXPECT_EQ(Ids(up({.status = ApplicationStatus::kFailed})), "b");
  EXPECT_EQ(Ids(up({.status = ApplicationStatus::kRunning})), "c");
  EXPECT_EQ(Ids(up({.status = ApplicationStatus::kIncomplete})), "d");
  EXPECT_EQ(Ids(up({.finding = "gc"})), "a c");
  EXPECT_EQ(Ids(up({.group = "ml", .finding = "gc"})), "c");
  EXPECT_EQ(Ids(up({.group = "none"})), "");
  EXPECT_EQ(List({.group = "etl", .limit = 1}).total, 2);
}

TEST_P(CatalogueContract, FiltersByTheTimeInWhichAnApplicationRan) {
  PutRow(ExampleRow("a", 0));
  PutRow(ExampleRow("b", 1));
  ApplicationRow running = ExampleRow("c", 1);
  running.status = ApplicationStatus::kRunning;
  PutRow(running);
  const auto ran = [&](int64_t from_ns, int64_t to_ns) {
    ApplicationQuery query{.from_ns = kTestStart + from_ns, .to_ns = kTestStart + to_ns, .descending = false};
    return Ids(query);
  };
  EXPECT_EQ(ran(0, kTestHour), "a");
  EXPECT_EQ(ran(0, kTestHour + 1), "a b c");  // it starts in the last nanosecond
  EXPECT_EQ(ran(60'000'000'000, kTestHour), "a");
  EXPECT_EQ(ran(60'000'000'001, kTestHour), "");
  EXPECT_EQ(ran(2 * kTestHour, 3 * kTestHour), "c");  // a running one goes on
  EXPECT_EQ(ran(-kTestHour, 0), "");
  EXPECT_EQ(Ids({.from_ns = kTestStart + kTestHour, .descending = false}), "b c");
  EXPECT_EQ(Ids({.to_ns = kTestStart + kTestHour, .descending = false}), "a");
}

TEST_P(CatalogueContract, SearchesNamesWhateverTheCase) {
  ApplicationRow row = ExampleRow("app-Id");
  row.name = "Grüße 100%_'; DROP TABLE applications; --";
  row.user = "Carol";
  row.group = "NIGHTLY";
  PutRow(row);
  PutRow(ExampleRow("x"));
  for (const char* text : {"APP-i", "grüße", "GRÜSSE", "100%_", "'; drop", "carol", "nightly", "--", "Å"}) {
    const std::string expected = std::string_view(text) == "GRÜSSE" || std::string_view(text) == "Å" ? "" : "app-Id";
    EXPECT_EQ(Ids({.search = text}), expected) << text;
  }
  EXPECT_EQ(Ids({.search = "GRÜ"}), "app-Id");
  // Characters with a meaning in patterns have none here.
  EXPECT_EQ(Ids({.search = "1%0"}), "");
  EXPECT_EQ(Ids({.search = "_0"}), "");
  EXPECT_EQ(Ids({.search = "\\"}), "");
  EXPECT_EQ(List({.search = "a"}).total, 2);
}

TEST_P(CatalogueContract, SortsByEveryOrderWithPages) {
  ApplicationRow a = ExampleRow("a"), b = ExampleRow("b"), c = ExampleRow("c");
  const auto set = [](ApplicationRow* row, int64_t start, int64_t end, int64_t number, std::string text,
                      ApplicationStatus status) {
    row->start_ns = start;
    row->end_ns = end;
    row->tasks = row->cpu_ns = row->findings = number;
    row->name = row->user = row->group = std::move(text);
    row->status = status;
  };
  set(&a, 10, 40, 5, "B", ApplicationStatus::kFailed);
  set(&b, 20, 30, 5, "a", ApplicationStatus::kRunning);
  set(&c, 30, 35, -1, "é", ApplicationStatus::kFinished);
  for (const ApplicationRow& row : {c, a, b}) PutRow(row);
  const std::pair<ApplicationOrder, const char*> expected[] = {
      {ApplicationOrder::kStart, "a | b | c"},    {ApplicationOrder::kEnd, "b | c | a"},
      {ApplicationOrder::kDuration, "c | b | a"}, {ApplicationOrder::kTasks, "c | a | b"},
      {ApplicationOrder::kCpu, "c | a | b"},      {ApplicationOrder::kFindings, "c | a | b"},
      {ApplicationOrder::kName, "a | b | c"},     {ApplicationOrder::kUser, "a | b | c"},
      {ApplicationOrder::kGroup, "a | b | c"},    {ApplicationOrder::kStatus, "b | c | a"},
  };
  for (const auto& [order, ids] : expected) {
    ApplicationQuery query{.order = order, .descending = false, .limit = 1};
    EXPECT_EQ(IdsOfPages(query), ids) << static_cast<int>(order);
    query.descending = true;
    EXPECT_EQ(IdsOfPages(query),
              std::string(ids).size() == 9 ? std::string(ids + 8) + " | " + ids[4] + " | " + ids[0] : "")
        << static_cast<int>(order);
  }
}

TEST_P(CatalogueContract, PagesHaveEachRowOnceWhileOthersComeAndGo) {
  for (int i = 0; i < 25; ++i) PutRow(ExampleRow("app-" + std::to_string(100 + i), i % 3));
  ApplicationQuery query{.limit = 10};
  ApplicationPage page = List(query);
  EXPECT_EQ(page.total, 25);
  std::vector<std::string> seen;
  const auto see = [&] {
    for (const ApplicationRow& row : page.applications) seen.push_back(row.key.id);
  };
  see();
  PutRow(ExampleRow("app-000", 9));  // would be on the first page
  Remove({seen.back(), ""});         // the row that the cursor names
  PutRow(ExampleRow("app-999", 0));  // comes later
  while (!page.next.empty()) {
    query.cursor = page.next;
    page = List(query);
    see();
  }
  EXPECT_EQ(seen.size(), 26u);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
  EXPECT_EQ(seen.back(), "app-999");
  EXPECT_NE(seen.front(), "app-000");
  EXPECT_EQ(List({.limit = 0}).total, 26);
  query.cursor = "nonsense";
  EXPECT_FALSE(catalogue_->Applications(query));
}

TEST_P(CatalogueContract, CountsGroups) {
  PutRow(Row("a", 5, "alice", "etl", ApplicationStatus::kFinished));
  PutRow(Row("b", 1, "alice", "etl", ApplicationStatus::kFailed));
  PutRow(Row("c", 3, "alice", "etl", ApplicationStatus::kRunning));
  ApplicationRow other = ExampleRow("d");
  other.group = "";
  other.cpu_ns = INT64_MAX;
  PutRow(other);
  EXPECT_EQ(
      Take(catalogue_->Groups(std::nullopt)),
      (std::vector<GroupRow>{{"", 1, 0, 0, kTestStart, kTestStart, INT64_MAX},
                             {"etl", 3, 1, 1, kTestStart + kTestHour, kTestStart + 5 * kTestHour, 120'000'000'000}}));
}

TEST_P(CatalogueContract, FindsAttemptsAndLocations) {
  for (const char* attempt : {"1", "2"}) {
    ApplicationRow row = ExampleRow("a");
    row.key.attempt = attempt;
    row.location = std::string("file\nevents ") + attempt + "\n";
    PutRow(row);
  }
  PutRow(ExampleRow("aa"));
  EXPECT_EQ(Ids({.id = "a"}), "a a");
  EXPECT_EQ(Ids({.in_location = "\nevents "}), "a a");
  EXPECT_EQ(Ids({.id = "a", .in_location = "\nevents 2"}), "a");
  EXPECT_EQ(Ids({.in_location = "\nEVENTS "}), "");
  EXPECT_EQ(Ids({.id = "A"}), "");
}

TEST_P(CatalogueContract, AViewerSeesTheOwnApplicationsOnly) {
  const auto seen_by = [](const std::string& id, std::string viewers) {
    ApplicationRow row = ExampleRow(id);
    row.viewers = std::move(viewers);
    return row;
  };
  Put(EntryBuilder(seen_by("a", "\nuser:alice\nuser:bob\n"))
          .Total({"f"}, 1)
          .Finding("gc", "low", "t", 1)
          .Maximum("s", 0, 1));
  Put(EntryBuilder(seen_by("b", "\nuser:carol\ngroup:etl\n"))
          .Total({"f"}, 20)
          .Finding("gc", "low", "t", 20)
          .Maximum("s", 0, 20));
  Put(EntryBuilder(seen_by("c", "\nuser:*\n")).Total({"f"}, 300).Finding("gc", "low", "t", 300).Maximum("s", 0, 300));
  PutRow(seen_by("d", ""));
  const auto ids = [&](Viewer viewer) {
    return Ids({.viewer = viewer, .order = ApplicationOrder::kName, .descending = false});
  };
  EXPECT_EQ(ids({"alice", {}}), "a c");
  EXPECT_EQ(ids({"ALICE", {}}), "c");
  EXPECT_EQ(ids({"etl", {}}), "c");
  EXPECT_EQ(ids({"x", {"etl"}}), "b c");
  EXPECT_EQ(ids({"bob", {"other", "etl"}}), "a b c");
  EXPECT_EQ(ids({"' OR 1 = 1 --", {}}), "c");
  EXPECT_EQ(ids({}), "c");
  EXPECT_EQ(List({.viewer = Viewer{"alice", {}}}).total, 2);

  const GroupRange of_bob{.group = "group", .viewer = Viewer{"bob", {}}};
  EXPECT_EQ(Take(catalogue_->Groups(of_bob.viewer)).at(0).applications, 2);
  EXPECT_EQ(Take(catalogue_->Groups(std::nullopt)).at(0).applications, 4);
  EXPECT_EQ(StacksOf(Take(catalogue_->GroupSamples(of_bob, "cpu"))), (Stacks{{"f", {301, 2}}}));
  EXPECT_EQ(Take(catalogue_->GroupFindings(of_bob)).at(0).gain_ns, 301);
  EXPECT_EQ(Take(catalogue_->GroupMaxima(of_bob)).at(0).value, 300);
  EXPECT_EQ(Take(catalogue_->Find("a", std::nullopt))->viewers, "\nuser:alice\nuser:bob\n");
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

TEST_P(CatalogueContract, KeepsUnusualText) {
  const std::vector<std::string> texts = {
      "it's \"quoted\" `so` \\ \\' \\n \\0 ?",
      "'; DROP TABLE applications; --",
      "tab\tline\nreturn\r\b\f\x01\x7f",
      "ünïcödé 漢字 🎉 \u202e",
      std::string(65'536, 'x') + "ü",
      " leading and trailing ",
      "NULL",
      "\\N",
      "{}[]()%_*",
  };
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string& text = texts[i];
    ApplicationRow row = ExampleRow(text, static_cast<int64_t>(i));
    row.key.attempt = text;
    row.name = row.user = row.group = row.location = row.version = text;
    const EntryBuilder entry = EntryBuilder(row)
                                   .Total({text, "f"}, 5, 1, 0, text, text)
                                   .Maximum(text, 0, 1)
                                   .Stage({1, 0, text, text})
                                   .Executor({text, text})
                                   .Finding(text, text, text, 1);
    Put(entry);
    EXPECT_EQ(Take(catalogue_->Find(text, text)), entry.entry().application) << i;
    EXPECT_EQ(Take(catalogue_->Stages(row.key)), entry.entry().stages) << i;
    EXPECT_EQ(Take(catalogue_->Executors(row.key)), entry.entry().executors) << i;
    EXPECT_EQ(Take(catalogue_->Findings(row.key)), entry.entry().findings) << i;
    EXPECT_EQ(List({.group = text}).total, 1) << i;
    EXPECT_EQ(List({.user = text}).total, 1) << i;
    EXPECT_EQ(List({.finding = text}).total, 1) << i;
    EXPECT_GE(List({.search = text}).total, 1) << i;
    const Profile samples = Take(catalogue_->GroupSamples({.group = text}, text));
    ASSERT_EQ(samples.samples.size(), 1u) << i;
    EXPECT_EQ(samples.events.at(0).unit, text);
    EXPECT_TRUE(StacksOf(samples).contains(text + ":12;f:12") || StacksOf(samples).contains(text + ";f")) << i;
    EXPECT_EQ(Take(catalogue_->GroupMaxima({.group = text})).at(0).series, text);
    EXPECT_EQ(Take(catalogue_->GroupFindings({.group = text})).at(0).title, text);
  }
  EXPECT_EQ(Take(catalogue_->Groups(std::nullopt)).size(), texts.size());
  for (const ApplicationOrder order : {ApplicationOrder::kName, ApplicationOrder::kUser, ApplicationOrder::kGroup}) {
    ApplicationQuery query{.order = order, .descending = false, .limit = 1};
    size_t rows = 0;
    do {
      const ApplicationPage page = List(query);
      rows += page.applications.size();
      query.cursor = page.next;
    } while (!query.cursor.empty() && rows < 100);
    EXPECT_EQ(rows, texts.size());
  }
}

TEST_P(CatalogueContract, BytesThatAreNoTextAreReplacedAndFoundAgain) {
  const std::string bytes = "a\xff\xc3(\xed\xa0\x80" + std::string(1, '\x80');
  ApplicationRow row = ExampleRow(bytes);
  row.name = row.group = bytes;
  Put(EntryBuilder(row).Total({bytes}, 5));
  EXPECT_EQ(Take(catalogue_->Find(bytes, std::nullopt))->name, ToUtf8(bytes));
  EXPECT_EQ(List({.group = bytes}).total, 1);
  EXPECT_EQ(StacksOf(Take(catalogue_->GroupSamples({.group = bytes}, "cpu"))), (Stacks{{ToUtf8(bytes), {5, 1}}}));
  Put(EntryBuilder(row).Total({bytes}, 6));
  EXPECT_EQ(List({}).total, 1);
  Remove(row.key);
  EXPECT_EQ(List({}).total, 0);
}

TEST_P(CatalogueContract, KeepsExtremeNumbers) {
  ApplicationRow row = ExampleRow("a");
  row.start_ns = INT64_MIN;
  row.tasks = INT64_MAX;
  row.cpu_ns = INT64_MIN;
  const EntryBuilder entry = EntryBuilder(row).Total({"f"}, INT64_MAX, 1).Total({"g"}, -5, 0).Maximum("s", 0, 1e308);
  Put(entry);
  Put(EntryBuilder(ExampleRow("b")).Total({"f"}, INT64_MAX, INT64_MAX));
  EXPECT_EQ(Take(catalogue_->Find("a", std::nullopt)), row);
  EXPECT_EQ(StacksOf(Take(catalogue_->GroupSamples({.group = "group"}, "cpu"))),
            (Stacks{{"f", {INT64_MAX, INT64_MAX}}, {"g", {-5, 0}}}));
  EXPECT_EQ(Take(catalogue_->GroupMaxima({.group = "group"})).at(0).value, 1e308);
}

TEST_P(CatalogueContract, EverythingIsThereAfterReopening) {
  Put(EntryBuilder(ExampleRow("a"))
          .Total({"main", "f"}, 5)
          .Total({"main", "g", "h"}, 6)
          .Stage({1})
          .Finding("gc", "low", "t", 1)
          .Maximum("s", 0, 1));
  PutRow(ExampleRow("b"));
  Put(EntryBuilder(ExampleRow("gone")).Total({"gone"}, 1));
  Remove({"gone", ""});
  Reopen();
  EXPECT_EQ(Ids({}), "b a");
  EXPECT_EQ(Take(catalogue_->Stages({"a", ""})).size(), 1u);
  EXPECT_EQ(StacksOf(Take(catalogue_->GroupSamples({.group = "group"}, "cpu"))),
            (Stacks{{"main;f", {5, 1}}, {"main;g;h", {6, 1}}}));
  // What comes then fits to what was there.
  Put(EntryBuilder(ExampleRow("c")).Total({"new", "f"}, 7).Total({"main", "f"}, 1));
  Put(EntryBuilder(ExampleRow("a")).Total({"main", "f"}, 8));
  Reopen();
  EXPECT_EQ(StacksOf(Take(catalogue_->GroupSamples({.group = "group"}, "cpu"))),
            (Stacks{{"main;f", {9, 2}}, {"new;f", {7, 1}}}));
  EXPECT_EQ(List({}).total, 3);
}

TEST_P(CatalogueContract, ReadersSeeWholeEntriesWhileOneWrites) {
  // Each Put of "a" has one finding and the weight that its row has as tasks.
  const auto entry = [](int64_t n) {
    ApplicationRow row = ExampleRow("a");
    row.tasks = n;
    return EntryBuilder(row).Total({"main", "f" + std::to_string(n % 7)}, n).Finding("gc", "low", "t", n);
  };
  Put(entry(1));
  std::atomic<bool> done = false;
  std::atomic<int> answers = 0, wrong = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!done) {
        const Result<Profile> samples = catalogue_->GroupSamples({.group = "group"}, "cpu");
        const Result<ApplicationPage> page = catalogue_->Applications({});
        const Result<std::vector<GroupFinding>> findings = catalogue_->GroupFindings({.group = "group"});
        if (!samples || samples->samples.size() != 1) ++wrong;
        if (!page || page->applications.size() != 1) ++wrong;
        if (!findings || findings->size() > 1) ++wrong;
        ++answers;
      }
    });
  }
  for (int64_t n = 2; n <= 30; ++n) Put(entry(n));
  while (answers < 10) std::this_thread::yield();
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(Take(catalogue_->GroupSamples({.group = "group"}, "cpu")).samples.at(0).weight, 30);
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
// The list of applications: filters, orders, pages, viewers.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalogue/testing/catalogue_contract.h"
#include "catalogue/testing/contract_helpers.h"
#include "catalogue/testing/example_entries.h"

namespace sparkprof {

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

TEST_P(CatalogueContract, RecordingsOfNodesAreListedOnlyIfWanted) {
  PutRow(ExampleRow("a"));
  ApplicationRow node = ExampleRow("node");
  node.is_node = true;
  node.group = "nodes";
  PutRow(node);
  EXPECT_EQ(Ids({.descending = false}), "a node");
  EXPECT_EQ(Ids({.without_nodes = true}), "a");
  EXPECT_EQ(List({.without_nodes = true}).total, 1);
  const std::vector<GroupRow> groups = Take(catalogue_->Groups(std::nullopt));
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].name, "group");
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
    row->tasks = row->cpu_ns = row->findings = row->saving_ns = number;
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
      {ApplicationOrder::kSaving, "c | a | b"},   {ApplicationOrder::kName, "a | b | c"},
      {ApplicationOrder::kUser, "a | b | c"},     {ApplicationOrder::kGroup, "a | b | c"},
      {ApplicationOrder::kStatus, "b | c | a"},
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

TEST_P(CatalogueContract, ListsTheEventsWithSamples) {
  const auto seen_by = [](const std::string& id, std::string viewers) {
    ApplicationRow row = ExampleRow(id);
    row.viewers = std::move(viewers);
    return row;
  };
  Put(EntryBuilder(seen_by("a", "\nuser:alice\n"))
          .Total({"f"}, 1)
          .Total({"g"}, 2, 1, 1)
          .Total({"f"}, 3, 1, 0, "alloc", "bytes"));
  Put(EntryBuilder(seen_by("b", "\nuser:bob\n")).Total({"f"}, 4, 1, 0, "cpu", "count"));
  PutRow(seen_by("c", "\nuser:*\n"));
  const auto events = [&](const ApplicationQuery& query) {
    std::set<std::string> found;
    for (const SampledEvent& event : Take(catalogue_->SampledEvents(query))) {
      found.insert(event.key.id + " " + event.event + " " + event.unit);
    }
    return found;
  };
  EXPECT_EQ(events({.limit = 0}), (std::set<std::string>{"a alloc bytes", "a cpu ns", "b cpu count"}));
  EXPECT_EQ(events({.viewer = Viewer{"bob", {}}}), (std::set<std::string>{"b cpu count"}));
  EXPECT_EQ(events({.search = "A", .user = "bob"}), (std::set<std::string>{}));
  EXPECT_EQ(events({.from_ns = kTestStart + kTestHour}), (std::set<std::string>{}));
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

TEST_P(CatalogueContract, ATenantSeesItsOwnApplicationsOnly) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"a", "\ntenant:a\ntenant:a/user:alice\n"}, {"b", "\ntenant:b\n"}, {"c", "\nuser:alice\n"}, {"d", ""}};
  for (const auto& [id, viewers] : rows) {
    ApplicationRow row = ExampleRow(id);
    row.viewers = viewers;
    PutRow(row);
  }
  const auto ids = [&](Viewer viewer) {
    return Ids({.viewer = viewer, .order = ApplicationOrder::kName, .descending = false});
  };
  EXPECT_EQ(ids({"alice", {}, "a"}), "a");
  EXPECT_EQ(ids({"alice", {}, "b"}), "");
  EXPECT_EQ(ids({"alice", {}}), "c");
  EXPECT_EQ(ids({"", {}, "a", true}), "a");
  EXPECT_EQ(ids({"", {}, "b", true}), "b");
  EXPECT_EQ(ids({"", {}, "", true}), "c d") << "the default tenant";
  EXPECT_EQ(Take(catalogue_->Groups(Viewer{"", {}, "", true})).at(0).applications, 2);
}

}  // namespace sparkprof

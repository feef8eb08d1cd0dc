// SPDX-License-Identifier: Apache-2.0
#include "catalogue/testing/catalogue_contract.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "base/text/text.h"
#include "catalogue/testing/contract_helpers.h"
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
  // Later entries fit the earlier ones.
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

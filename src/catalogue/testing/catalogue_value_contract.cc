// SPDX-License-Identifier: Apache-2.0
// Values at the edges of what a catalogue keeps.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "catalogue/testing/catalogue_contract.h"
#include "catalogue/testing/contract_helpers.h"
#include "catalogue/testing/example_entries.h"

namespace sparkprof {

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
    row.name = row.user = row.group = row.job_version = row.spark_version = row.location = row.version = text;
    row.top_finding = text;
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

}  // namespace sparkprof

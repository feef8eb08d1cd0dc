// SPDX-License-Identifier: Apache-2.0
#include "catalogue/duckdb/duckdb_catalogue.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
#include "catalogue/duckdb/duckdb_library.h"
#include "catalogue/testing/catalogue_contract.h"
#include "catalogue/testing/example_entries.h"

namespace sparkprof {
namespace {

// A folder of its own for a test.
class Folder : public TemporaryFolder {
 public:
  std::string File(const std::string& name = "catalogue.duckdb") const { return Path() + "/" + name; }
};

class DuckdbStorage : public CatalogueStorage {
 public:
  Result<std::unique_ptr<Catalogue>> Open() override { return OpenDuckdbCatalogue(folder_.File()); }

 private:
  Folder folder_;
};

INSTANTIATE_TEST_SUITE_P(Duckdb, CatalogueContract,
                         testing::Values(CatalogueKind{
                             "DuckDB", [] { return LoadDuckdb() ? std::make_unique<DuckdbStorage>() : nullptr; }}),
                         [](const auto& kind) { return kind.param.name; });

class DuckdbCatalogueTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto library = LoadDuckdb(); !library) GTEST_SKIP() << library.error().message;
  }
  std::unique_ptr<Catalogue> Open() {
    Result<std::unique_ptr<Catalogue>> opened = OpenDuckdbCatalogue(folder_.File());
    if (!opened) ADD_FAILURE() << opened.error().message;
    return opened ? std::move(*opened) : nullptr;
  }
  // Opening fails for this reason, with a message that has `words`.
  void ExpectProblem(CatalogueProblem expected, const std::string& words) {
    CatalogueProblem problem = CatalogueProblem::kNone;
    const Result<std::unique_ptr<Catalogue>> opened = OpenDuckdbCatalogue(folder_.File(), {}, &problem);
    ASSERT_FALSE(opened);
    EXPECT_EQ(problem, expected) << opened.error().message;
    EXPECT_NE(opened.error().message.find(words), std::string::npos) << opened.error().message;
    EXPECT_NE(opened.error().message.find(folder_.File()), std::string::npos) << opened.error().message;
  }

  Folder folder_;
};

TEST_F(DuckdbCatalogueTest, AFileOfSomethingElseIsUnusableUntilRemoved) {
  ASSERT_TRUE(
      WriteFile(folder_.File(), "this is no database, but long enough to have a header" + std::string(9'999, 'x')));
  ExpectProblem(CatalogueProblem::kUnusable, "remove it");
  ASSERT_TRUE(RemoveDuckdbCatalogue(folder_.File()));
  EXPECT_NE(Open(), nullptr);
}

TEST_F(DuckdbCatalogueTest, ADamagedFileIsAnErrorAndNeverACrash) {
  {
    const std::unique_ptr<Catalogue> catalogue = Open();
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(catalogue->Put(EntryBuilder(ExampleRow("app-" + std::to_string(i)))
                                     .Total({"main", "f" + std::to_string(i)}, i)
                                     .Finding("gc", "low", "t", 1)));
    }
  }
  const std::string whole = *ReadFile(folder_.File());
  int refused = 0;
  for (size_t at = 0; at < whole.size(); at += 65'536 + 17) {
    std::string damaged = whole;
    // Each byte in another way: DuckDB's checksums, which combine words by XOR, miss two equal changes of equal words.
    for (size_t i = at; i < std::min(at + 64, damaged.size()); ++i) damaged[i] ^= static_cast<char>(i - at + 1);
    ASSERT_TRUE(RemoveDuckdbCatalogue(folder_.File()));
    ASSERT_TRUE(WriteFile(folder_.File(), damaged));
    CatalogueProblem problem = CatalogueProblem::kNone;
    const Result<std::unique_ptr<Catalogue>> opened = OpenDuckdbCatalogue(folder_.File(), {}, &problem);
    if (opened) {
      // Damage that is noticed later, or of unused bytes.
      static_cast<void>((*opened)->Applications({}));
      static_cast<void>((*opened)->GroupSamples({.group = "group"}, "cpu"));
    } else {
      EXPECT_EQ(problem, CatalogueProblem::kUnusable) << opened.error().message;
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  for (const size_t size : {size_t{1}, size_t{100}, size_t{5'000}, whole.size() / 2}) {
    ASSERT_TRUE(RemoveDuckdbCatalogue(folder_.File()));
    ASSERT_TRUE(WriteFile(folder_.File(), whole.substr(0, size)));
    ExpectProblem(CatalogueProblem::kUnusable, "remove it");
  }
}

TEST_F(DuckdbCatalogueTest, AFileInUseByAnotherProcessIsNamedSo) {
  int ready[2], done[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(done), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  char byte = 0;
  if (child == 0) {
    const auto opened = OpenDuckdbCatalogue(folder_.File());
    if (write(ready[1], opened ? "y" : "n", 1) != 1 || read(done[0], &byte, 1) != 1) _exit(1);
    _exit(0);
  }
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  ExpectProblem(CatalogueProblem::kInUse, "another process uses it");
  ASSERT_EQ(write(done[1], "x", 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_NE(Open(), nullptr);
}

TEST_F(DuckdbCatalogueTest, AFolderThatIsMissingIsNotDamage) {
  CatalogueProblem problem = CatalogueProblem::kNone;
  EXPECT_FALSE(OpenDuckdbCatalogue(folder_.File("missing/catalogue.duckdb"), {}, &problem));
  EXPECT_EQ(problem, CatalogueProblem::kNoAccess);
}

TEST_F(DuckdbCatalogueTest, AFolderMayHaveAnyName) {
  for (const char* const name : {"data*", "data[1]", "data?", "a?b/c?d", "data\nx"}) {
    const std::string folder = folder_.File(name);
    std::filesystem::create_directories(folder);
    for (const char* const time : {"new", "again"}) {
      Result<std::unique_ptr<Catalogue>> opened = OpenDuckdbCatalogue(folder + "/catalogue.duckdb");
      ASSERT_TRUE(opened) << folder << ", " << time << ": " << opened.error().message;
      EXPECT_TRUE((*opened)->Put(EntryBuilder(ExampleRow("app-1")).Total({"f"}, 1)));
    }
    EXPECT_TRUE(std::filesystem::exists(folder + "/catalogue.duckdb"));
  }
}

TEST_F(DuckdbCatalogueTest, WhatWasAcknowledgedSurvivesAKill) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto opened = OpenDuckdbCatalogue(folder_.File());
    for (char i = 0; opened && i < 100; ++i) {
      if (!(*opened)->Put(EntryBuilder(ExampleRow("app-" + std::to_string(i))).Total({"f" + std::to_string(i)}, 1)))
        break;
      if (write(pipe_ends[1], &i, 1) != 1) break;
    }
    pause();
  }
  char last = 0;
  while (last < 20) ASSERT_EQ(read(pipe_ends[0], &last, 1), 1);
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  const std::unique_ptr<Catalogue> catalogue = Open();
  ASSERT_NE(catalogue, nullptr);
  EXPECT_GE(catalogue->Applications({})->total, last + 1);
  const int64_t stacks = static_cast<int64_t>(catalogue->GroupSamples({.group = "group"}, "cpu")->samples.size());
  EXPECT_EQ(stacks, catalogue->Applications({})->total);
}

TEST_F(DuckdbCatalogueTest, StacksBeyondTheLimitEndInOneThatIsNamedSo) {
  Result<std::unique_ptr<Catalogue>> catalogue = OpenDuckdbCatalogue(folder_.File(), {.max_stacks = 3});
  ASSERT_TRUE(catalogue) << catalogue.error().message;
  ASSERT_TRUE((*catalogue)
                  ->Put(EntryBuilder(ExampleRow("a"))
                            .Total({"main", "f"}, 1)
                            .Total({"main", "g", "h"}, 2)
                            .Total({"main", "i"}, 4)
                            .Total({"main", "f"}, 8)));
  catalogue->reset();
  catalogue = OpenDuckdbCatalogue(folder_.File(), {.max_stacks = 3});
  ASSERT_TRUE(catalogue) << catalogue.error().message;
  EXPECT_EQ(
      StacksOf(*(*catalogue)->GroupSamples({.group = "group"}, "cpu")),
      (std::map<std::string, std::pair<int64_t, int64_t>>{{"main;[stack not stored]", {6, 2}}, {"main;f", {9, 2}}}));
}

}  // namespace
}  // namespace sparkprof

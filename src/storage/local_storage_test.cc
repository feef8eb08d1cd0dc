// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
#include "storage/storage.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

class LocalStorageTest : public FolderTest {
 protected:
  LocalStorageTest() {
    fs::create_directories(Path("b"));
    EXPECT_TRUE(WriteFile(Path("b/log"), "0123456789"));
    EXPECT_TRUE(WriteFile(Path("a"), ""));
  }
  static std::vector<std::string> NamesOf(const StorageListing& listing) {
    std::vector<std::string> names;
    for (const StoredFile& file : listing.files) names.push_back(file.name);
    return names;
  }
};

TEST_F(LocalStorageTest, ListsFilesByNameAndReadsRanges) {
  const auto storage = OpenStorage("file://" + folder_ + "/");
  ASSERT_TRUE(storage) << storage.error().message;
  EXPECT_EQ((*storage)->Root(), folder_);
  const Result<StorageListing> listing = (*storage)->List();
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_EQ(NamesOf(*listing), (std::vector<std::string>{Path("a"), Path("b/log")}));
  EXPECT_EQ(listing->files[1].size, 10);
  EXPECT_GT(listing->files[1].modified_ns, 0);
  const std::string log = Path("b/log");
  EXPECT_EQ(*(*storage)->Read(log, 0, 100), "0123456789");
  EXPECT_EQ(*(*storage)->Read(log, 8, 100), "89");
  EXPECT_EQ(*(*storage)->Read(log, 2, 3), "234");
  EXPECT_EQ(*(*storage)->Read(log, 11, 3), "");
  EXPECT_FALSE((*storage)->Read(Path("missing"), 0, 1));
}

TEST_F(LocalStorageTest, ListsTheOwnersOfFilesOnRequest) {
  EXPECT_EQ((*OpenStorage(folder_))->List()->files[0].owner, "");
  const passwd* const user = getpwuid(geteuid());
  const std::string name = user == nullptr ? std::to_string(geteuid()) : user->pw_name;
  const auto storage = OpenStorage(folder_, {.with_owners = true});
  ASSERT_TRUE(storage);
  EXPECT_EQ((*storage)->List()->files[0].owner, name);
}

TEST_F(LocalStorageTest, DoesNotFollowLinks) {
  fs::create_directory_symlink("/", Path("root"));
  fs::create_symlink("/etc/passwd", Path("b/passwd"));
  const auto storage = OpenStorage(folder_);
  const Result<StorageListing> listing = (*storage)->List();
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_EQ(listing->files.size(), 2U);
  EXPECT_EQ(listing->not_listed.size(), 2U);
  EXPECT_FALSE((*storage)->Read(Path("b/passwd"), 0, 1));
  EXPECT_TRUE(listing->MayHave(Path("b/passwd")));
  EXPECT_FALSE(listing->MayHave(Path("b/passwd-2")));  // a deleted file beside it
}

TEST_F(LocalStorageTest, LeavesOutPipesAndNamesWithLineEnds) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(WriteFile(Path("x\n5 5 y.sprof"), "x"));
  const Result<StorageListing> listing = (*OpenStorage(folder_))->List();
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_EQ(listing->files.size(), 2U);
  ASSERT_EQ(listing->not_listed.size(), 1U);
  EXPECT_EQ(listing->not_listed[0].name.find('\n'), std::string::npos);
}

TEST_F(LocalStorageTest, StopsAtTheLimitOfFiles) {
  StorageOptions options;
  options.max_files = 1;
  const Result<StorageListing> listing = (*OpenStorage(folder_, options))->List();
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_EQ(listing->files.size(), 1U);
  EXPECT_EQ(listing->not_listed.size(), 1U);
  EXPECT_TRUE(listing->MayHave(Path("b/log")));
}

TEST_F(LocalStorageTest, AMissingFolderIsAnError) {
  const Result<StorageListing> listing = (*OpenStorage(Path("missing")))->List();
  ASSERT_FALSE(listing);
  EXPECT_NE(listing.error().message.find("/missing: cannot list"), std::string::npos);
}

TEST_F(LocalStorageTest, OtherSchemesAreRefused) {
  for (const char* location :
       {"gs://", "abfss://container/x", "ftp://host/x", "file:relative", "s3a://", "webhdfs://user:secret@host/x"}) {
    EXPECT_FALSE(OpenStorage(location)) << location;
  }
}

TEST_F(LocalStorageTest, AnObjectIsCreatedOnceAndNeverChanges) {
  const auto storage = OpenStorage(folder_);
  fs::create_directories(Path("tmp"));
  fs::create_directories(Path("blocks"));
  const std::string name = Path("blocks/node/1");
  const auto create = [&](std::string_view content) { return (*storage)->Create(name, content); };
  EXPECT_EQ(*(*storage)->ReadIfExists(name, 100), std::nullopt);
  EXPECT_TRUE(*create("first"));
  EXPECT_TRUE(*create("first")) << "repeated after a lost answer";
  EXPECT_FALSE(*create("second"));
  EXPECT_EQ(*(*storage)->ReadIfExists(name, 100), "first");
  EXPECT_TRUE(fs::is_empty(Path("tmp")));
  EXPECT_FALSE((*storage)->ReadIfExists(name, 4)) << "larger than expected";
  EXPECT_TRUE((*storage)->Remove(name));
  EXPECT_TRUE((*storage)->Remove(name)) << "gone already";
  EXPECT_EQ(*(*storage)->ReadIfExists(name, 100), std::nullopt);
}

TEST_F(LocalStorageTest, OneOfManyWritersCreatesAnObject) {
  const auto storage = OpenStorage(folder_);
  fs::create_directories(Path("tmp"));
  std::atomic<int> winners = 0;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 16; ++writer) {
    writers.emplace_back(
        [&, writer] { winners += *(*storage)->Create(Path("object"), std::to_string(writer)) ? 1 : 0; });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(winners, 1);
}

TEST_F(LocalStorageTest, NothingIsWrittenWhereAFileSystemIsNotMounted) {
  const auto storage = OpenStorage(Path("b"));
  fs::remove_all(Path("b"));
  fs::create_directories(Path("b/tmp"));
  EXPECT_FALSE((*storage)->Create(Path("b/changes/1"), "x"));
  EXPECT_FALSE((*storage)->Create(Path("b/blocks/node/1"), "x"));
  EXPECT_TRUE(fs::is_empty(Path("b/tmp")));
}

TEST_F(LocalStorageTest, AFolderThatIsGoneIsAnErrorNotAMissingObject) {
  const auto storage = OpenStorage(Path("b"));
  fs::remove_all(Path("b"));
  EXPECT_FALSE((*storage)->ReadIfExists(Path("b/1"), 100));
}

}  // namespace
}  // namespace sparkprof

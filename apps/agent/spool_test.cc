// SPDX-License-Identifier: Apache-2.0
#include "spool.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <utility>

#include "base/testing/folder_test.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

class SpoolTest : public FolderTest {
 protected:
  static std::string Content(const std::string& path) { return ReadFile(path).value_or("(none)"); }

  std::vector<std::string> troubles_;
  Spool spool_{[this](const std::string& trouble) { troubles_.push_back(trouble); }};
};

TEST_F(SpoolTest, CreatesFoldersAndAppends) {
  spool_.Open(Path("a/b/c.sprof"), "", 0);
  spool_.Append("one");
  spool_.Append("two");
  EXPECT_EQ(Content(Path("a/b/c.sprof")), "onetwo");
  EXPECT_TRUE(troubles_.empty());
}

TEST_F(SpoolTest, IsLockedAsLongAsItIsOpen) {
  spool_.Open(Path("c.sprof"), "", 0);
  const FileDescriptor reader(open(Path("c.sprof").c_str(), O_RDONLY));
  EXPECT_NE(flock(reader.Get(), LOCK_SH | LOCK_NB), 0);
  spool_.Close();
  EXPECT_EQ(flock(reader.Get(), LOCK_SH | LOCK_NB), 0);
}

TEST_F(SpoolTest, MovesWithItsContent) {
  spool_.Open(Path("a.sprof"), "", 0);
  spool_.Append("one");
  spool_.MoveTo(Path("x/b.sprof"));
  spool_.Append("two");
  EXPECT_FALSE(fs::exists(Path("a.sprof")));
  EXPECT_EQ(Content(Path("x/b.sprof")), "onetwo");
}

TEST_F(SpoolTest, RestartsInAnEmptyLockedFileOfItsNameAndCountsOn) {
  spool_.Open(Path("a.sprof"), "", 4);
  spool_.Append("one");
  const FileDescriptor before(open(Path("a.sprof").c_str(), O_RDONLY));
  spool_.Restart();
  EXPECT_EQ(spool_.Base(), 3);
  spool_.Append("four");
  EXPECT_EQ(spool_.End(), 7);
  EXPECT_EQ(Content(Path("a.sprof")), "four");
  char old[3];
  EXPECT_EQ(pread(before.Get(), old, 3, 0), 3) << "who reads the old file goes on reading it";
  const FileDescriptor reader(open(Path("a.sprof").c_str(), O_RDONLY));
  EXPECT_NE(flock(reader.Get(), LOCK_SH | LOCK_NB), 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  EXPECT_TRUE(troubles_.empty());
}

TEST_F(SpoolTest, StaysWhereItIsWhenItCannotMove) {
  spool_.Open(Path("a.sprof"), "", 0);
  ASSERT_TRUE(WriteFile(Path("file"), ""));
  spool_.MoveTo(Path("file/b.sprof"));
  spool_.Append("one");
  EXPECT_EQ(Content(Path("a.sprof")), "one");
  EXPECT_EQ(troubles_.size(), 1u);
}

TEST_F(SpoolTest, GoesOnInTheNodesFolderWhenItIsDeleted) {
  spool_.Open(Path("gone/a.sprof"), Path("node"), 0);
  spool_.Append("one");
  fs::remove_all(Path("gone"));
  spool_.Append("two");
  EXPECT_EQ(Content(Path("node/a.sprof")), "onetwo");
  EXPECT_FALSE(fs::exists(Path("gone")));
  EXPECT_EQ(troubles_.size(), 1u);
}

TEST_F(SpoolTest, TheNodesFolderIsForItsOwnerOnlyAndNoLink) {
  spool_.Open(Path("gone/a.sprof"), Path("node/app"), 0);
  spool_.Append("one");
  fs::remove_all(Path("gone"));
  spool_.Append("two");
  EXPECT_EQ(fs::status(Path("node/app")).permissions(), fs::perms::owner_all);

  fs::create_directories(Path("others"));
  fs::create_symlink(Path("others"), Path("link"));
  spool_.SetNodeDir(Path("link"));
  fs::remove_all(Path("node"));
  spool_.Append("three");
  EXPECT_TRUE(fs::is_empty(Path("others")));
  EXPECT_EQ(spool_.DroppedBytes().at("recording deleted"), 5);
}

TEST_F(SpoolTest, IsSavedWhenItIsDeletedAfterTheLastBlock) {
  spool_.Open(Path("gone/a.sprof"), Path("node"), 0);
  spool_.Append("one");
  fs::remove_all(Path("gone"));
  spool_.Close();
  EXPECT_EQ(Content(Path("node/a.sprof")), "one");
}

TEST_F(SpoolTest, CountsWhatIsDroppedWhenThereIsNowhereElse) {
  spool_.Open(Path("gone/a.sprof"), "", 0);
  fs::remove_all(Path("gone"));
  spool_.Append("one");
  spool_.Append("two");
  ASSERT_EQ(spool_.DroppedBytes().size(), 1u);
  EXPECT_EQ(spool_.DroppedBytes().begin()->second, 6);
  EXPECT_EQ(troubles_.size(), 1u);
}

TEST_F(SpoolTest, StopsAtItsLargestSizeButWritesTheLastBlock) {
  spool_.Open(Path("a.sprof"), "", 5);
  spool_.Append("four");
  spool_.Append("more");
  spool_.Append("more");
  EXPECT_EQ(Content(Path("a.sprof")), "four");
  EXPECT_EQ(spool_.DroppedBytes().begin()->second, 8);
  EXPECT_EQ(troubles_.size(), 1u);
  spool_.Append("last", true);
  EXPECT_EQ(Content(Path("a.sprof")), "fourlast");
}

TEST_F(SpoolTest, LeavesNoHalfBlockWhenWritingFailsAndGoesOnLater) {
  signal(SIGXFSZ, SIG_IGN);
  spool_.Open(Path("a.sprof"), "", 0);
  spool_.Append("one");
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 5;
  setrlimit(RLIMIT_FSIZE, &small);
  spool_.Append("second");
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(Content(Path("a.sprof")), "one");
  EXPECT_EQ(spool_.DroppedBytes().at("writing failed"), 6);
  spool_.Append("three");
  EXPECT_EQ(Content(Path("a.sprof")), "onethree");
}

TEST_F(SpoolTest, FallsBackToTheNodesFolderWhenItsOwnCannotBeMade) {
  ASSERT_TRUE(WriteFile(Path("file"), ""));
  spool_.Open(Path("file/a.sprof"), Path("node"), 0);
  spool_.Append("one");
  EXPECT_EQ(Content(Path("node/a.sprof")), "one");
}

TEST_F(SpoolTest, IsReadableForItsOwnerOnlyWhateverTheUmask) {
  const mode_t before = umask(0);
  spool_.Open(Path("new/a.sprof"), "", 0);
  umask(before);
  struct stat status;
  ASSERT_EQ(stat(Path("new/a.sprof").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  ASSERT_EQ(stat(Path("new").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u);
}

TEST_F(SpoolTest, ContinuesItsOwnFile) {
  ASSERT_TRUE(WriteFile(Path("a.sprof"), "one"));
  spool_.Open(Path("a.sprof"), "", 0);
  spool_.Append("two");
  EXPECT_EQ(Content(Path("a.sprof")), "onetwo");
}

// Nothing is written through an existing file with the recording's name; the recording gets a suffix.
TEST_F(SpoolTest, WritesThroughNothingThatWasPlanted) {
  const std::string victim = Path("victim"), planted = Path("planted.sprof");
  ASSERT_TRUE(WriteFile(victim, "victim"));
  const std::pair<const char*, std::function<void()>> plants[] = {
      {"a link to a file", [&] { fs::create_symlink(victim, planted); }},
      {"a dangling link", [&] { fs::create_symlink(Path("dangling"), planted); }},
      {"a link to a folder", [&] { fs::create_symlink(folder_, planted); }},
      {"a hard link", [&] { fs::create_hard_link(victim, planted); }},
      {"a pipe", [&] { mkfifo(planted.c_str(), 0666); }},
      {"a folder", [&] { fs::create_directory(planted); }},
  };
  for (const auto& [name, plant] : plants) {
    plant();
    Spool spool([this](const std::string& trouble) { troubles_.push_back(trouble); });
    spool.Open(planted, "", 0);
    spool.Append("one");
    EXPECT_NE(spool.Path(), planted) << name;
    EXPECT_EQ(Content(spool.Path()), "one") << name;
    EXPECT_TRUE(spool.Path().ends_with(".sprof")) << name;
    EXPECT_EQ(Content(victim), "victim") << name;
    EXPECT_FALSE(fs::exists(Path("dangling"))) << name;
    fs::remove_all(planted);
  }
  EXPECT_EQ(troubles_.size(), std::size(plants));
}

TEST_F(SpoolTest, MovesOverALinkAndNotThroughIt) {
  ASSERT_TRUE(WriteFile(Path("victim"), "victim"));
  fs::create_symlink(Path("victim"), Path("b.sprof"));
  spool_.Open(Path("a.sprof"), "", 0);
  spool_.Append("one");
  spool_.MoveTo(Path("b.sprof"));
  EXPECT_EQ(Content(Path("b.sprof")), "one");
  EXPECT_EQ(Content(Path("victim")), "victim");
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "loader/source_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/testing/folder_test.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

class SourceFilesTest : public FolderTest {
 protected:
  FrameId Frame(std::string_view name, std::string_view file, FrameKind kind) {
    return profile_.frames.Intern({profile_.strings.Intern(name), profile_.strings.Intern(file), 3, kind});
  }

  SourceFiles Find(const SourceLimits& limits = {}) {
    Result<SourceFiles> found = FindSources(
        profile_, Path("src"), [this](std::string_view text) { return redact_(text); }, limits);
    EXPECT_TRUE(found.has_value());
    return std::move(*found);
  }

  // The path of the file that a frame has, empty = none.
  static std::string PathOf(const SourceFiles& found, FrameId frame) {
    return found.FileOf(frame) < 0 ? "" : found.files[static_cast<size_t>(found.FileOf(frame))].path;
  }

  Profile profile_;
  std::function<std::string(std::string_view)> redact_ = [](std::string_view text) { return std::string(text); };
};

TEST_F(SourceFilesTest, AClassIsFoundByItsPackage) {
  Write("src/main/scala/org/example/Job.scala", "package org.example\n");
  Write("src/main/scala/org/other/Job.scala", "package org.other\n");
  const FrameId frame = Frame("org.example.Job$.run", "Job.scala", FrameKind::kJit);
  EXPECT_EQ(PathOf(Find(), frame), "main/scala/org/example/Job.scala");
}

TEST_F(SourceFilesTest, ScalasFoldersNeedNotFollowItsPackages) {
  Write("src/Job.scala", "package org.example\npackage jobs {\n");
  const FrameId own = Frame("org.example.jobs.Job.run", "Job.scala", FrameKind::kInlined);
  const FrameId of_a_library = Frame("org.apache.spark.Job.run", "Job.scala", FrameKind::kJit);
  const SourceFiles found = Find();
  EXPECT_EQ(PathOf(found, own), "Job.scala");
  EXPECT_EQ(PathOf(found, of_a_library), "");
}

TEST_F(SourceFilesTest, APythonFileIsFoundByTheEndOfItsPath) {
  Write("src/jobs/clean.py", "a\n");
  Write("src/tests/clean.py", "b\n");
  const FrameId frame = Frame("clean", "/opt/app/jobs/clean.py", FrameKind::kPython);
  EXPECT_EQ(PathOf(Find(), frame), "jobs/clean.py");
}

TEST_F(SourceFilesTest, AFileOfALibraryIsNotTheUsersFileOfTheSameName) {
  Write("src/series.py", "a\n");
  const FrameId frame = Frame("map", "/usr/lib/python3/dist-packages/pandas/series.py", FrameKind::kPython);
  EXPECT_EQ(PathOf(Find(), frame), "");
}

TEST_F(SourceFilesTest, OfFilesThatFitEquallyWellNoneIsShownAndThatIsReported) {
  Write("src/a/job.py", "a\n");
  Write("src/b/job.py", "b\n");
  Frame("f", "job.py", FrameKind::kPython);
  const SourceFiles found = Find();
  EXPECT_TRUE(found.files.empty());
  EXPECT_EQ(found.left_out, "1 source file left out: several files fit equally well.");
}

TEST_F(SourceFilesTest, NoLinkLeadsOutOfTheFolder) {
  Write("outside/job.py", "password\n");
  Write("src/other.py", "a\n");
  fs::create_symlink(Path("outside/job.py"), Path("src/job.py"));
  fs::create_directory_symlink(Path("outside"), Path("src/linked"));
  Write("src/.git/job.py", "a\n");
  Frame("f", "job.py", FrameKind::kPython);
  Frame("g", "../outside/job.py", FrameKind::kPython);
  EXPECT_TRUE(Find().files.empty());
}

TEST_F(SourceFilesTest, SecretsAreTakenOutAndTheLinesStay) {
  Write("src/job.py", "a\nkey\n");
  Frame("f", "job.py", FrameKind::kPython);
  redact_ = [](std::string_view) { return std::string("a\n***\n"); };
  EXPECT_EQ(Find().files.at(0).text, "a\n***\n");
  redact_ = [](std::string_view) { return std::string("***\n"); };
  const SourceFiles found = Find();
  EXPECT_TRUE(found.files.empty());
  EXPECT_EQ(found.left_out, "1 source file left out: it contains a secret of several lines.");
}

TEST_F(SourceFilesTest, LargeAndBinaryFilesAreLeftOutAndUsersFilesComeFirst) {
  Write("src/org/apache/spark/Big.scala", "123456789\n");
  Write("src/org/example/Own.scala", "123456789\n");
  Write("src/org/example/Binary.scala", std::string_view("a\0b\n", 4));
  Frame("org.apache.spark.Big.f", "Big.scala", FrameKind::kJit);
  const FrameId own = Frame("org.example.Own.f", "Own.scala", FrameKind::kJit);
  Frame("org.example.Binary.f", "Binary.scala", FrameKind::kJit);
  const SourceFiles found = Find({.file_bytes = 10, .all_bytes = 12});
  ASSERT_EQ(found.files.size(), 1u);
  EXPECT_EQ(PathOf(found, own), "org/example/Own.scala");
  EXPECT_EQ(found.left_out, "2 source files left out: not readable as text, larger than 10 B, or beyond 12 B in all.");
}

TEST_F(SourceFilesTest, AMissingFolderIsAnError) {
  const auto found = FindSources(profile_, Path("nowhere"), redact_);
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.error().message.find("cannot read the folder"), std::string::npos);
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "inputs/archive.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/testing/source_file.h"
#include "inputs/testing/inputs_fixture.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

fs::path SeedOf(const char* name) { return fs::path(SourceFile("fuzz/seeds/archive")) / name; }

TEST_F(InputsTest, ADownloadOfTheHistoryServerIsReadAsItsFolder) {
  WriteZip("logs.zip", {{"eventlog_v2_app-1/events_1_app-1.zstd", Zstd(EventLine(1))},
                        {"eventlog_v2_app-1/events_2_app-1.zstd", Zstd(EventLine(2))},
                        {"eventlog_v2_app-1/appstatus_app-1", ""},
                        {"driver/stderr", kLogLine}});
  const Inputs inputs = Find();
  ASSERT_EQ(inputs.inputs.size(), 2u);
  EXPECT_EQ(inputs.inputs[0].executor, "driver");
  EXPECT_EQ(inputs.inputs[0].stream, "stderr");
  EXPECT_EQ(Content(inputs.inputs[1]), EventLine(1) + EventLine(2));
}

TEST_F(InputsTest, ArchivesWithinArchivesAreReadToALimit) {
  WriteZip("inner.zip", {{"app", EventLine(1)}});
  const Result<std::string> inner = ReadFile(Path("inner.zip"));
  ASSERT_TRUE(inner.has_value());
  fs::remove(Path("inner.zip"));
  WriteZip("outer.zip", {{"inner.zip", *inner}});
  EXPECT_EQ(Content(One()), EventLine(1));
  InputLimits limits;
  limits.max_archive_depth = 1;
  EXPECT_EQ(Find(limits).unrecognized.size(), 1u);
}

TEST_F(InputsTest, ACutZipIsListedNotRead) {
  WriteZip("logs.zip", {{"app", EventLine(1)}});
  fs::resize_file(Path("logs.zip"), fs::file_size(Path("logs.zip")) - 10);
  const Inputs inputs = Find();
  ASSERT_EQ(inputs.unrecognized.size(), 1u);
  EXPECT_NE(inputs.unrecognized[0].reason.find("zip"), std::string::npos);
}

TEST_F(InputsTest, WhatYarnLogsPrintsIsManyLogs) {
  const std::string quoting = std::string(kLogLine) + "End of LogType:stderr\n" + kLogLine;
  Write("application.log",
        "Container: container_e01_1600000000000_0001_01_000002 on host-1_45454\n"
        "LogAggregationType: AGGREGATED\n====\nLogType:stderr\nLogLastModifiedTime:x\nLogLength:" +
            std::to_string(quoting.size()) + "\nLogContents:\n" + quoting +
            "\nEnd of LogType:stderr\n****\n\nContainer: container_e01_1600000000000_0001_01_000003 on host-2_45454\n"
            "====\nLogType:stdout\nLog Upload Time:x\nLogLength:6\nLog Contents:\nprint\n\nEnd of LogType:stdout\n");
  const Inputs inputs = Find();
  ASSERT_EQ(inputs.inputs.size(), 2u);
  EXPECT_EQ(Content(inputs.inputs[0]), quoting);
  EXPECT_EQ(inputs.inputs[0].host, "host-1");
  EXPECT_EQ(inputs.inputs[0].container, "container_e01_1600000000000_0001_01_000002");
  EXPECT_EQ(inputs.inputs[0].application_id, "application_1600000000000_0001");
  EXPECT_EQ(Content(inputs.inputs[1]), "print\n");
  EXPECT_EQ(inputs.inputs[1].stream, "stdout");
}

TEST_F(InputsTest, AggregatedLogsOfYarnAreManyLogs) {
  for (const char* name : {"tfile_none", "tfile_gz", "indexed_file"}) {
    fs::copy_file(SeedOf(name), Path("host-1_45454"), fs::copy_options::overwrite_existing);
    const Inputs inputs = Find();
    ASSERT_TRUE(inputs.unrecognized.empty()) << name << inputs.unrecognized[0].reason;
    ASSERT_GE(inputs.inputs.size(), 4u) << name;
    const Input& first = inputs.inputs[0];
    EXPECT_EQ(first.container, "container_1600000000000_0001_01_000001");
    EXPECT_EQ(first.application_id, "application_1600000000000_0001");
    EXPECT_EQ(first.host, "host-1");
    EXPECT_EQ(first.stream, "stderr");
    const std::string content = Content(first);
    EXPECT_TRUE(content.starts_with("26/11/21 16:35:51 INFO A: c")) << name << content;
    EXPECT_EQ(std::count(content.begin(), content.end(), '\n'), 2) << name;
  }
}

TEST_F(InputsTest, DamagedAndCutArchivesAreReadAsFarAsPossible) {
  std::mt19937 random(1);
  for (const char* name : {"tfile_none", "tfile_gz", "indexed_file", "zip", "yarn_text"}) {
    const Result<std::string> whole = ReadFile(SeedOf(name).string());
    ASSERT_TRUE(whole.has_value());
    for (int attempt = 0; attempt < 150; ++attempt) {
      std::string damaged = *whole;
      if (attempt % 3 == 0) {
        damaged.resize(random() % damaged.size());
      } else {
        for (int flips = 0; flips < 4; ++flips) damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      Write("damaged", damaged);
      const Inputs inputs = Find();
      EXPECT_TRUE(!inputs.inputs.empty() || !inputs.unrecognized.empty());
      for (const Input& input : inputs.inputs) Content(input);
    }
  }
}

// One file as GNU tar and POSIX's pax write it.
std::string TarEntry(const std::string& name, const std::string& content, char type = '0',
                     const std::string& magic = std::string("ustar\0"
                                                            "00",
                                                            8),
                     const std::string& prefix = {}) {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  char size[13];
  snprintf(size, sizeof size, "%011zo", content.size());
  header.replace(124, 11, size, 11);
  header[156] = type;
  header.replace(257, magic.size(), magic);
  header.replace(345, prefix.size(), prefix);
  header.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  snprintf(size, sizeof size, "%06o", sum);
  header.replace(148, 7, size, 7);
  return header + content + std::string((512 - content.size() % 512) % 512, '\0');
}

std::string Tar() {
  const std::string long_name = std::string(120, 'n') + ".folded", path = "pax/" + std::string(120, 'p') + ".folded";
  const std::string record = std::to_string(path.size() + 10) + " path=" + path + "\n";
  return TarEntry("folder/", "", '5') + TarEntry("folder/a.folded", "a;b 1\n") +
         TarEntry("b.folded", "a;b 2\n", '0',
                  std::string("ustar\0"
                              "00",
                              8),
                  "in/prefix") +
         TarEntry("././@LongLink", long_name + '\0', 'L', "ustar  ") + TarEntry("cut", "a;b 3\n", '0', "ustar  ") +
         TarEntry("PaxHeader", record, 'x') + TarEntry("cut", "a;b 4\n") + TarEntry("old.folded", "a;b 5\n", '\0', "") +
         std::string(1024, '\0');
}

TEST_F(InputsTest, FilesInATarAreFound) {
  const std::vector<std::string> names = {"folder/a.folded", "in/prefix/b.folded", std::string(120, 'n') + ".folded",
                                          "old.folded", "pax/" + std::string(120, 'p') + ".folded"};
  Write("a.tar", Tar());
  Write("a.tar.zst", Zstd(Tar()));
  WriteZip("a.zip", {{"inner.tar", Tar()}});
  for (const std::string archive : {"a.tar", "a.tar.zst", "a.zip!inner.tar"}) {
    const Result<Inputs> found = FindInputs({Path(archive.substr(0, archive.find('!')))});
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_TRUE(found->unrecognized.empty()) << found->unrecognized[0].reason;
    std::vector<std::string> paths;
    for (const Input& input : found->inputs) {
      paths.push_back(input.path.substr(Path(archive).size() + 1));
      EXPECT_EQ(input.kind, InputKind::kProfile);
      const auto source = input.Open();
      ASSERT_TRUE(source);
      std::optional<Error> error;
      EXPECT_EQ(ReadUpTo(source->get(), 100, &error).substr(0, 4), "a;b ");
    }
    EXPECT_EQ(paths, names) << archive;
  }
}

TEST_F(InputsTest, DamagedTarsGiveTheFilesBeforeTheDamage) {
  const std::string tar = Tar();
  std::string corrupt = tar;
  corrupt[512 + 512 + 512 + 3] ^= 1;  // in the name of the second file
  std::string noise;                  // does not shrink
  std::minstd_rand random(1);
  for (int i = 0; i < 600'000; ++i) noise += static_cast<char>('a' + random() % 26);
  const std::string frame = Zstd(TarEntry("a.folded", "a;b 1\n") + TarEntry("noise.folded", noise));
  Write("cut.tar", tar.substr(0, 512 + 512 + 3));
  Write("cut_later.tar", tar.substr(0, 512 * 4 + 3));
  Write("corrupt.tar", corrupt);
  Write("cut.tar.zst", frame.substr(0, frame.size() - 100));
  const Result<Inputs> found = FindInputs({Path("")});
  ASSERT_TRUE(found);
  std::map<std::string, std::string> reasons;
  for (const Unrecognized& one : found->unrecognized) reasons[one.path.substr(Path("").size())] = one.reason;
  EXPECT_EQ(reasons["cut.tar!folder/a.folded"], "truncated: 3 of 6 bytes");
  EXPECT_EQ(reasons["cut_later.tar!in/prefix/b.folded"], "truncated: 3 of 6 bytes");
  EXPECT_EQ(reasons["corrupt.tar!offset 1536"], "expected a header of tar; the rest is skipped");
  EXPECT_NE(reasons["cut.tar.zst"].find("truncated"), std::string::npos) << reasons["cut.tar.zst"];
  std::vector<std::string> paths;
  for (const Input& input : found->inputs) paths.push_back(input.path.substr(Path("").size()));
  EXPECT_EQ(paths, (std::vector<std::string>{"corrupt.tar!folder/a.folded", "cut.tar.zst!a.folded",
                                             "cut_later.tar!folder/a.folded"}));
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "inputs/inputs.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zip.h>
#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/testing/source_file.h"
#include "inputs/event_log_files.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr char kLogLine[] = "26/11/21 16:35:51 INFO SparkContext: Running Spark version 4.1.1\n";

std::string EventLine(int number) {
  return "{\"Event\":\"SparkListenerJobStart\",\"Job ID\":" + std::to_string(number) + "}\n";
}

std::string StartLine(const std::string& id) {
  return "{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"a\",\"App ID\":\"" + id + "\",\"Timestamp\":1}\n";
}

std::string Zstd(std::string_view text) {
  std::string frame(ZSTD_compressBound(text.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), text.data(), text.size(), 1));
  return frame;
}

class InputsTest : public testing::Test {
 protected:
  InputsTest() : folder_(fs::temp_directory_path() / ("inputs_test_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~InputsTest() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  void Write(const std::string& name, std::string_view content) {
    fs::create_directories(fs::path(Path(name)).parent_path());
    std::ofstream(Path(name), std::ios::binary) << content;
  }

  void WriteZip(const std::string& name, const std::vector<std::pair<std::string, std::string>>& files) {
    int error = 0;
    zip_t* const zip = zip_open(Path(name).c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
    ASSERT_NE(zip, nullptr);
    for (const auto& [file, content] : files) {
      zip_source_t* const source = zip_source_buffer(zip, content.data(), content.size(), 0);
      ASSERT_GE(zip_file_add(zip, file.c_str(), source, 0), 0);
    }
    ASSERT_EQ(zip_close(zip), 0);
  }

  Inputs Find(const InputLimits& limits = {}) {
    Result<Inputs> inputs = FindInputs({folder_.string()}, limits);
    EXPECT_TRUE(inputs.has_value());
    return inputs ? *inputs : Inputs();
  }

  // The only input there is.
  Input One(const InputLimits& limits = {}) {
    Inputs inputs = Find(limits);
    EXPECT_EQ(inputs.inputs.size(), 1u);
    return inputs.inputs.empty() ? Input() : inputs.inputs[0];
  }

  static std::string Content(const Input& input, std::string* error = nullptr) {
    Result<std::unique_ptr<ByteSource>> source = input.Open();
    if (!source) return "cannot open: " + source.error().message;
    std::optional<Error> ended;
    std::string content = ReadUpTo(source->get(), 1 << 20, &ended);
    if (error != nullptr && ended) *error = ended->message;
    return content;
  }

  fs::path folder_;
};

TEST_F(InputsTest, TheKindOfAFileIsFoundFromItsContent) {
  const std::map<std::string, std::pair<std::string, InputKind>> files = {
      {"a", {EventLine(1), InputKind::kEventLog}},
      {"b", {"not json at first\n{\"Timestamp\":1,\"Event\": \"SparkListenerJobEnd\"}\n", InputKind::kEventLog}},
      {"crashed", {EventLine(1) + std::string(5'000, '\0'), InputKind::kEventLog}},
      {"c", {kLogLine, InputKind::kTextLog}},
      {"d", {"2019-02-14 10:10:07 INFO  SparkContext:54 - Running\n", InputKind::kTextLog}},
      {"stdout", {"whatever a job prints\n", InputKind::kTextLog}},
      {"e",
       {"{\"ts\":\"2026-11-21T16:35:51Z\",\"level\":\"INFO\",\"msg\":\"m\",\"logger\":\"L\"}\n",
        InputKind::kStructuredLog}},
      {"f", {"{\"heapMemoryTotalUsed\":1.0,\"epochMillis\":1,\"processUuid\":\"u\"}\n", InputKind::kUberRecords}},
      {"g",
       {"{\"pid\": 931, \"epochMillis\": 1, \"pmem_rss\": 8, \"cpu_percent\": 0.2}\n", InputKind::kPySparkRecords}},
      {"h",
       {std::string(kLogLine) + "ConsoleOutputReporter - CpuAndMemory: {\"epochMillis\":1}\n", InputKind::kConsole}},
      {"i", {"\n\nBABAR\tc\tJVM_CPU_TIME\t1795256429005\t20.0\t\n", InputKind::kBabar}},
      {"j", {"SPRF rest", InputKind::kRecording}},
      {"k", {std::string("FLR\0\0\2", 6), InputKind::kProfile}},
  };
  for (const auto& [name, file] : files) Write(name, file.first);
  const Inputs inputs = Find();
  EXPECT_EQ(inputs.inputs.size(), files.size());
  for (const Input& input : inputs.inputs) {
    const std::string name = fs::path(input.path).filename();
    EXPECT_EQ(InputKindName(input.kind), InputKindName(files.at(name).second)) << name;
    EXPECT_EQ(Content(input), files.at(name).first);
  }
}

TEST_F(InputsTest, WhatIsNotRecognizedIsListedWithTheReason) {
  Write("empty", "");
  Write("notes.txt", "shopping: milk\n");
  Write("table.parquet", "PAR1 and so on");
  Write("binary", std::string("\1\2\3\0\4", 5));
  const Inputs inputs = Find();
  EXPECT_TRUE(inputs.inputs.empty());
  ASSERT_EQ(inputs.unrecognized.size(), 4u);
  EXPECT_EQ(inputs.unrecognized[1].reason, "empty");
  for (const Unrecognized& file : inputs.unrecognized) EXPECT_FALSE(file.reason.empty()) << file.path;
  EXPECT_FALSE(FindInputs({Path("absent")}).has_value());
}

TEST_F(InputsTest, ARolledEventLogIsOneInputInOrderOfItsNumbers) {
  for (int part = 1; part <= 11; ++part) {
    Write("eventlog_v2_app-1/events_" + std::to_string(part) + "_app-1.zstd", Zstd(EventLine(part)));
  }
  Write("eventlog_v2_app-1/appstatus_app-1.inprogress", "");
  const Input log = One();
  std::string expected;
  for (int part = 1; part <= 11; ++part) expected += EventLine(part);
  EXPECT_EQ(Content(log), expected);
  EXPECT_EQ(log.application_id, "app-1");
  EXPECT_EQ(log.attempt, "");
  EXPECT_TRUE(log.in_progress);
}

TEST_F(InputsTest, ACompactedFileReplacesThoseBeforeIt) {
  Write("eventlog_v2_application_1_2_3/events_1_application_1_2_3", EventLine(1));
  Write("eventlog_v2_application_1_2_3/events_2_application_1_2_3", EventLine(2));
  Write("eventlog_v2_application_1_2_3/events_2_application_1_2_3.compact", EventLine(20));
  Write("eventlog_v2_application_1_2_3/events_3_application_1_2_3", EventLine(3));
  Write("eventlog_v2_application_1_2_3/events_3_application_1_2_3.compact.inprogress", EventLine(30));
  const Inputs inputs = Find();
  ASSERT_EQ(inputs.inputs.size(), 1u);
  EXPECT_EQ(Content(inputs.inputs[0]), EventLine(20) + EventLine(3));
  EXPECT_EQ(inputs.inputs[0].application_id, "application_1_2");
  EXPECT_EQ(inputs.inputs[0].attempt, "3");
  EXPECT_EQ(inputs.notes.size(), 3u);
}

TEST_F(InputsTest, APartThatIsCutCostsItsOwnRestOnly) {
  const std::string whole = Zstd(EventLine(2) + std::string(100'000, ' '));
  Write("eventlog_v2_app-1/events_1_app-1.zstd", Zstd(EventLine(1) + "{\"Event\":\"cut"));
  Write("eventlog_v2_app-1/events_2_app-1.zstd", std::string_view(whole).substr(0, whole.size() - 3));
  Write("eventlog_v2_app-1/events_3_app-1.zstd", Zstd(EventLine(3)));
  std::string error;
  const std::string content = Content(One(), &error);
  EXPECT_TRUE(content.starts_with(EventLine(1) + "{\"Event\":\"cut\n"));
  EXPECT_TRUE(content.ends_with("\n" + EventLine(3)));
  EXPECT_NE(error.find("events_2"), std::string::npos) << error;
}

TEST_F(InputsTest, TheFilesOfADatabricksFolderAreOneLogTheActiveOneLast) {
  Write("c/eventlog/c_10/7/eventlog-2021-06-15--15-00", EventLine(1));
  Write("c/eventlog/c_10/7/eventlog-2021-06-15--16-00", EventLine(2));
  Write("c/eventlog/c_10/7/eventlog", EventLine(3));
  EXPECT_EQ(Content(One()), EventLine(1) + EventLine(2) + EventLine(3));
}

TEST_F(InputsTest, LogsThatShareTheFirstWordOfTheirNamesAreLogsOfTheirOwn) {
  const std::vector<std::string> names = {"eventlog-gpu-dsv1.zstd",
                                          "eventlog-gpu-dsv2.zstd",
                                          "eventlog-1",
                                          "eventlog-2021-06-15.gz",
                                          "eventlog-2021-06-15--15-00-1",
                                          "eventlog-2021-6-15--15-00",
                                          "eventlog_2",
                                          "eventlogs",
                                          "EVENT_LOG_gpu",
                                          "EVENT_LOG_",
                                          "events_gpu_1",
                                          "events_1_",
                                          "events_1",
                                          "attempt_1_eventlog.zstd",
                                          "gpu_oom_eventlog.zstd"};
  for (const std::string& name : names) {
    Write(name, name.ends_with(".zstd") ? Zstd(StartLine(name)) : StartLine(name));
  }
  const Inputs inputs = Find();
  ASSERT_EQ(inputs.inputs.size(), names.size());
  for (const Input& input : inputs.inputs) {
    EXPECT_EQ(input.parts.size(), 1u) << input.path;
    EXPECT_EQ(input.application_id, fs::path(input.path).filename()) << input.path;
  }
}

TEST_F(InputsTest, PartsByTheirNamesThatStartAnotherApplicationAreAnotherLog) {
  // Two clusters' files in one folder; the environment before the second one's start is long.
  const std::string environment =
      R"({"Event":"SparkListenerEnvironmentUpdate","Classpath Entries":{")" + std::string(300'000, 'x') + "\":\"\"}}\n";
  Write("c/eventlog-2021-06-15--15-00.zstd", Zstd(StartLine("app-1") + EventLine(1)));
  Write("c/eventlog-2021-06-15--16-00.zstd", Zstd(EventLine(2)));
  Write("c/eventlog-2021-06-15--17-00.zstd", Zstd(environment + StartLine("app-2") + EventLine(3)));
  Write("c/eventlog", EventLine(4));
  // Files that are called as Spark's rolled logs are.
  Write("r/events_1_run", StartLine("app-3"));
  Write("r/events_2_run", StartLine("app-4") + EventLine(5));
  Write("r/events_3_run", EventLine(6));
  const Inputs inputs = Find();
  std::map<std::string, std::string> contents;
  for (const Input& input : inputs.inputs) contents[input.application_id] = Content(input);
  EXPECT_EQ(inputs.inputs.size(), 4u);
  EXPECT_EQ(contents["app-1"], StartLine("app-1") + EventLine(1) + EventLine(2));
  EXPECT_EQ(contents["app-2"], environment + StartLine("app-2") + EventLine(3) + EventLine(4));
  EXPECT_EQ(contents["app-3"], StartLine("app-3"));
  EXPECT_EQ(contents["app-4"], StartLine("app-4") + EventLine(5) + EventLine(6));
  std::set<std::string> names;
  for (const Input& input : inputs.inputs) names.insert(input.path);
  EXPECT_EQ(names.size(), 4u);
}

TEST_F(InputsTest, TwoRolledLogsInOneFolderHaveNamesOfTheirOwn) {
  for (const std::string id : {"app-1", "app-2"}) {
    Write("eventlog_v2_app-1/events_1_" + id, StartLine(id));
    Write("eventlog_v2_app-1/events_2_" + id, EventLine(1));
  }
  const Inputs inputs = Find();
  ASSERT_EQ(inputs.inputs.size(), 2u);
  EXPECT_NE(inputs.inputs[0].path, inputs.inputs[1].path);
}

TEST_F(InputsTest, AnEventLogOfTheFirstSparksIsItsFolder) {
  Write("app-20140101/EVENT_LOG_1", EventLine(1));
  Write("app-20140101/SPARK_VERSION_1.2.0", "");
  Write("app-20140101/APPLICATION_COMPLETE", "");
  const Inputs inputs = Find();
  ASSERT_EQ(inputs.inputs.size(), 1u);
  EXPECT_TRUE(inputs.unrecognized.empty());
}

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

TEST_F(InputsTest, LinesOfAContainerRuntimeAreUnwrappedAndTellTheZone) {
  Write("default_job-1a2b-exec-3_0123456789abcdef0123456789abcdef0123/spark/0.log",
        "2026-11-21T16:35:51.123456789Z stderr F 26/11/21 17:35:51 INFO A: one\n"
        "2026-11-21T16:35:52.1Z stderr P 26/11/21 17:35:52 INFO B: be\n"
        "2026-11-21T16:35:52.15Z stdout F printed\n"
        "2026-11-21T16:35:52.2Z stderr F gin\n");
  const Input log = One();
  EXPECT_EQ(log.kind, InputKind::kTextLog);
  EXPECT_EQ(log.executor, "3");
  EXPECT_EQ(log.utc_offset_s, 3600);
  EXPECT_EQ(Content(log), "26/11/21 17:35:51 INFO A: one\nprinted\n26/11/21 17:35:52 INFO B: begin\n");
}

TEST_F(InputsTest, DockersJsonLinesAreUnwrapped) {
  Write("x-json.log",
        "{\"log\":\"26/11/21 16:35:51 INFO A: say "
        "\\\"hi\\\"\\n\",\"stream\":\"stderr\",\"time\":\"2026-11-21T16:35:51.1Z\"}\n");
  const Input log = One();
  EXPECT_EQ(Content(log), "26/11/21 16:35:51 INFO A: say \"hi\"\n");
  EXPECT_EQ(log.utc_offset_s, 0);
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

fs::path SeedOf(const char* name) { return fs::path(SourceFile("fuzz/seeds/archive")) / name; }

// The seeds were written by Hadoop's own classes: two logs of two containers.
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

TEST_F(InputsTest, LayoutsTellWhoseLogItIs) {
  Write("j-1/containers/application_1_2/container_1_2_01_000003/stderr", kLogLine);
  Write("applications/00f/jobs/00r/SPARK_EXECUTOR/4/stderr", kLogLine);
  Write("applications/00f/jobs/00r/SPARK_DRIVER/stderr", kLogLine);
  Write("cluster/executor/app-20210615-0000/5/stderr--2021-06-15--15-00", kLogLine);
  const Inputs inputs = Find();
  ASSERT_EQ(inputs.inputs.size(), 4u);
  EXPECT_EQ(inputs.inputs[0].executor, "driver");
  EXPECT_EQ(inputs.inputs[1].executor, "4");
  EXPECT_EQ(inputs.inputs[1].application_id, "00r");
  EXPECT_EQ(inputs.inputs[2].executor, "5");
  EXPECT_EQ(inputs.inputs[2].stream, "stderr");
  EXPECT_EQ(inputs.inputs[3].container, "container_1_2_01_000003");
  EXPECT_EQ(inputs.inputs[3].application_id, "application_1_2");
}

TEST_F(InputsTest, LoopsOfLinksEndAndAFileCountsOnce) {
  Write("a/log", EventLine(1));
  fs::create_directory_symlink(folder_, folder_ / "a/loop");
  fs::create_symlink(folder_ / "a/log", folder_ / "again");
  EXPECT_EQ(Find().inputs.size(), 1u);
}

TEST_F(InputsTest, QuotasLeaveOutTheRestAndSayIt) {
  for (int file = 0; file < 10; ++file) Write("f" + std::to_string(file), EventLine(file));
  Write("1/2/3/deep", EventLine(1));
  InputLimits limits;
  limits.max_files = 4;
  EXPECT_EQ(Find(limits).inputs.size(), 4u);
  EXPECT_NE(Find(limits).notes.at(0).find("--max-files"), std::string::npos);
  limits.max_files = 100;
  limits.max_depth = 2;
  const Inputs shallow = Find(limits);
  EXPECT_EQ(shallow.inputs.size(), 10u);
  EXPECT_EQ(shallow.unrecognized.size(), 1u);
}

TEST(EventLogFiles, NamesTellTheApplicationAndItsAttempt) {
  const EventLogFileName rolled = ParseEventLogFileName("events_12_application_1_0002_3.lz4.compact");
  EXPECT_EQ(rolled.application_id, "application_1_0002");
  EXPECT_EQ(rolled.attempt, "3");
  EXPECT_EQ(rolled.index, 12);
  EXPECT_TRUE(rolled.compact);
  const EventLogFileName single = ParseEventLogFileName("spark-abc.zstd.inprogress");
  EXPECT_EQ(single.application_id, "spark-abc");
  EXPECT_TRUE(single.in_progress);
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

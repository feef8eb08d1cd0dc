// SPDX-License-Identifier: Apache-2.0
#include "inputs/inputs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/io/file.h"
#include "inputs/event_log_files.h"
#include "inputs/testing/inputs_fixture.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

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
      {"lineage",
       {"{\"eventTime\":\"2026-11-26T10:00:00Z\",\"producer\":\"p\",\"run\":{\"runId\":\"r\"}}\n",
        InputKind::kLineage}},
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

TEST_F(InputsTest, GapsInTheNumbersOfPartsAreNoted) {
  const auto gap = [&](const std::vector<std::string>& parts) {
    for (const std::string& part : parts) Write("eventlog_v2_app-1/events_" + part, EventLine(1));
    const std::string found = One().gap;
    fs::remove_all(Path("eventlog_v2_app-1"));
    return found;
  };
  EXPECT_EQ(gap({"1_app-1", "2_app-1"}), "");
  EXPECT_EQ(gap({"1_app-1", "3_app-1"}), "part 2 is missing");
  EXPECT_EQ(gap({"2_app-1", "6_app-1"}), "parts 1, 3 to 5 are missing");
  EXPECT_EQ(gap({"4_app-1.compact", "5_app-1"}), "");
  const auto rollover = [](int number) {
    return R"({"Event":"DBCEventLoggingListenerMetadata","Rollover Number":)" + std::to_string(number) + "}\n";
  };
  Write("dbx/eventlog-2021-06-15--15-00", rollover(0) + StartLine("app-2"));
  Write("dbx/eventlog", rollover(2) + EventLine(3));
  EXPECT_EQ(One().gap, "part 1 is missing");
}

TEST_F(InputsTest, PartsJoinByTheirApplicationWhateverFoldersAndCopies) {
  Write("a/events_1_app-1", EventLine(1));
  Write("b/events_2_app-1 (1)", EventLine(2));
  Write("b/events_2_app-1", EventLine(2));
  Write("c/events_3_app-1 (2).zstd", Zstd(EventLine(3)));
  const Inputs inputs = Find();
  ASSERT_EQ(inputs.inputs.size(), 1u);
  EXPECT_EQ(Content(inputs.inputs[0]), EventLine(1) + EventLine(2) + EventLine(3));
  EXPECT_EQ(inputs.inputs[0].gap, "");
  ASSERT_EQ(inputs.notes.size(), 1u);
  EXPECT_NE(inputs.notes[0].find("the same part as"), std::string::npos);
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

TEST_F(InputsTest, LinesOfAContainerRuntimeAreUnwrapped) {
  const std::string kContainerLog =
      "2026-11-21T16:35:51.123456789Z stderr F 26/11/21 17:35:51 INFO A: one\n"
      "2026-11-21T16:35:52.1Z stderr P 26/11/21 17:35:52 INFO B: be\n"
      "2026-11-21T16:35:52.15Z stdout F printed\n"
      "2026-11-21T16:35:52.2Z stderr F gin\n";
  Write("default_job-1a2b-exec-3_0123456789abcdef0123456789abcdef0123/spark/0.log", kContainerLog);
  const Input log = One();
  EXPECT_EQ(log.kind, InputKind::kTextLog);
  EXPECT_EQ(log.executor, "3");
  EXPECT_EQ(Content(log), "26/11/21 17:35:51 INFO A: one\nprinted\n26/11/21 17:35:52 INFO B: begin\n");
  EXPECT_EQ(*ReadAll(log.Open(/*as_written=*/true)->get(), 1 << 20, "x"), kContainerLog);
}

TEST_F(InputsTest, DockersJsonLinesAreUnwrapped) {
  Write("x-json.log",
        "{\"log\":\"26/11/21 16:35:51 INFO A: say "
        "\\\"hi\\\"\\n\",\"stream\":\"stderr\",\"time\":\"2026-11-21T16:35:51.1Z\"}\n");
  const Input log = One();
  EXPECT_EQ(Content(log), "26/11/21 16:35:51 INFO A: say \"hi\"\n");
}

// The seeds were written by Hadoop's own classes: two logs of two containers.
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
  fs::create_directory_symlink(folder_, Path("a/loop"));
  fs::create_symlink(Path("a/log"), Path("again"));
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

}  // namespace
}  // namespace sparkprof

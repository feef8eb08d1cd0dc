// SPDX-License-Identifier: Apache-2.0
#include "failures/failures.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/io/file.h"
#include "base/testing/source_file.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

// Replaces "
// " in an example by a line break.
std::string Unescaped(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    const bool is_escaped = text[at] == '\\' && (next == 'n' || next == 't' || next == '\\');
    plain += !is_escaped ? text[at] : next == 'n' ? '\n' : next == 't' ? '\t' : '\\';
    at += is_escaped ? 1 : 0;
  }
  return plain;
}

ClusterManager ManagerByName(std::string_view name) {
  if (name == "yarn") return ClusterManager::kYarn;
  if (name == "kubernetes") return ClusterManager::kKubernetes;
  return name == "standalone" ? ClusterManager::kStandalone : ClusterManager::kUnknown;
}

std::string IdOf(std::string_view text, ClusterManager manager = ClusterManager::kUnknown) {
  const std::optional<FailureMatch> match = FindFailure(text, manager);
  return match ? std::string(match->failure->id) : "-";
}

TEST(FailuresTest, EveryRowOfTheTablesIsKnownAndComplete) {
  const std::set<std::string_view> ranks = {"harmless", "warning", "wrapper", "effect", "cause", "decisive", "excuse"};
  const std::set<std::string_view> holders = {
      "heap", "execution-memory", "container", "disk", "network", "store", "driver", "code",
      "data", "permissions",      "catalog",   "plan", "cluster"};
  const std::set<std::string_view> holes = {"int",  "number", "bytes", "size",    "word", "path",  "class",
                                            "text", "lines",  "end",   "smaller", "same", "blanks"};
  std::set<std::string_view> ids, signs;
  for (const std::string_view line : Split(kFailureTables, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> fields = Split(line, '\t');
    ASSERT_TRUE(fields.size() == 9 || (fields.size() == 10 && fields[9] == "kind")) << line;
    for (const std::string_view field : fields) EXPECT_FALSE(field.empty()) << line;
    EXPECT_TRUE(ids.insert(fields[0]).second) << line;
    EXPECT_EQ(fields[0].find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string_view::npos) << line;
    EXPECT_TRUE(ranks.contains(fields[1])) << line;
    EXPECT_TRUE(holders.contains(fields[2])) << line;
    EXPECT_TRUE(fields[4].ends_with('.')) << line;
    for (size_t open = fields[3].find('{'); open != std::string_view::npos; open = fields[3].find('{', open + 1)) {
      const std::string_view hole = fields[3].substr(open + 1, fields[3].find('}', open) - open - 1);
      const size_t colon = hole.find(':');
      EXPECT_TRUE(holes.contains(hole.substr(colon == std::string_view::npos ? 0 : colon + 1))) << line;
    }
  }
  EXPECT_EQ(Failures().size(), ids.size());
  EXPECT_GE(Failures().size(), 250U);
}

TEST(FailuresTest, ExamplesHaveTheirFailureAndTrapsHaveNone) {
  const std::string examples = ReadFile(SourceFile("tests/failures/examples.tsv")).value();
  std::map<std::string_view, size_t> count;
  for (const Failure& failure : Failures()) count[failure.id] = 0;
  for (const std::string_view line : Split(examples, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> fields = Split(line, '\t');
    ASSERT_EQ(fields.size(), 3U) << line;
    EXPECT_EQ(IdOf(Unescaped(fields[2]), ManagerByName(fields[1])), fields[0]) << line;
    ++count[fields[0]];
  }
  for (const auto& [id, examples_of_id] : count) EXPECT_GT(examples_of_id, 0U) << id;
}

TEST(FailuresTest, AnExitCodeDependsOnTheClusterManager) {
  const auto id = [](int64_t code, ClusterManager manager) {
    const Failure* const failure = FailureOfExit(code, manager);
    return failure == nullptr ? "-" : std::string(failure->id);
  };
  EXPECT_EQ(id(137, ClusterManager::kYarn), "exit-137-yarn");
  EXPECT_EQ(id(137, ClusterManager::kStandalone), "exit-137-standalone");
  EXPECT_EQ(id(137, ClusterManager::kLocal), "exit-137");
  EXPECT_EQ(id(-9, ClusterManager::kUnknown), "exit-137") << "Python's code of a signal";
  EXPECT_EQ(id(-104, ClusterManager::kYarn), "yarn-physical-memory");
  EXPECT_EQ(id(-104, ClusterManager::kKubernetes), "-");
  EXPECT_EQ(id(52, ClusterManager::kKubernetes), "exit-52");
  EXPECT_EQ(id(11, ClusterManager::kYarn), "too-many-executor-failures");
  EXPECT_EQ(id(11, ClusterManager::kLocal), "-");
  EXPECT_EQ(IdOf("Command exited with code 137"), "exit-137-standalone") << "by the words of a standalone worker";
  EXPECT_EQ(IdOf("Container killed on request. Exit code is 143"), "exit-143-yarn");
}

TEST(FailuresTest, TheMatchHasThePlaceAndTheValuesOfItsHoles) {
  const std::string text =
      "WARN: Container killed by YARN for exceeding physical memory limits. 5.6 GB of 5.5 GB physical memory used.";
  const std::optional<FailureMatch> match = FindFailure(text);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->offset, 6U);
  EXPECT_EQ(match->values.Find("used"), "5.6 GB");
  EXPECT_EQ(match->values.Find("limit"), "5.5 GB");
  EXPECT_EQ(match->values.Find("other"), std::nullopt);
}

TEST(FailuresTest, WhatStandsAroundTheMessageCanDecide) {
  const auto id = [](std::string_view text, std::vector<std::string_view> around) {
    return std::string(FindFailure(text, ClusterManager::kUnknown, around)->failure->id);
  };
  const std::string_view message = "java.io.IOException: No space left on device";
  EXPECT_EQ(id(message, {"a job of Spark"}), "disk-full");
  EXPECT_EQ(id(message, {"a job of Spark", "Glue 4.0, 20 workers"}), "disk-full-glue");
  EXPECT_EQ(id(message, {"a job of Spark", "pyGlue 4.0x"}), "disk-full") << "within a longer word";
}

TEST(FailuresTest, AnExcuseWinsOverEachFailureOfItsText) {
  EXPECT_EQ(IdOf("Failure executing: DELETE at: https://k/persistentvolumeclaims. Message: Forbidden! User \"u\" "
                 "cannot deletecollection resource \"persistentvolumeclaims\""),
            "k8s-cleanup-rights");
}

TEST(FailuresTest, ConditionsWithoutARowAreOfTheirSqlstate) {
  EXPECT_EQ(IdOf("[KAFKA_DATA_LOSS.A_NEW_REASON] Some data"), "stream-data-loss") << "the condition above it";
  EXPECT_EQ(IdOf("[QUITE_NEW] The value `x` is bad. SQLSTATE: 22KZ1"), "condition-of-data");
  EXPECT_EQ(IdOf("[QUITE_NEW] Bad. SQLSTATE: 99000"), "-");
  EXPECT_EQ(IdOf("{\"errorClass\" : \"DIVIDE_BY_ZERO\", \"sqlState\" : \"22012\"}"), "divide-by-zero");
}

TEST(FailuresTest, WordsInsideLongerOnesSayLess) {
  EXPECT_EQ(IdOf("java.lang.ClassNotFoundException: org.apache.kafka.common.serialization.ByteArraySerializer"),
            "kafka-classes-missing");
  EXPECT_EQ(IdOf("java.lang.ClassNotFoundException: org.postgresql.Driver"), "jdbc-driver") << "words behind a hole";
}

TEST(FailuresTest, AMethodOfAnExceptionIsNoMessage) {
  EXPECT_EQ(IdOf("java.lang.IllegalStateException: x\n\tat "
                 "org.apache.iceberg.exceptions.ValidationException.check(V.java:49)"),
            "-");
  EXPECT_EQ(IdOf("org.apache.iceberg.exceptions.ValidationException: x"), "iceberg-validation");
}

TEST(FailuresTest, DamagedTextsMatchNothingOrSomething) {
  for (const std::string_view text :
       {"", "[", "[A", "[A]", "exit code", "exit code: ", "exit status -", "\"errorClass\"", "xit code",
        "Exit status: 99999999999999999999", "reason: ", "bytes of memory, got "}) {
    EXPECT_EQ(IdOf(text), "-") << text;
  }
}

TEST(FailuresTest, TheManagerIsThatOfTheMaster) {
  EXPECT_EQ(ManagerOfMaster("yarn"), ClusterManager::kYarn);
  EXPECT_EQ(ManagerOfMaster("k8s://https://10.0.0.1"), ClusterManager::kKubernetes);
  EXPECT_EQ(ManagerOfMaster("spark://host:7077"), ClusterManager::kStandalone);
  EXPECT_EQ(ManagerOfMaster("local[4]"), ClusterManager::kLocal);
  EXPECT_EQ(ManagerOfMaster(""), ClusterManager::kUnknown);
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
// No total is impossible, whatever part of a job's logs is there.
#include "analysis/testing/possible_totals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "base/io/byte_source.h"
#include "base/io/compression.h"
#include "base/testing/folder_test.h"
#include "base/testing/source_file.h"
#include "loader/application_loader.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> ImpossibleTotalsOf(const std::string& path) {
  std::vector<std::string> found;
  Result<ApplicationLoader> loader = ApplicationLoader::Find({path});
  if (!loader) return {loader.error().message};
  for (size_t row = 0; row < loader->applications().size(); ++row) {
    std::vector<InputOutcome> outcomes;
    for (const Application& application : loader->Read(row, &outcomes)) {
      for (const std::string& what : ImpossibleTotals::Of(application)) found.push_back(application.id + ": " + what);
    }
  }
  return found;
}

// A driver of two stages, on two executors, with a lost task; its own lines and those of its executors.
std::string DriverLog() {
  std::string log = "24/01/15 11:59:52 INFO SparkContext: Running Spark version 3.5.1\n";
  const auto add = [&log](int second, const std::string& text) {
    constexpr int kStart = 11 * 3600 + 59 * 60 + 52;
    const int time = kStart + second;
    char clock[32];
    std::snprintf(clock, sizeof clock, "24/01/15 %02d:%02d:%02d ", time / 3600, time / 60 % 60, time % 60);
    log.append(clock).append("INFO ").append(text).append("\n");
  };
  add(0, "SparkContext: Submitted application: nightly");
  for (int stage = 0; stage < 2; ++stage) {
    const int begin = 10 * stage;
    const std::string id = std::to_string(stage);
    add(begin + 1, "DAGScheduler: Got job " + id + " (count at Job.scala:12) with 4 output partitions");
    add(begin + 1, "DAGScheduler: Final stage: ResultStage " + id + " (count at Job.scala:12)");
    add(begin + 1, "TaskSchedulerImpl: Adding task set " + id + ".0 with 4 tasks resource profile 0");
    for (int task = 0; task < 4; ++task) {
      const std::string name =
          std::to_string(task) + ".0 in stage " + id + ".0 (TID " + std::to_string(4 * stage + task) + ")";
      add(begin + 2, "TaskSetManager: Starting task " + name + " (h1, executor " + std::to_string(1 + task % 2) +
                         ", partition " + std::to_string(task) + ", PROCESS_LOCAL, 7900 bytes) ");
      add(begin + 2, "Executor: Running task " + name);
    }
    for (int task = 0; task < 4; ++task) {
      const std::string name =
          std::to_string(task) + ".0 in stage " + id + ".0 (TID " + std::to_string(4 * stage + task) + ")";
      add(begin + 4 + task, "Executor: Finished task " + name + ". 1200 bytes result sent to driver");
      add(begin + 4 + task, "TaskSetManager: Finished task " + name + " in " + std::to_string(1000 * (2 + task)) +
                                " ms on h1 (executor " + std::to_string(1 + task % 2) + ") (" +
                                std::to_string(task + 1) + "/4)");
    }
    add(begin + 8, "DAGScheduler: ResultStage " + id + " (count at Job.scala:12) finished in 7.000 s");
    add(begin + 8, "DAGScheduler: Job " + id + " finished: count at Job.scala:12, took 7.100000 s");
  }
  add(20, "SparkContext: Successfully stopped SparkContext");
  return log;
}

class PossibleTotalsTest : public FolderTest {
 protected:
  // The lines of `text` from line `begin` to `end`, read as a file of this name.
  void ExpectPossible(const std::string& name, const std::vector<std::string>& lines, size_t begin, size_t end) {
    const std::string path = Path(name);
    std::ofstream file(path, std::ios::binary);
    for (size_t i = begin; i < end; ++i) file << lines[i] << '\n';
    file.close();
    const std::vector<std::string> found = ImpossibleTotalsOf(path);
    EXPECT_TRUE(found.empty()) << name << ", lines " << begin << " to " << end << ": " << found.front();
  }

  static std::vector<std::string> LinesOf(std::string_view text) {
    std::vector<std::string> lines;
    for (size_t newline = text.find('\n'); newline != std::string_view::npos; newline = text.find('\n')) {
      lines.emplace_back(text.substr(0, newline));
      text.remove_prefix(newline + 1);
    }
    return lines;
  }
};

TEST_F(PossibleTotalsTest, ALogWithoutItsBeginningCountsFromItsFirstLine) {
  const std::vector<std::string> lines = LinesOf(DriverLog());
  for (size_t begin = 0; begin < lines.size(); ++begin) ExpectPossible("driver.log", lines, begin, lines.size());
}

TEST_F(PossibleTotalsTest, ALogWithoutItsEndCountsToItsLastLine) {
  const std::vector<std::string> lines = LinesOf(DriverLog());
  for (size_t end = 1; end <= lines.size(); ++end) ExpectPossible("driver.log", lines, 0, end);
}

TEST_F(PossibleTotalsTest, AnExecutorsLogWithoutItsBeginningCountsFromItsFirstLine) {
  std::vector<std::string> lines = LinesOf(DriverLog());
  std::erase_if(lines, [](const std::string& line) { return line.find(" Executor: ") == std::string::npos; });
  for (size_t begin = 0; begin < lines.size(); ++begin) ExpectPossible("executor.log", lines, begin, lines.size());
}

TEST_F(PossibleTotalsTest, ALogOfOneMomentHasNoTime) {
  std::vector<std::string> lines = LinesOf(DriverLog());
  for (std::string& line : lines) line.replace(0, 17, "24/01/15 12:00:00");
  ExpectPossible("driver.log", lines, 0, lines.size());
}

TEST_F(PossibleTotalsTest, ALogThatLostSomeOfItsBytesIsPossible) {
  constexpr int kRounds = 300, kLosses = 8;
  constexpr size_t kLongestLoss = 40;
  const std::string whole = DriverLog();
  std::mt19937 random(1);
  for (int round = 0; round < kRounds; ++round) {
    std::string text = whole;
    for (int loss = 0; loss < kLosses; ++loss) text.erase(random() % text.size(), 1 + random() % kLongestLoss);
    const std::vector<std::string> lines = LinesOf(text);
    ExpectPossible("driver.log", lines, 0, lines.size());
  }
}

fs::path SharedData() {
  const char* const shared = std::getenv("SPARKPROF_SHARED_DATA");
  return shared != nullptr ? fs::path(shared) : fs::path(SourceFile("../shared/data"));
}

TEST_F(PossibleTotalsTest, AccountsOfSharedInputsAddUp) {
  const fs::path data = SharedData();
  if (!fs::exists(data)) GTEST_SKIP() << "no shared data: " << data << " (set SPARKPROF_SHARED_DATA)";
  Result<ApplicationLoader> loader = ApplicationLoader::Find({data.string()});
  ASSERT_TRUE(loader) << loader.error().message;
  for (size_t row = 0; row < loader->applications().size(); ++row) {
    std::vector<InputOutcome> outcomes;
    for (const Application& application : loader->Read(row, &outcomes)) {
      for (const std::string& what : ImpossibleTotals::OfAccount(application))
        ADD_FAILURE() << application.id << ": " << what;
    }
  }
}

TEST_F(PossibleTotalsTest, SharedLogsCutAnywhereArePossible) {
  const fs::path data = SharedData();
  if (!fs::exists(data)) GTEST_SKIP() << "no shared data: " << data << " (set SPARKPROF_SHARED_DATA)";
  constexpr uintmax_t kLargest = 256 << 10;  // compressed; larger ones take too long
  constexpr int kCuts = 3;
  std::mt19937 random(1);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(data)) {
    if (!entry.is_regular_file() || entry.file_size() > kLargest) continue;
    Result<std::unique_ptr<ByteSource>> file = OpenFileSource(entry.path().string());
    ASSERT_TRUE(file);
    Result<std::unique_ptr<ByteSource>> source = Decompress(std::move(*file), entry.path().string(), {});
    if (!source) continue;
    const Result<std::string> text = ReadAll(source->get(), size_t{64} << 20, entry.path().string());
    if (!text) continue;
    const std::vector<std::string> lines = LinesOf(*text);
    const std::string name = entry.path().stem().string();
    if (lines.empty()) continue;
    for (int cut = 0; cut < kCuts; ++cut) {
      const size_t begin = cut == 0 ? 0 : random() % lines.size();
      ExpectPossible(name, lines, begin, lines.size());
      ExpectPossible(name, lines, 0, begin == 0 ? lines.size() : begin);
    }
  }
}

}  // namespace
}  // namespace sparkprof

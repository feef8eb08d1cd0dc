// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet_engine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/io/file.h"

namespace sparkprof {
namespace {

constexpr char kEvents[] =
    "{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"3.5.1\"}\n"
    "{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"etl\",\"App "
    "ID\":\"app-1\",\"Timestamp\":1700000000000,"
    "\"User\":\"ana\"}\n"
    "{\"Event\":\"SparkListenerApplicationEnd\",\"Timestamp\":1700000010000}\n";

std::string Read(const std::string& content, const FleetEngineOptions& options = {}, bool in_progress = false) {
  const FleetLog log{
      "/logs/app-1", "", {{"/logs/app-1", static_cast<int64_t>(content.size()), 1}}, in_progress, "app-1"};
  return ReadFleetLog(
      log, [&](size_t) -> Result<std::unique_ptr<ByteSource>> { return StringSource(content); }, options);
}

FleetLogDone DoneOf(const std::string& answer) {
  const size_t line = answer.rfind('\n', answer.size() - 2) + 1;
  return ParseDone(answer.substr(line + kDoneTable.size() + 1)).value();
}

TEST(FleetEngineTest, ReadsAnApplication) {
  const std::string answer = Read(kEvents);
  EXPECT_EQ(DoneOf(answer).applications, 1);
  EXPECT_NE(answer.find("applications\t{\"date\":\"2023-11-14\",\"id\":\"app-1\""), std::string::npos) << answer;
  EXPECT_NE(answer.find("\"durationMs\":10000"), std::string::npos);
}

TEST(FleetEngineTest, EmptyDamagedAndForeignContentIsOneFailure) {
  for (const std::string& content :
       {std::string(), std::string("\x28\xb5\x2f\xfd damaged"), std::string(200, '\x81')}) {
    const std::string answer = Read(content);
    EXPECT_TRUE(DoneOf(answer).failed) << answer;
    EXPECT_EQ(answer.find("failures\t"), 0u) << answer;
    EXPECT_EQ(std::count(answer.begin(), answer.end(), '\n'), 2) << answer;
  }
}

TEST(FleetEngineTest, AFileOfAnotherKindIsNoFailure) {
  const FleetLogDone done = DoneOf(Read("2026-11-25 10:00:00,123 INFO SparkContext: Running Spark version 3.5.1\n"));
  EXPECT_TRUE(done.is_other);
  EXPECT_FALSE(done.failed);
}

TEST(FleetEngineTest, AFileThatCannotBeOpenedIsTriedAgain) {
  const FleetLog log{"/logs/app-1", "", {{"/logs/app-1", 1, 1}}, false, "app-1"};
  const FleetLogDone done = DoneOf(
      ReadFleetLog(log, [](size_t) -> Result<std::unique_ptr<ByteSource>> { return Fail("no route to host"); }, {}));
  EXPECT_TRUE(done.failed);
  EXPECT_TRUE(done.try_again);
}

TEST(FleetEngineTest, TheFilterLeavesApplicationsOut) {
  FleetEngineOptions options;
  options.filter.name = "et?";
  EXPECT_EQ(DoneOf(Read(kEvents, options)).applications, 1);
  options.filter.user = "ben";
  const FleetLogDone done = DoneOf(Read(kEvents, options));
  EXPECT_EQ(done.applications, 0);
  EXPECT_TRUE(done.is_filtered);
}

class FleetPiecesTest : public testing::Test {
 protected:
  static std::string Piece(const std::string& bytes) {
    std::string piece(4, '\0');
    for (int i = 0; i < 4; ++i) piece[static_cast<size_t>(i)] = static_cast<char>(bytes.size() >> (24 - 8 * i));
    return piece + bytes;
  }

  static std::string Head(size_t files) {
    FleetLog log{"/logs/app-1", "", {}, false, "app-1"};
    for (size_t i = 0; i < files; ++i) log.files.push_back({"/logs/app-1/" + std::to_string(i), 1, 1});
    return FormatFleetLog(log) + "\n";
  }

  // The engine's answer to this input.
  Result<std::string> Serve(const std::string& input) {
    const std::string in = testing::TempDir() + "fleet_input-" + std::to_string(getpid()),
                      out = testing::TempDir() + "fleet_output-" + std::to_string(getpid());
    EXPECT_TRUE(WriteFile(in, input));
    const FileDescriptor from(open(in.c_str(), O_RDONLY)), to(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
    const Result<void> served = ServeFleetLogs(from.Get(), to.Get(), {});
    if (!served) return tl::unexpected(served.error());
    return ReadFile(out);
  }
};

TEST_F(FleetPiecesTest, LogsComeInPieces) {
  const std::string events = kEvents;
  const size_t second = events.find('\n') + 1;  // line
  const std::string log = Head(2) + Piece(events.substr(0, 20)) + Piece(events.substr(20, second - 20)) + Piece("") +
                          Piece(events.substr(second)) + Piece("");
  const Result<std::string> answer = Serve(log + log);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_NE(answer->find("\"durationMs\":10000"), std::string::npos) << *answer;
  EXPECT_NE(answer->find("done\t", answer->find("done\t") + 1), std::string::npos) << *answer;
}

TEST_F(FleetPiecesTest, AFileThatCouldNotBeReadIsAFailureAndTheNextLogIsRead) {
  const std::string failed = Head(1) + std::string(4, '\xff') + Piece("no route to host");
  const Result<std::string> answer = Serve(failed + Head(1) + Piece(kEvents) + Piece(""));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_NE(answer->find("no route to host"), std::string::npos) << *answer;
  EXPECT_NE(answer->find("\"tryAgain\":true"), std::string::npos);
  EXPECT_NE(answer->find("\"applications\":1"), std::string::npos);
}

TEST_F(FleetPiecesTest, AnInputThatEndsWithinALogIsAnError) {
  for (const std::string& input :
       {Head(1) + Piece("abc"), Head(1), Head(1) + Piece("abc").substr(0, 5), std::string("{\n")})
    EXPECT_FALSE(Serve(input)) << input;
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "capture/timed_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/io/file.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kLong = 60 * kNanosPerSecond;

// Opening a FIFO blocks until somebody writes.
class TimedReaderTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const {
    return testing::TempDir() + "/timed_reader_" + std::to_string(getpid()) + "_" + name;
  }

  std::string MakeFifo(const std::string& name) const {
    EXPECT_EQ(mkfifo(Path(name).c_str(), 0600), 0);
    return Path(name);
  }
};

TEST_F(TimedReaderTest, ReadsFiles) {
  ASSERT_TRUE(WriteFile(Path("text"), "text"));
  TimedReader reader;
  const auto answer = reader.Read({Path("text"), Path("missing")}, kLong);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->texts, (std::vector<std::string>{"text", ""}));
}

TEST_F(TimedReaderTest, AFileThatBlocksKeepsNoOtherFromBeingRead) {
  ASSERT_TRUE(WriteFile(Path("other"), "text"));
  TimedReader reader;
  EXPECT_FALSE(reader.Read({MakeFifo("blocks")}, 1));
  const auto answer = reader.Read({Path("other")}, kLong);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->texts, std::vector<std::string>{"text"});
}

TEST_F(TimedReaderTest, BlockedThreadsAreBounded) {
  ASSERT_TRUE(WriteFile(Path("third"), "text"));
  TimedReader reader;
  const std::string fifo = MakeFifo("fifo");
  // Until it gives up on files that do not block, too.
  while (reader.Read({Path("third")}, kLong)) {
    EXPECT_FALSE(reader.Read({fifo}, kNanosPerMilli));
  }
  // A writer that comes and goes ends the waiting.
  while (!reader.Read({Path("third")}, kLong)) {
    const FileDescriptor writer(open(fifo.c_str(), O_WRONLY | O_NONBLOCK));
    sched_yield();
  }
}

}  // namespace
}  // namespace sparkprof

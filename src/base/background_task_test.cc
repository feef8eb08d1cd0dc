// SPDX-License-Identifier: Apache-2.0
#include "base/background_task.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "base/io/block_queue.h"
#include "base/parallel.h"

namespace sparkprof {
namespace {

TEST(BackgroundTask, AnExceptionIsAStateUntilAnAttemptSucceeds) {
  BackgroundTask task("retention");
  EXPECT_TRUE(task.Attempt([] {}));
  EXPECT_EQ(ProblemText(task.Get()), "");
  EXPECT_FALSE(task.Attempt([] { throw std::runtime_error("the disk is gone"); }));
  const int64_t since_ns = task.Get().since_ns;
  EXPECT_GT(since_ns, 0);
  EXPECT_FALSE(task.Attempt([] { throw std::bad_alloc(); }));
  EXPECT_FALSE(task.Attempt([] { throw 42; }));
  EXPECT_EQ(task.Get().failures, 3u);
  EXPECT_EQ(task.Get().problem, "unknown error");
  EXPECT_EQ(task.Get().since_ns, since_ns);
  EXPECT_NE(ProblemText(task.Get()).find("retention: failed since 20"), std::string::npos) << ProblemText(task.Get());
  EXPECT_TRUE(task.Attempt([] {}));
  EXPECT_EQ(ProblemText(task.Get()), "");
  EXPECT_EQ(task.Get().failures, 3u);
  EXPECT_EQ(task.Get().last_error, "unknown error");
}

TEST(BackgroundTask, OnePieceOfWorkFailsAlone) {
  const Result<int> done = Guarded([]() -> Result<int> { return 1; });
  EXPECT_EQ(*done, 1);
  const Result<int> failed = Guarded([]() -> Result<int> { throw std::bad_alloc(); });
  EXPECT_EQ(failed.error().message, "out of memory");
}

TEST(ForEachInParallel, ThrowsWhatAThreadHasThrown) {
  for (const size_t threads : {1, 4}) {
    std::atomic<size_t> done = 0;
    EXPECT_THROW(ForEachInParallel(10'000, threads,
                                   [&](size_t row) {
                                     if (row == 7) throw std::bad_alloc();
                                     ++done;
                                   }),
                 std::bad_alloc);
    EXPECT_LT(done, 10'000u);
  }
}

class ThrowingSource : public ByteSource {
 public:
  Result<size_t> Read(char*, size_t) override { throw std::bad_alloc(); }
};

TEST(BlockQueue, ThrowsWhatItsThreadHasThrown) {
  BlockQueue queue(std::make_unique<LineReader>(std::make_unique<ThrowingSource>()));
  EXPECT_THROW(queue.Next(), std::bad_alloc);
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "base/cancellation.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace sparkprof {
namespace {

TEST(Cancellation, EndsTheWorkOfItsThreadOnce) {
  Cancellation cancellation;
  cancellation.Cancel();
  EXPECT_THROW(std::make_unique<int>(1), Cancellation::Canceled);
  EXPECT_NO_THROW(std::make_unique<int>(2)) << "what undoes the work may allocate";
}

TEST(Cancellation, OutlastsAnAllocationThatDoesNotThrow) {
  Cancellation cancellation;
  cancellation.Cancel();
  EXPECT_EQ(operator new(1, std::nothrow), nullptr);
  EXPECT_THROW(std::make_unique<int>(1), Cancellation::Canceled);
}

TEST(Cancellation, WaitsForTheEndOfAPause) {
  Cancellation cancellation;
  cancellation.Cancel();
  {
    const Cancellation::Pause pause;
    EXPECT_NO_THROW(std::make_unique<int>(1));
  }
  EXPECT_THROW(std::make_unique<int>(1), Cancellation::Canceled);
}

TEST(Cancellation, EndsAThreadThatAllocates) {
  std::atomic<Cancellation*> running = nullptr;
  bool is_canceled = false;
  std::thread worker([&] {
    Cancellation cancellation;
    running = &cancellation;
    try {
      for (;;) std::vector<int>(100).swap(*std::make_unique<std::vector<int>>());
    } catch (const Cancellation::Canceled&) {
      is_canceled = true;
    }
  });
  while (running == nullptr) std::this_thread::yield();
  running.load()->Cancel();
  worker.join();
  EXPECT_TRUE(is_canceled);
}

TEST(Cancellation, DoesNotReachOtherThreads) {
  std::atomic<bool> is_requested = false;
  std::thread other([&] {
    while (!is_requested) std::this_thread::yield();
    EXPECT_NO_THROW(std::make_unique<int>(1));
  });
  Cancellation cancellation;
  cancellation.Cancel();
  is_requested = true;
  other.join();
  EXPECT_THROW(std::make_unique<int>(1), Cancellation::Canceled);
}

}  // namespace
}  // namespace sparkprof

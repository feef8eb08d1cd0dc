// SPDX-License-Identifier: Apache-2.0
#include "mcp/running_calls.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>

namespace sparkprof {
namespace {

const CallId kCall{.client = "me", .session = "s1", .id = "7"};

// A call that works until it is cancelled, or until `end`.
class RunningCallsTest : public testing::Test {
 protected:
  std::future<std::optional<std::string>> Start(const CallId& call) {
    auto result = std::async(std::launch::async, [this, call] {
      return calls_.Run(call, [this] {
        ++begun_;
        while (!end_) std::string(100, 'x').swap(*std::make_unique<std::string>());
        return std::string("done");
      });
    });
    while (begun_ == 0) std::this_thread::yield();
    return result;
  }

  RunningCalls calls_;
  std::atomic<int> begun_ = 0;
  std::atomic<bool> end_ = false;
};

TEST_F(RunningCallsTest, ACancelledCallEndsWithoutAResult) {
  std::future<std::optional<std::string>> call = Start(kCall);
  calls_.Cancel(kCall);
  EXPECT_FALSE(call.get());
  EXPECT_EQ(calls_.Run(kCall, [] { return "next"; }), "next") << "the cancellation was for the call before";
}

TEST_F(RunningCallsTest, OtherClientsSessionsAndIdsGoOn) {
  std::future<std::optional<std::string>> call = Start(kCall);
  calls_.Cancel({"other", "s1", "7"});
  calls_.Cancel({"me", "s2", "7"});
  calls_.Cancel({"me", "s1", "\"7\""});
  calls_.Cancel({"me", "", "7"});
  end_ = true;
  EXPECT_EQ(call.get(), "done");
}

TEST_F(RunningCallsTest, ACallThatIsCancelledBeforeItBeginsDoesNotBegin) {
  calls_.Cancel(kCall);
  EXPECT_FALSE(calls_.Run(kCall, [] { return "begun"; }));
  EXPECT_EQ(calls_.Run(kCall, [] { return "begun"; }), "begun");
}

TEST_F(RunningCallsTest, IdsRepeatWithoutASession) {
  const CallId call{.client = "me", .session = "", .id = "1"};
  calls_.Cancel(call);
  EXPECT_EQ(calls_.Run(call, [] { return "begun"; }), "begun");
}

TEST_F(RunningCallsTest, OnlyTheLatestEarlyCancellationsAreKept) {
  calls_.Cancel(kCall);
  for (int i = 0; i < 64; ++i) calls_.Cancel({"me", "s1", "x" + std::to_string(i)});
  EXPECT_EQ(calls_.Run(kCall, [] { return "begun"; }), "begun");
  EXPECT_FALSE(calls_.Run({"me", "s1", "x0"}, [] { return "begun"; }));
}

TEST_F(RunningCallsTest, AFailureIsTheCallers) {
  EXPECT_THROW(calls_.Run(kCall, []() -> std::string { throw std::runtime_error("broken"); }), std::runtime_error);
  EXPECT_EQ(calls_.Run(kCall, [] { return "next"; }), "next");
}

}  // namespace
}  // namespace sparkprof

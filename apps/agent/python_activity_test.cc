// SPDX-License-Identifier: Apache-2.0
#include "python_activity.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kMs = kNanosPerMilli;

TEST(PythonActivity, TellsWhatATaskDidAtATime) {
  PythonActivity activity;
  for (int64_t i = 0; i < 100; ++i) {
    const bool runs = i < 30 || i >= 60;
    activity.Add(7, 1, i * 10 * kMs, (i + 1) * 10 * kMs, runs ? PythonState::kRunning : PythonState::kWaiting);
  }
  EXPECT_EQ(activity.At(7, 155 * kMs), PythonState::kRunning);
  EXPECT_EQ(activity.At(7, 455 * kMs), PythonState::kWaiting);
  EXPECT_EQ(activity.At(7, 955 * kMs), PythonState::kRunning);
  EXPECT_EQ(activity.At(7, 2'000 * kMs), PythonState::kUnknown);
  EXPECT_EQ(activity.At(8, 155 * kMs), PythonState::kUnknown);
  EXPECT_EQ(activity.At(kNoTask, 155 * kMs), PythonState::kUnknown);
}

TEST(PythonActivity, ATaskRunsWhenAnyOfItsThreadsOrWorkersDoes) {
  PythonActivity activity;
  for (int64_t i = 0; i < 10; ++i) {
    const int64_t from = i * 10 * kMs;
    activity.Add(7, 1, from, from + 10 * kMs, PythonState::kWaiting);
    activity.Add(7, 1, from, from + 10 * kMs + 20'000, i < 5 ? PythonState::kRunning : PythonState::kWaiting);
    activity.Add(7, 2, from, from + 10 * kMs, i >= 8 ? PythonState::kRunning : PythonState::kWaiting);
  }
  EXPECT_EQ(activity.At(7, 25 * kMs), PythonState::kRunning);
  EXPECT_EQ(activity.At(7, 65 * kMs), PythonState::kWaiting);
  EXPECT_EQ(activity.At(7, 95 * kMs), PythonState::kRunning);
}

TEST(PythonActivity, ForgetsAndDoesNotGrowWithoutBound) {
  PythonActivity activity;
  for (size_t i = 0; i < 2 * PythonActivity::kMaxSpans; ++i) {
    const int64_t from = static_cast<int64_t>(i) * 10 * kMs;
    activity.Add(7, 1, from, from + 10 * kMs, i % 2 == 0 ? PythonState::kRunning : PythonState::kWaiting);
  }
  EXPECT_EQ(activity.At(7, 5 * kMs), PythonState::kUnknown);
  const int64_t last = static_cast<int64_t>(2 * PythonActivity::kMaxSpans) * 10 * kMs - kMs;
  EXPECT_EQ(activity.At(7, last), PythonState::kWaiting);
  activity.Forget(last + 10 * kMs);
  EXPECT_EQ(activity.At(7, last), PythonState::kUnknown);
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "sample_collector.h"

namespace sparkprof {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

// A thread of HotSpot that allocates objects of one size: bytes to the next sample are drawn at each sample.
class SampledThread {
 public:
  SampledThread(int64_t tid, AllocationWeights* weights)
      : tid_(tid), weights_(weights), random_(static_cast<uint64_t>(tid)) {}

  // The weight of all samples.
  int64_t Allocate(int64_t size, int64_t objects, int64_t interval) {
    std::exponential_distribution<double> draw(1.0 / static_cast<double>(interval));
    weights_->SetInterval(interval);
    if (left_ < 0) left_ = draw(random_);
    int64_t total = 0;
    for (int64_t i = 0; i < objects; ++i) {
      left_ -= static_cast<double>(size);
      if (left_ >= 0) continue;
      total += weights_->Weight(tid_, size);
      left_ = draw(random_);
    }
    return total;
  }

 private:
  const int64_t tid_;
  AllocationWeights* weights_;
  std::mt19937_64 random_;
  double left_ = -1;
};

TEST(AllocationWeightsTest, TotalsAreRightForObjectsOfEachSize) {
  for (const int64_t size : {kMiB / 1000, kMiB / 4, kMiB, 2 * kMiB, 5 * kMiB, 100 * kMiB}) {
    AllocationWeights weights;
    const int64_t objects = std::max<int64_t>(20'000, 20'000 * kMiB / size);
    const int64_t total = SampledThread(7, &weights).Allocate(size, objects, kMiB);
    const auto truth = static_cast<double>(size * objects);
    EXPECT_NEAR(static_cast<double>(total) / truth, 1, 0.02) << size;
  }
}

TEST(AllocationWeightsTest, TotalsStayRightWhileTheIntervalChanges) {
  // Many threads that take few samples in each interval: the first sample after a change was drawn before it.
  AllocationWeights weights;
  double total = 0, truth = 0;
  for (int64_t tid = 0; tid < 2'000; ++tid) {
    SampledThread thread(tid, &weights);
    for (const int64_t interval : {kMiB, 64 * kMiB, 4 * kMiB, 16 * kMiB, kMiB}) {
      total += static_cast<double>(thread.Allocate(kMiB / 10, 1'000, interval));
      truth += static_cast<double>(kMiB / 10 * 1'000);
    }
  }
  EXPECT_NEAR(total / truth, 1, 0.03);
}

TEST(AllocationWeightsTest, WithoutAnIntervalTheSizeCounts) {
  AllocationWeights weights;
  EXPECT_EQ(weights.Weight(1, 100), 100);
}

}  // namespace
}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "analysis/coarse_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/time_range.h"
#include "base/saturate.h"
#include "base/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kBucketSeconds[] = {2, 5, 10, 30, 60};
constexpr double kMinShares[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2};

// Stacks that stay what they are: with at least `min_share` of the weight of one event at or below them.
std::vector<uint8_t> StacksToKeep(const Profile& profile, double min_share) {
  std::vector<uint8_t> keep(profile.stacks.Size(), min_share <= 0);
  keep[0] = 1;
  if (min_share <= 0) return keep;
  std::vector<int64_t> weight(keep.size());
  for (EventId event = 0; event < profile.events.size(); ++event) {
    std::fill(weight.begin(), weight.end(), 0);
    for (const Sample& sample : profile.samples) {
      if (sample.event == event) AddSaturated(sample.weight, &weight[sample.stack]);
    }
    for (size_t id = weight.size() - 1; id > 0; --id) {
      AddSaturated(weight[id], &weight[profile.stacks.Get(static_cast<StackId>(id)).parent]);
    }
    const double least = min_share * static_cast<double>(weight[0]);
    for (size_t id = 1; id < weight.size(); ++id) {
      if (weight[id] > 0 && static_cast<double>(weight[id]) >= least) keep[id] = 1;
    }
  }
  return keep;
}

// Copies the stacks that are used into tables of their own.
class Compactor {
 public:
  Compactor(const Profile& profile, std::vector<uint8_t> keep)
      : profile_(profile),
        keep_(std::move(keep)),
        stack_(keep_.size()),
        other_(keep_.size()),
        frame_(profile.frames.Size()) {
    stacks_.emplace_back();
    frames_.push_back(0);
  }

  uint32_t Stack(StackId id) {
    if (keep_[id] != 0) return Kept(id);
    while (keep_[id] == 0) id = profile_.stacks.Get(id).parent;
    const uint32_t parent = Kept(id);
    if (other_[id] == 0) other_[id] = Push(parent, OtherFrame());
    return other_[id];
  }

  void MoveInto(CoarseSamples* samples) {
    samples->stacks = std::move(stacks_);
    samples->frames = std::move(frames_);
  }

 private:
  uint32_t Kept(StackId id) {
    path_.clear();
    for (; id != 0 && stack_[id] == 0; id = profile_.stacks.Get(id).parent) path_.push_back(id);
    uint32_t row = stack_[id];
    for (size_t i = path_.size(); i > 0; --i) {
      row = Push(row, FrameRow(profile_.stacks.Get(path_[i - 1]).frame));
      stack_[path_[i - 1]] = row;
    }
    return row;
  }

  uint32_t Push(uint32_t parent, uint32_t frame) {
    stacks_.push_back({parent, frame});
    return static_cast<uint32_t>(stacks_.size() - 1);
  }

  uint32_t FrameRow(FrameId frame) {
    if (frame_[frame] == 0 && frame != 0) {
      frame_[frame] = static_cast<uint32_t>(frames_.size());
      frames_.push_back(frame);
    }
    return frame_[frame];
  }

  uint32_t OtherFrame() {
    if (other_frame_ == 0) {
      other_frame_ = static_cast<uint32_t>(frames_.size());
      frames_.push_back(kOtherFrame);
    }
    return other_frame_;
  }

  const Profile& profile_;
  const std::vector<uint8_t> keep_;
  std::vector<uint32_t> stack_;  // row of each of the profile's stacks, 0 = not copied yet
  std::vector<uint32_t> other_;  // row of [other] below it
  std::vector<uint32_t> frame_;
  std::vector<StackTable::Node> stacks_;
  std::vector<FrameId> frames_;
  std::vector<StackId> path_;
  uint32_t other_frame_ = 0;
};

struct CoarseRow {
  Sample sample;
  int32_t executor = -1;

  // In this order neighbours agree in most columns, which compresses well.
  auto Key() const {
    return std::tuple(sample.event, sample.task, sample.time_ns, executor, sample.thread, sample.stack, sample.category,
                      sample.state);
  }
};

// Foreign profiles may count time in nanoseconds.
int64_t FinestBucket(const Profile& profile) {
  return profile.bucket_ns >= kNanosPerMilli ? profile.bucket_ns : kNanosPerSecond;
}

}  // namespace

std::vector<Coarseness> CoarsenessSteps(const Application& application) {
  const int64_t finest_ns = FinestBucket(application.profile);
  std::vector<Coarseness> steps{{finest_ns, 0}};
  for (const int64_t seconds : kBucketSeconds) {
    if (seconds * kNanosPerSecond > finest_ns) steps.push_back({seconds * kNanosPerSecond, 0});
  }
  const int64_t widest = steps.back().bucket_ns;
  for (const double share : kMinShares) steps.push_back({widest, share});
  return steps;
}

CoarseSamples Coarsen(const Application& application, const Coarseness& coarseness) {
  const Profile& profile = application.profile;
  const TimeRange range = RangeOf(application);
  Compactor compactor(profile, StacksToKeep(profile, coarseness.min_share));
  std::vector<CoarseRow> copies;
  copies.reserve(profile.samples.size());
  for (const Sample& sample : profile.samples) {
    CoarseRow copy{sample, application.ExecutorOf(sample)};
    copy.sample.time_ns = SinceStart(range, sample) / coarseness.bucket_ns * coarseness.bucket_ns;
    copy.sample.stack = compactor.Stack(sample.stack);
    copies.push_back(copy);
  }
  std::sort(copies.begin(), copies.end(), [](const CoarseRow& a, const CoarseRow& b) { return a.Key() < b.Key(); });

  CoarseSamples samples;
  samples.bucket_ns = coarseness.bucket_ns;
  const CoarseRow* before = nullptr;
  for (const CoarseRow& copy : copies) {
    if (before != nullptr && before->Key() == copy.Key()) {
      AddSaturated(copy.sample.weight, &samples.rows.back().weight);
      AddSaturated(copy.sample.count, &samples.rows.back().count);
    } else {
      samples.rows.push_back(copy.sample);
    }
    before = &copy;
  }
  compactor.MoveInto(&samples);
  return samples;
}

size_t EstimateEmbeddedSize(const CoarseSamples& samples) {
  // Measured on recordings of Spark jobs: gzip leaves about 3 bytes of a row, 3.5 of a stack, 12 of a frame and its
  // name; base64 makes four of three.
  const size_t compressed = samples.rows.size() * 3 + samples.stacks.size() * 7 / 2 + samples.frames.size() * 12;
  return compressed * 4 / 3;
}

std::string DescribeCoarseness(const Application& application, const Coarseness& coarseness) {
  std::string sentence;
  const int64_t finest_ns = FinestBucket(application.profile);
  if (coarseness.bucket_ns > finest_ns) {
    sentence = fmt::format("To keep the report small, the time resolution is {} s instead of {}",
                           coarseness.bucket_ns / kNanosPerSecond, FormatDuration(finest_ns));
  }
  if (coarseness.min_share > 0) {
    sentence += fmt::format("{} stacks with less than {:g}% of the weight are merged into [other]",
                            sentence.empty() ? "To keep the report small," : ", and", coarseness.min_share * 100);
  }
  return sentence.empty() ? sentence : sentence + ".";
}

}  // namespace sparkprof

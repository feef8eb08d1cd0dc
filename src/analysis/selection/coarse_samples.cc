// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/coarse_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>

#include "analysis/selection/time_range.h"
#include "base/hash_index.h"
#include "base/saturate.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kBucketMillis[] = {100, 1000, 2000, 5000, 10'000, 30'000, 60'000};
constexpr double kMinShares[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2};

// Stacks that are kept: at least `min_share` of one event's weight is at or below them.
std::vector<uint8_t> StacksToKeep(const Profile& profile, double min_share) {
  std::vector<uint8_t> keep(profile.stacks.Size(), min_share <= 0);
  keep[0] = 1;
  if (min_share <= 0) return keep;
  std::vector<int64_t> weight(keep.size());
  for (EventId event = 0; event < profile.EventCount(); ++event) {
    std::ranges::fill(weight, 0);
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

// Copies the used stacks into separate tables.
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
  std::vector<uint32_t> stack_;  // row by StackId of the profile; 0 = not copied yet
  std::vector<uint32_t> other_;  // row of the [other] node below it
  std::vector<uint32_t> frame_;
  std::vector<StackTable::Node> stacks_;
  std::vector<FrameId> frames_;
  std::vector<StackId> path_;
  uint32_t other_frame_ = 0;
};

// The row of each of the profile's stacks with samples.
std::vector<uint32_t> CopyStacks(const Profile& profile, Compactor* compactor) {
  std::vector<uint32_t> rows(profile.stacks.Size());
  for (const Sample& sample : profile.samples) {
    if (rows[sample.stack] == 0) rows[sample.stack] = compactor->Stack(sample.stack);
  }
  return rows;
}

// Sorts the samples so that neighbors have equal values in most columns, which compresses well, and samples to be
// merged are adjacent.
class CoarseSampleOrder {
 public:
  // `stacks`: row in the report by StackId of the profile.
  CoarseSampleOrder(const Application& application, int64_t bucket_ns, const std::vector<uint32_t>& stacks)
      : application_(application), range_(RangeOf(application)), bucket_ns_(bucket_ns), stacks_(stacks) {
    task_bits_ = std::bit_width(application.profile.tasks.size());
    // Without events and tasks there would be 64 bits, by which shifting is undefined.
    bucket_bits_ = std::min<int>(63, 64 - std::bit_width(application.profile.events.size()) - task_bits_);
  }

  // Calls `use` with the samples in order. Sorts large events one after the other, in the same memory.
  template <typename Use>
  void ForEach(const Use& use) const {
    constexpr size_t kFew = 1'000'000;
    const std::vector<Sample>& samples = application_.profile.samples;
    std::vector<size_t> counts(application_.profile.EventCount());
    for (const Sample& sample : samples) ++counts[sample.event];
    std::vector<Entry> entries;
    for (size_t begin = 0, end = 0; begin < counts.size(); begin = end) {
      size_t count = 0;
      while (end < counts.size() && (count == 0 || count + counts[end] <= kFew)) count += counts[end++];
      entries.reserve(count);
      for (uint32_t row = 0; row < samples.size(); ++row) {
        if (samples[row].event >= begin && samples[row].event < end) entries.push_back({PlaceOf(samples[row]), row});
      }
      std::ranges::sort(entries, [&](const Entry& a, const Entry& b) {
        return a.place != b.place ? a.place < b.place : Key(samples[a.row]) < Key(samples[b.row]);
      });
      for (const Entry& entry : entries) use(samples[entry.row]);
      entries.clear();
    }
  }

  int64_t Bucket(const Sample& sample) const { return SinceStart(range_, sample) / bucket_ns_; }

  // Samples with the same event, task and key are one row of the report.
  using RowKey = std::tuple<int64_t, int32_t, uint32_t, uint32_t, Category, ThreadState>;
  RowKey Key(const Sample& sample) const {
    return {Bucket(sample), application_.ExecutorOf(sample), sample.thread, stacks_[sample.stack], sample.category,
            sample.state};
  }

 private:
  // Comparing `place` (event, task, bucket) is nearly always sufficient.
  struct Entry {
    uint64_t place = 0;
    uint32_t row = 0;
  };

  uint64_t PlaceOf(const Sample& sample) const {
    const auto most = (uint64_t{1} << bucket_bits_) - 1;
    const uint64_t place = (uint64_t{sample.event} << task_bits_ | sample.task) << bucket_bits_;
    return place | std::min(static_cast<uint64_t>(std::max<int64_t>(Bucket(sample), 0)), most);
  }

  const Application& application_;
  const TimeRange range_;
  const int64_t bucket_ns_;
  const std::vector<uint32_t>& stacks_;
  int task_bits_ = 0;
  int bucket_bits_ = 0;
};

// Profiles of other tools may have times in nanoseconds.
int64_t FinestBucket(const Profile& profile) {
  return profile.bucket_ns >= kNanosPerMilli ? profile.bucket_ns : kNanosPerSecond;
}

}  // namespace

std::vector<Coarseness> CoarsenessSteps(const Application& application) {
  const int64_t finest_ns = FinestBucket(application.profile);
  std::vector<Coarseness> steps{{finest_ns, 0}};
  for (const int64_t millis : kBucketMillis) {
    if (millis * kNanosPerMilli > finest_ns) steps.push_back({millis * kNanosPerMilli, 0});
  }
  const int64_t widest = steps.back().bucket_ns;
  for (const double share : kMinShares) steps.push_back({widest, share});
  return steps;
}

CoarseSamples Coarsen(const Application& application, const Coarseness& coarseness, size_t expected_rows) {
  const Profile& profile = application.profile;
  Compactor compactor(profile, StacksToKeep(profile, coarseness.min_share));
  const std::vector<uint32_t> stacks = CopyStacks(profile, &compactor);
  const CoarseSampleOrder order(application, coarseness.bucket_ns, stacks);

  CoarseSamples samples;
  samples.bucket_ns = coarseness.bucket_ns;
  samples.rows.reserve(expected_rows);
  const Sample* before = nullptr;
  order.ForEach([&](const Sample& sample) {
    if (before != nullptr && before->event == sample.event && before->task == sample.task &&
        order.Key(*before) == order.Key(sample)) {
      AddSaturated(sample.weight, &samples.rows.back().weight);
      AddSaturated(sample.count, &samples.rows.back().count);
    } else {
      samples.rows.push_back(sample);
      samples.rows.back().time_ns = order.Bucket(sample) * coarseness.bucket_ns;
      samples.rows.back().stack = stacks[sample.stack];
    }
    before = &sample;
  });
  compactor.MoveInto(&samples);
  return samples;
}

size_t EstimateRows(const Application& application, const Coarseness& coarseness) {
  constexpr uint64_t kGroups = 64;
  const Profile& profile = application.profile;
  const TimeRange range = RangeOf(application);
  Compactor compactor(profile, StacksToKeep(profile, coarseness.min_share));
  const std::vector<uint32_t> stacks = CopyStacks(profile, &compactor);
  std::vector<std::pair<uint64_t, int64_t>> counted;
  for (const Sample& sample : profile.samples) {
    const uint64_t kinds = uint64_t{sample.event} << 16 | static_cast<uint64_t>(sample.category) << 8 |
                           static_cast<uint64_t>(sample.state);
    const uint64_t group =
        MixHash(MixHash(uint64_t{stacks[sample.stack]} << 32 | sample.thread) ^ (uint64_t{sample.task} << 32 | kinds));
    if (group % kGroups == 0) counted.emplace_back(group, SinceStart(range, sample) / coarseness.bucket_ns);
  }
  std::ranges::sort(counted);
  return static_cast<size_t>(std::unique(counted.begin(), counted.end()) - counted.begin()) * kGroups;
}

size_t EstimateEmbeddedSize(const CoarseSamples& samples) {
  // Measured on recordings of Spark jobs: gzip takes about 3 bytes per row, 3.5 per stack, 12 per frame and its name;
  // base64 makes four of three.
  const size_t compressed = samples.rows.size() * 3 + samples.stacks.size() * 7 / 2 + samples.frames.size() * 12;
  return compressed * 4 / 3;
}

std::string DescribeCoarseness(const Application& application, const Coarseness& coarseness) {
  std::string sentence;
  const int64_t finest_ns = FinestBucket(application.profile);
  if (coarseness.bucket_ns > finest_ns) {
    sentence = fmt::format("To keep the report small, the time resolution is {} instead of {}",
                           FormatDuration(coarseness.bucket_ns), FormatDuration(finest_ns));
  }
  if (coarseness.min_share > 0) {
    sentence += fmt::format("{} stacks with less than {:g}% of the weight are merged into [other]",
                            sentence.empty() ? "To keep the report small," : ", and", coarseness.min_share * 100);
  }
  return sentence.empty() ? sentence : sentence + ".";
}

}  // namespace sparkprof

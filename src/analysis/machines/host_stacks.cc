// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/host_stacks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/saturate.h"
#include "base/text/contains.h"
#include "profiles/frame_weights.h"

namespace sparkprof {
namespace {

constexpr Event kEvents[] = {Event::kCpu, Event::kWall, Event::kAlloc};
constexpr int64_t kFewestSamples = 100;    // minimum per host and event
constexpr double kLeastDistance = 0.3;     // minimum distance of an outlier
constexpr double kDeviations = 4;          // minimum number of deviations above the hosts' median distance
constexpr double kNoiseFactor = 2;         // minimum factor over the distance expected from sampling alone
constexpr double kLeastDifference = 0.05;  // minimum difference of a frame's shares
constexpr size_t kMaxFrames = 5;
// Ratio of a normal distribution's median absolute deviation to its standard deviation.
constexpr double kDeviationOfMedian = 0.6745;

struct Vector {
  std::map<uint32_t, int64_t> self, total;
  int64_t weight = 0;
  int64_t samples = 0;

  double SelfShare(uint32_t function) const { return ShareOf(self, function); }
  double TotalShare(uint32_t function) const { return ShareOf(total, function); }

 private:
  double ShareOf(const std::map<uint32_t, int64_t>& weights, uint32_t function) const {
    const auto found = weights.find(function);
    return found == weights.end() ? 0 : static_cast<double>(found->second) / static_cast<double>(weight);
  }
};

struct HostVectors {
  int64_t cpu_ns = 0;
  std::array<Vector, std::size(kEvents)> of_event;
};

// The functions of several applications by their label.
class FunctionNames {
 public:
  uint32_t Intern(std::string label) {
    const auto [place, added] = rows_.try_emplace(std::move(label), static_cast<uint32_t>(labels_.size()));
    if (added) labels_.push_back(place->first);
    return place->second;
  }
  std::string_view Label(uint32_t function) const { return labels_[function]; }

 private:
  std::unordered_map<std::string, uint32_t> rows_;
  std::vector<std::string> labels_;
};

struct Sums {
  int64_t weight = 0;
  int64_t samples = 0;
};
using StackSums = std::array<std::unordered_map<StackId, Sums>, std::size(kEvents)>;

class Collector {
 public:
  void Add(const Application& application) {
    std::map<std::string_view, StackSums> stacks;
    std::array<EventId, std::size(kEvents)> events;
    for (size_t row = 0; row < std::size(kEvents); ++row) events[row] = application.profile.Row(kEvents[row]);
    for (const std::vector<Sample>* const samples : {&application.profile.samples, &application.python_samples}) {
      for (const Sample& sample : *samples) {
        const auto event = std::ranges::find(events, sample.event);
        const std::string_view host = HostOf(application, sample);
        if (event == events.end() || sample.event == kNoEvent || host.empty()) continue;
        AddSample(sample, static_cast<size_t>(event - events.begin()), &stacks[host], &hosts_[std::string(host)]);
      }
    }
    const Functions functions(application.profile);
    for (const auto& [host, sums] : stacks) {
      HostVectors& vectors = hosts_[std::string(host)];
      for (size_t event = 0; event < std::size(kEvents); ++event) {
        for (const auto& [stack, sum] : sums[event]) {
          AddStack(application.profile, functions, stack, sum, &vectors.of_event[event]);
        }
      }
    }
  }

  const std::map<std::string, HostVectors>& Hosts() const { return hosts_; }
  const FunctionNames& Names() const { return names_; }

 private:
  // Empty for samples that do not belong to a host's work.
  static std::string_view HostOf(const Application& application, const Sample& sample) {
    const int32_t row = application.ExecutorOf(sample);
    if (row < 0) return {};
    const Executor& executor = application.executors[static_cast<size_t>(row)];
    const bool runs_tasks = executor.id != "driver" || executor.cores > 0;
    return runs_tasks ? std::string_view(executor.host) : std::string_view();
  }

  static void AddSample(const Sample& sample, size_t event, StackSums* stacks, HostVectors* host) {
    if (kEvents[event] == Event::kCpu) AddSaturated(sample.weight, &host->cpu_ns);
    // Idle threads are similar everywhere and would hide differences.
    const bool is_task = sample.category == Category::kTask || sample.category == Category::kTaskRuntime;
    if (sample.stack == 0 || (kEvents[event] == Event::kWall && !is_task)) return;
    Sums& sums = (*stacks)[event][sample.stack];
    AddSaturated(sample.weight, &sums.weight);
    AddSaturated(sample.count, &sums.samples);
  }

  void AddStack(const Profile& profile, const Functions& functions, StackId leaf, const Sums& sums, Vector* vector) {
    AddSaturated(sums.weight, &vector->weight);
    AddSaturated(sums.samples, &vector->samples);
    seen_.clear();
    for (StackId stack = leaf; stack != 0; stack = profile.stacks.Get(stack).parent) {
      const uint32_t function = functions.Of(profile.stacks.Get(stack).frame);
      if (Contains(seen_, function)) continue;
      const uint32_t name = names_.Intern(FrameLabel(profile.strings, functions.Get(function)));
      if (seen_.empty()) AddSaturated(sums.weight, &vector->self[name]);
      AddSaturated(sums.weight, &vector->total[name]);
      seen_.push_back(function);
    }
  }

  FunctionNames names_;
  std::map<std::string, HostVectors> hosts_;
  std::vector<uint32_t> seen_;  // functions of a stack, to count recursion once
};

double Median(std::vector<double> values) {
  const size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  if (values.size() % 2 == 1) return values[middle];
  return (values[middle] + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle))) / 2;
}

class Comparison {
 public:
  explicit Comparison(std::vector<const Vector*> vectors) : vectors_(std::move(vectors)) {
    for (const Vector* const vector : vectors_) {
      for (const auto& [function, weight] : vector->self) typical_.emplace(function, 0);
    }
    double sum = 0;
    for (auto& [function, share] : typical_) {
      std::vector<double> shares;
      for (const Vector* const vector : vectors_) shares.push_back(vector->SelfShare(function));
      share = Median(std::move(shares));
      sum += share;
    }
    // Hosts without common functions have no typical vector.
    for (auto& [function, share] : typical_) share = sum > 0 ? share / sum : 0;
    for (const Vector* const vector : vectors_) distances_.push_back(DistanceOf(*vector));
    const double middle = Median(distances_);
    std::vector<double> deviations;
    for (const double distance : distances_) deviations.push_back(std::abs(distance - middle));
    limit_ = std::max(kLeastDistance, middle + kDeviations * Median(std::move(deviations)) / kDeviationOfMedian);
  }

  double Distance(size_t row) const { return distances_[row]; }

  bool IsOutlier(size_t row) const {
    const Vector& vector = *vectors_[row];
    // Expected distance of a similar host from sampling alone: sqrt(functions / (8 ln 2 samples)).
    const double noise =
        std::sqrt(static_cast<double>(vector.self.size()) / (8 * std::log(2.0) * static_cast<double>(vector.samples)));
    return distances_[row] > std::max(limit_, kNoiseFactor * noise);
  }

  std::vector<HostFrame> Frames(size_t row, const FunctionNames& names) const {
    std::vector<HostFrame> frames;
    for (const auto& [function, weight] : vectors_[row]->total) {
      const double share = vectors_[row]->TotalShare(function);
      if (share < kLeastDifference) continue;
      std::vector<double> others;
      for (size_t other = 0; other < vectors_.size(); ++other) {
        if (other != row) others.push_back(vectors_[other]->TotalShare(function));
      }
      const double typical = Median(std::move(others));
      if (share - typical < kLeastDifference) continue;
      frames.push_back({std::string(names.Label(function)), share, typical, weight});
    }
    std::ranges::stable_sort(
        frames, [](const HostFrame& a, const HostFrame& b) { return a.share - a.others > b.share - b.others; });
    if (frames.size() > kMaxFrames) frames.resize(kMaxFrames);
    return frames;
  }

 private:
  double DistanceOf(const Vector& vector) const {
    double divergence = 0;
    for (const auto& [function, typical] : typical_) {
      const double share = vector.SelfShare(function);
      const double mean = (share + typical) / 2;
      if (share > 0) divergence += share / 2 * std::log2(share / mean);
      if (typical > 0) divergence += typical / 2 * std::log2(typical / mean);
    }
    return std::sqrt(std::clamp(divergence, 0.0, 1.0));
  }

  std::vector<const Vector*> vectors_;
  std::map<uint32_t, double> typical_;  // median of the hosts' shares, by function
  std::vector<double> distances_;
  double limit_ = 0;
};

// Compares the samples of `event`, and keeps larger differences than those of other events.
void CompareEvent(const Collector& collector, size_t event, std::vector<HostStacks>* all) {
  std::vector<const Vector*> vectors;
  std::vector<size_t> rows;
  size_t row = 0;
  for (const auto& [host, of_host] : collector.Hosts()) {
    const Vector& vector = of_host.of_event[event];
    if (vector.samples >= kFewestSamples && vector.weight > 0) {
      vectors.push_back(&vector);
      rows.push_back(row);
    }
    ++row;
  }
  if (vectors.size() < kLeastHosts) return;
  const Comparison comparison(std::move(vectors));
  for (size_t compared = 0; compared < rows.size(); ++compared) {
    HostStacks& host = (*all)[rows[compared]];
    const double distance = comparison.Distance(compared);
    const bool is_outlier = comparison.IsOutlier(compared);
    const bool is_more = !host.distance || std::pair(is_outlier, distance) > std::pair(host.is_outlier, *host.distance);
    if (!is_more) continue;
    host.distance = distance;
    host.event = EventName(kEvents[event]);
    host.is_outlier = is_outlier;
    host.frames = comparison.Frames(compared, collector.Names());
  }
}

}  // namespace

std::vector<HostStacks> CompareHosts(const std::vector<const Application*>& applications) {
  Collector collector;
  for (const Application* const application : applications) {
    if (!application->is_node) collector.Add(*application);
  }
  std::vector<HostStacks> all;
  for (const auto& [host, vectors] : collector.Hosts()) {
    HostStacks& row = all.emplace_back();
    row.host = host;
    row.cpu_ns = vectors.cpu_ns;
  }
  for (size_t event = 0; event < std::size(kEvents); ++event) CompareEvent(collector, event, &all);
  return all;
}

}  // namespace sparkprof

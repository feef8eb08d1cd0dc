// SPDX-License-Identifier: Apache-2.0
#include "analysis/owners/thread_remainders.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "analysis/machines/series_math.h"
#include "analysis/owners/background_work.h"
#include "base/masked_numbers.h"
#include "base/saturate.h"

namespace sparkprof {
namespace {

// The NAME of "thread.NAME.cpu_ns"; empty for another series.
std::string_view ThreadsOf(const ApplicationSeries& series) {
  constexpr std::string_view kBegin = "thread.", kEnd = ".cpu_ns";
  const std::string_view name = series.name;
  if (name.size() <= kBegin.size() + kEnd.size() || !name.starts_with(kBegin) || !name.ends_with(kEnd)) return {};
  return name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
}

// A thread's name in the kernel: the first 15 bytes, or since JDK 21 the first 7 and the last 6.
std::set<std::string> KernelNames(std::string_view name) {
  constexpr size_t kMost = 15;
  if (name.size() <= kMost) return {MaskNumbers(name)};
  return {MaskNumbers(name.substr(0, kMost)),
          MaskNumbers(fmt::format("{}..{}", name.substr(0, 7), name.substr(name.size() - 6)))};
}

double RoundedShare(double whole, int64_t part, int64_t parts) {
  return whole * static_cast<double>(part) / static_cast<double>(parts);
}

}  // namespace

ThreadRemainders::ThreadRemainders(const Application& application)
    : application_(application), of_threads_(application.profile.threads.size()) {}

void ThreadRemainders::AddSample(uint32_t thread, const OwnerName& owner, int64_t cpu_ns) {
  AddSaturated(cpu_ns, &of_threads_[thread][owner]);
}

std::map<ThreadRemainders::GroupName, ThreadRemainders::Group> ThreadRemainders::Groups() const {
  std::map<GroupName, Group> groups;
  for (size_t row = 0; row < of_threads_.size(); ++row) {
    if (of_threads_[row].empty()) continue;
    const ProfileThread& thread = application_.profile.threads[row];
    for (const std::string& name : KernelNames(thread.name)) {
      Group& group = groups[{thread.executor, name}];
      for (const auto& [owner, cpu_ns] : of_threads_[row]) {
        AddSaturated(cpu_ns, &group.owners[owner]);
        AddSaturated(cpu_ns, &group.sampled_ns);
      }
    }
  }
  return groups;
}

std::map<OwnerName, int64_t> ThreadRemainders::Sum() const {
  std::map<int32_t, double> left;  // of each JVM's CPU time, by executor
  for (const ApplicationSeries& series : application_.series) {
    if (series.name != "process.cpu_ns" || series.process < 0 || series.points.empty()) continue;
    const bool is_jvm = application_.processes[static_cast<size_t>(series.process)].process.role == "jvm";
    if (is_jvm) left[series.executor] += Growth(series) - series.points.front().value;
  }
  for (size_t row = 0; row < of_threads_.size(); ++row) {
    for (const auto& [owner, cpu_ns] : of_threads_[row]) {
      left[application_.profile.threads[row].executor] -= static_cast<double>(cpu_ns);
    }
  }
  const std::map<GroupName, Group> groups = Groups();
  struct Remainder {
    const Group* group;  // null without samples
    std::string name;
    double cpu_ns;
  };
  std::map<int32_t, std::vector<Remainder>> of_jvms;
  std::map<int32_t, double> sums;
  for (const ApplicationSeries& series : application_.series) {
    const std::string_view name = ThreadsOf(series);
    if (name.empty() || series.points.empty()) continue;
    const auto found = groups.find({series.executor, std::string(name)});
    const Group* const group = found == groups.end() ? nullptr : &found->second;
    const double missed = series.points.back().value - (group == nullptr ? 0 : static_cast<double>(group->sampled_ns));
    if (missed <= 0) continue;
    of_jvms[series.executor].push_back({group, std::string(name), missed});
    sums[series.executor] += missed;
  }
  Owners owners;
  for (const auto& [executor, remainders] : of_jvms) {
    const double most = std::max(0.0, left[executor]);
    const double scale = std::min(1.0, most / sums[executor]);
    for (const Remainder& remainder : remainders) {
      const double cpu_ns = scale * remainder.cpu_ns;
      if (remainder.group == nullptr || remainder.group->sampled_ns <= 0) {
        AddSaturated(static_cast<int64_t>(cpu_ns), &owners[OwnerOfThreadName(remainder.name)]);
        continue;
      }
      for (const auto& [owner, sampled_ns] : remainder.group->owners) {
        AddSaturated(static_cast<int64_t>(RoundedShare(cpu_ns, sampled_ns, remainder.group->sampled_ns)),
                     &owners[owner]);
      }
    }
  }
  return owners;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/owners/cpu_owners.h"
#include "model/application.h"

namespace sparkprof {

// CPU time of JVM threads beyond their samples: a sampler counts whole intervals, so each thread loses up to
// one, and a busy machine loses some. The series thread.NAME.cpu_ns have all of it. The rest of a name belongs to the
// owners of its samples, in proportion; without samples, to the work that the name stands for.
class ThreadRemainders {
 public:
  explicit ThreadRemainders(const Application& application);

  void AddSample(uint32_t thread, const OwnerName& owner, int64_t cpu_ns);

  // Never more, in each JVM, than its CPU time without its samples.
  std::map<OwnerName, int64_t> Sum() const;

 private:
  using Owners = std::map<OwnerName, int64_t>;

  struct Group {
    int64_t sampled_ns = 0;
    Owners owners;
  };
  using GroupName = std::pair<int32_t, std::string>;  // executor, name of threads

  std::map<GroupName, Group> Groups() const;

  const Application& application_;
  std::vector<Owners> of_threads_;  // by row of the profile's threads
};

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "catalogue/catalogue.h"

namespace sparkprof {

// Prometheus metrics of applications that end while the server runs, by group. The number of series is bounded: groups
// beyond `most_groups` are merged into "[others]". Thread-safe.
class JobMetrics {
 public:
  explicit JobMetrics(size_t most_groups = 200) : most_groups_(most_groups) {}

  // Call when the application's row has changed; `changed_ns` is the arrival time of its last block. Counts each
  // application once, when it has ended. Skips those that ended an hour or more ago: the catalogue is being rebuilt.
  void Consider(const ApplicationRow& row, int64_t changed_ns);

  // Prometheus text format, or OpenMetrics with exemplars: the latest application ID in each bucket.
  std::string Text(bool open_metrics) const;

  // Upper bounds of the duration histogram, in seconds.
  static constexpr std::array<int64_t, 9> kBuckets = {5, 15, 60, 180, 600, 1800, 3600, 10800, 43200};

 private:
  struct Exemplar {
    std::string application;
    double seconds = 0, time = 0;
  };
  struct Job {
    std::map<ApplicationStatus, uint64_t> runs;
    std::array<uint64_t, kBuckets.size() + 1> durations{};  // the last one counts longer durations
    std::array<Exemplar, kBuckets.size() + 1> exemplars;
    double duration_seconds = 0, cpu_seconds = 0;
    uint64_t tasks = 0, findings = 0;
    double last_duration_seconds = 0, last_end_seconds = 0;
  };

  bool IsNew(const ApplicationKey& key);

  const size_t most_groups_;
  mutable std::mutex mutex_;
  std::map<std::string, Job> jobs_;  // by group
  std::set<ApplicationKey> counted_;
  std::deque<ApplicationKey> order_;  // keys of counted_, oldest first
};

}  // namespace sparkprof

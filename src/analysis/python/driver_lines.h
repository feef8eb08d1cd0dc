// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/selection/time_range.h"
#include "model/application.h"

namespace sparkprof {

inline constexpr char kDriverProgramRole[] = "python_driver";

// The Python programs that drive Spark, among an application's Python processes: for example the user's script, not
// workers.
class DriverPrograms {
 public:
  // `application` must outlive it.
  explicit DriverPrograms(const Application& application) : application_(application) {
    for (const ApplicationProcess& process : application.processes) {
      if (process.process.role == kDriverProgramRole) pids_.insert({process.executor, process.process.pid});
    }
  }

  // Whether a Python sample belongs to one of them.
  bool Has(const Sample& sample) const {
    const ProfileThread& thread = application_.profile.threads[sample.thread];
    return pids_.contains({thread.executor, thread.process});
  }

 private:
  const Application& application_;
  std::set<std::pair<int32_t, int64_t>> pids_;  // with the executor whose agent reported it
};

// Their resource usage: "1.9 s CPU, resident memory from 115 MiB to 307 MiB"; empty if there are none.
std::string DriverProgramsInWords(const Application& application);

// Weights of lines of the driver's Python program at the selected times, outside of Spark calls.
struct DriverTimes {
  std::map<std::string, int64_t> by_cpu, by_wall;
};

DriverTimes TimesOfDriver(const Application& application, const std::function<bool(int64_t time_ns)>& is_chosen);

// Lines of the driver's Python program at the selected times, outside of Spark calls: by CPU time, or by wall-clock
// time if they use almost no CPU. Largest first, at most three.
std::vector<std::string> DriverLines(const Application& application,
                                     const std::function<bool(int64_t time_ns)>& is_chosen);

// How the driver's Python program sleeps at the selected times: a line of its own waits, with no library below.
struct DriverSleep {
  bool is_most = false;  // for most of that time
  // One line of its main module leads to it, as in a loop; an interactive user pauses at many lines.
  bool is_of_one_line = false;
};

DriverSleep SleepOfDriver(const Application& application, const std::function<bool(int64_t time_ns)>& is_chosen);

// The line of the driver's Python program that takes most of the selected time, including Spark calls; or empty.
std::string LineThatCallsSpark(const Application& application, const std::function<bool(int64_t time_ns)>& is_chosen);

// The line of the driver's program that takes most of the time to create Spark's session; or empty.
std::string LineThatStartsSpark(const Application& application);

// Sums the wall-clock time of each line of the driver's program, in Python or on the main thread of its JVM, including
// Spark calls, for each of these times, which must be disjoint and in order. The sum is at most the time; excludes
// lines of fewer than kLeastSamplesOfLine samples.
using LineTimes = std::map<std::string, int64_t>;
std::vector<LineTimes> LinesOfTimes(const Application& application, const std::vector<TimeRange>& times);

inline constexpr int64_t kLeastSamplesOfLine = 20;

}  // namespace sparkprof

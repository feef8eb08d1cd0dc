// SPDX-License-Identifier: Apache-2.0
// history_bench FILE…: reads the files of one event log and answers Spark's REST API from it: wall and CPU time until
// /stages is answered, peak memory, and the time of each further answer.
#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"
#include "bench/process_usage.h"
#include "history/history_answers.h"
#include "history/history_loader.h"

namespace sparkprof {
namespace {

double MillisSince(int64_t start_ns) { return static_cast<double>(MonotonicNanos() - start_ns) / kNanosPerMilli; }

// The slowest of several answers, and the size of one.
void MeasureAnswer(const History& history, const std::vector<std::string>& path) {
  constexpr int kTimes = 20;
  double slowest = 0;
  size_t bytes = 0;
  for (int time = 0; time < kTimes; ++time) {
    const int64_t start_ns = MonotonicNanos();
    bytes = AnswerHistory(history, path, {}, 0).body.size();
    slowest = std::max(slowest, MillisSince(start_ns));
  }
  fmt::print("/{}: slowest of {} {:.1f} ms, {} bytes\n", fmt::join(path, "/"), kTimes, slowest, bytes);
}

int Measure(HistorySource source) {
  const int64_t start_ns = MonotonicNanos();
  const int64_t cpu_before = CpuNanos();
  const Result<History> history = LoadHistory(source);
  if (!history) {
    fmt::print(stderr, "{}\n", history.error().message);
    return 2;
  }
  AnswerHistory(*history, std::vector<std::string>{"stages"}, {}, 0);
  fmt::print("{} tasks, first /stages after {:.0f} ms, CPU {:.0f} ms, {} MiB kept, peak {} MiB\n",
             history->tasks.Size(), MillisSince(start_ns),
             static_cast<double>(CpuNanos() - cpu_before) / kNanosPerMilli, history->Bytes() >> 20, PeakMebibytes());
  MeasureAnswer(*history, {"stages"});
  MeasureAnswer(*history, {"jobs"});
  MeasureAnswer(*history, {"executors"});
  const auto largest =
      std::max_element(history->stages.begin(), history->stages.end(),
                       [](const auto& a, const auto& b) { return a.second.tasks.size() < b.second.tasks.size(); });
  if (largest == history->stages.end()) return 0;
  const std::string id = std::to_string(largest->first.first);
  const std::string attempt = std::to_string(largest->first.second);
  MeasureAnswer(*history, {"stages", id, attempt, "taskSummary"});
  MeasureAnswer(*history, {"stages", id, attempt, "taskList"});
  return 0;
}

}  // namespace
}  // namespace sparkprof

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: history_bench FILE…\n");
    return 2;
  }
  sparkprof::HistorySource source;
  source.files.assign(argv + 1, argv + argc);
  return sparkprof::Measure(std::move(source));
}

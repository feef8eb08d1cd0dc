// SPDX-License-Identifier: Apache-2.0
// text_log_bench [LOG…]: reads each uncompressed text log into an application, first jobs, stages and tasks alone, then
// with templates and records too, and prints the best of three runs: CPU time, rate, lines, peak memory (the log's
// pages, which are mapped, included). Without a log it makes one: a Spark 3.5 driver's of 200,000 tasks.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "base/io/file.h"
#include "base/time.h"
#include "bench/process_usage.h"
#include "text_log/text_log_reader.h"

namespace sparkprof {
namespace {

constexpr double kMega = 1e6;
constexpr size_t kBlock = 1 << 20;

// 40 slots, 1,000 tasks a stage, one job.
std::string MakeDriverLog(int tasks) {
  constexpr int kSlots = 40, kStageTasks = 1000;
  std::string log;
  const auto time = [](int second) {
    const time_t seconds = 1'704'067'200 + second;
    tm parts;
    gmtime_r(&seconds, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%y/%m/%d %H:%M:%S", &parts);
    return std::string(text);
  };
  const auto add = [&](int second, const std::string& text) { log += fmt::format("{} INFO {}\n", time(second), text); };
  const auto finish = [&](int second, int task) {
    add(second,
        fmt::format(
            "TaskSetManager: Finished task {}.0 in stage {}.0 (TID {}) in {} ms on host-{} (executor {}) ({}/{})",
            task % kStageTasks, task / kStageTasks, task, 900 + task % 200, task % kSlots / 4, task % kSlots / 4,
            task % kStageTasks + 1, kStageTasks));
  };
  add(0, "SparkContext: Running Spark version 3.5.7");
  add(0, "SparkContext: Submitted application: Big");
  add(1, fmt::format("DAGScheduler: Got job 0 (collect at x.py:1) with {} output partitions", kStageTasks));
  for (int task = 0; task < tasks; ++task) {
    const int second = 2 + task / kSlots;
    if (task % kStageTasks == 0) {
      add(second, fmt::format("TaskSchedulerImpl: Adding task set {}.0 with {} tasks resource profile 0",
                              task / kStageTasks, kStageTasks));
    }
    add(second,
        fmt::format("TaskSetManager: Starting task {}.0 in stage {}.0 (TID {}) (host-{}, executor {}, partition {}, "
                    "PROCESS_LOCAL, 7741 bytes) taskResourceAssignments Map()",
                    task % kStageTasks, task / kStageTasks, task, task % kSlots / 4, task % kSlots / 4,
                    task % kStageTasks));
    if (task >= kSlots) finish(second, task - kSlots);
  }
  for (int task = tasks - kSlots; task < tasks; ++task) finish(3 + tasks / kSlots, task);
  add(4 + tasks / kSlots, "DAGScheduler: Job 0 finished: collect at x.py:1, took 9.0 s");
  return log;
}

void Measure(const std::string& name, std::string_view text) {
  const auto lines = static_cast<double>(std::count(text.begin(), text.end(), '\n'));
  for (const bool templates : {false, true}) {
    double best_s = 1e9;
    size_t tasks = 0;
    for (int run = 0; run < 3; ++run) {
      const int64_t before = CpuNanos();
      Application application;
      TextLogReader reader(&application, {.templates = templates});
      reader.BeginFile(name);
      for (std::string_view rest = text; !rest.empty();) {
        const size_t end = rest.rfind('\n', std::min(kBlock, rest.size()) - 1);
        const size_t size = end == std::string_view::npos ? rest.size() : end + 1;
        reader.AddLines(rest.substr(0, size));
        rest.remove_prefix(size);
      }
      reader.EndFile();
      reader.Finish();
      best_s = std::min(best_s, static_cast<double>(CpuNanos() - before) / kNanosPerSecond);
      tasks = application.tasks.Size();
    }
    fmt::print("{}, {}: {:.1f} MB, {} tasks, CPU {:.3f} s, {:.0f} MB/s, {:.2f} M lines/s, peak {} MiB\n", name,
               templates ? "with templates and records" : "jobs, stages, tasks",
               static_cast<double>(text.size()) / kMega, tasks, best_s,
               static_cast<double>(text.size()) / kMega / best_s, lines / kMega / best_s, PeakMebibytes());
  }
}

}  // namespace
}  // namespace sparkprof

int main(int argc, char** argv) {
  if (argc < 2) sparkprof::Measure("driver log of 200,000 tasks", sparkprof::MakeDriverLog(200'000));
  for (int argument = 1; argument < argc; ++argument) {
    const auto file = sparkprof::MappedFile::Open(argv[argument]);
    if (!file) {
      fmt::print(stderr, "{}\n", file.error().message);
      return 2;
    }
    sparkprof::Measure(argv[argument], file->Bytes());
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_runner.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include "base/io/private_file.h"
#include "base/system.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

// Runs the suite's monitors while it exists.
class Monitors {
 public:
  Monitors(const Suite& suite, const SuiteRunOptions& options, WaitedSignals* signals)
      : signals_(signals), mark_(options.mark) {
    const Result<std::vector<std::vector<std::string>>> commands = MonitorCommands(suite, options.places);
    if (!commands) {
      mark_("error", commands.error().message);
      return;
    }
    for (const std::vector<std::string>& arguments : *commands) {
      std::string problem;
      const std::string log = fmt::format("{}/monitor-{}.log", options.output, started_.size() + 1);
      const pid_t pid = StartInGroup({arguments, options.environment, log}, *signals, &problem);
      if (pid < 0) mark_("error", fmt::format("monitor: {}", problem));
      started_.push_back({pid, arguments[0], log});
    }
  }

  ~Monitors() {
    for (const Monitor& monitor : started_) {
      if (monitor.pid < 0) continue;
      int status = 0;
      if (waitpid(monitor.pid, &status, WNOHANG) == monitor.pid) {
        mark_("error", fmt::format("monitor {} ended before the suite with exit code {}; see {}", monitor.name,
                                   ShellExitCode(status), monitor.log));
      } else {
        EndGroup(monitor.pid, signals_);
      }
    }
  }

  Monitors(const Monitors&) = delete;
  Monitors& operator=(const Monitors&) = delete;

 private:
  struct Monitor {
    pid_t pid;
    std::string name, log;
  };

  WaitedSignals* signals_;
  std::function<void(std::string_view, const std::string&)> mark_;
  std::vector<Monitor> started_;
};

std::string FolderOf(const JobResult& job, int64_t warm_up, int64_t repeat) {
  const std::string name = job.size ? fmt::format("{}-{}", job.name, SizeText(*job.size)) : job.name;
  return repeat > 0 ? fmt::format("{}/{}", name, repeat) : fmt::format("{}/warm-up-{}", name, warm_up);
}

std::string Outcome(const RepeatResult& repeat) {
  if (repeat.timed_out) return fmt::format("timed out after {:.1f} s", repeat.seconds);
  if (repeat.exit_code != 0) return fmt::format("exit code {} after {:.1f} s", repeat.exit_code, repeat.seconds);
  return fmt::format("{:.1f} s, {:.1f} s CPU, {}", repeat.seconds, repeat.cpu_seconds,
                     FormatBytes(repeat.max_rss_bytes));
}

class Runner {
 public:
  Runner(const Suite& suite, const SuiteRunOptions& options, WaitedSignals* signals, SuiteResults* results)
      : suite_(suite), options_(options), signals_(signals), results_(results) {}

  Result<void> Run() {
    const Monitors monitors(suite_, options_, signals_);
    for (const SuiteJob& job : suite_.jobs) {
      std::vector<std::optional<double>> sizes(job.sizes.begin(), job.sizes.end());
      if (sizes.empty()) sizes.emplace_back();
      for (const std::optional<double>& size : sizes) {
        results_->jobs.push_back({job.name, size, job.parameters, job.profile, {}});
        if (Result<void> ran = RunJob(job); !ran) return ran;
        if (signals_->Received() != 0) return {};
      }
    }
    return {};
  }

 private:
  Result<void> RunJob(const SuiteJob& job) {
    JobResult& result = results_->jobs.back();
    for (int64_t i = 1 - job.warm_up; i <= job.repeats && signals_->Received() == 0; ++i) {
      const std::string folder = FolderOf(result, i + job.warm_up, i);
      const std::string label =
          fmt::format("{}, {}", JobLabel(result), i > 0 ? fmt::format("repeat {}", i) : "warm-up");
      options_.mark("start", label);
      Result<RepeatResult> repeat = RunOnce(job, result.size, folder);
      if (!repeat) return tl::unexpected(repeat.error());
      options_.mark(repeat->exit_code == 0 ? "end" : "error", fmt::format("{}: {}", label, Outcome(*repeat)));
      repeat->repeat = i;
      repeat->folder = folder;
      options_.finished(*repeat);
      if (i > 0) result.repeats.push_back(std::move(*repeat));
    }
    return {};
  }

  Result<RepeatResult> RunOnce(const SuiteJob& job, std::optional<double> size, const std::string& folder) {
    const std::string path = fmt::format("{}/{}", options_.output, folder);
    if (Result<void> created = CreateFolders(path); !created) return tl::unexpected(created.error());
    Result<std::vector<std::string>> command = CommandOf(job, size, options_.suite_folder);
    if (!command) return tl::unexpected(command.error());
    if (job.profile) {
      std::vector<std::string> profiled = options_.profiler;
      profiled.insert(profiled.end(), {"--output-dir", path + "/profile", "--"});
      command->insert(command->begin(), profiled.begin(), profiled.end());
    }
    std::map<std::string, std::string> environment = job.environment;
    environment.insert(options_.environment.begin(), options_.environment.end());
    Result<RepeatResult> result =
        RunMeasured({*command, environment, path + "/output.log"}, path, suite_.interval_ns, job.timeout_ns, signals_);
    if (result) return result;
    // A missing program is a failure of the job.
    RepeatResult failed;
    failed.start_ns = EpochNanos();
    failed.exit_code = 127;
    options_.mark("error", result.error().message);
    return failed;
  }

  const Suite& suite_;
  const SuiteRunOptions& options_;
  WaitedSignals* signals_;
  SuiteResults* results_;
};

bool AllSucceeded(const SuiteResults& results) {
  for (const JobResult& job : results.jobs) {
    for (const RepeatResult& repeat : job.repeats) {
      if (repeat.exit_code != 0) return false;
    }
  }
  return true;
}

}  // namespace

Result<void> RunSuite(const Suite& suite, const SuiteRunOptions& options, WaitedSignals* signals,
                      SuiteResults* results) {
  results->suite = suite.name;
  results->version = suite.version;
  results->start_ns = EpochNanos();
  Result<void> ran = Runner(suite, options, signals, results).Run();
  results->end_ns = EpochNanos();
  results->status = signals->Received() != 0 ? "interrupted" : ran && AllSucceeded(*results) ? "passed" : "failed";
  return ran;
}

}  // namespace sparkprof

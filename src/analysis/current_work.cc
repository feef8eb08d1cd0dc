// SPDX-License-Identifier: Apache-2.0
#include "analysis/current_work.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/answers.h"
#include "analysis/plans/work_names.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/time_spent.h"
#include "base/saturate.h"
#include "profiles/frame_origin.h"
#include "profiles/profile_transform.h"

namespace sparkprof {
namespace {

// The file of a frame without folders; for JVM frames without a file, the class.
std::string FileOf(const Profile& profile, const Frame& frame) {
  std::string_view name = profile.strings.Get(frame.file);
  if (!name.empty()) return std::string(name.substr(name.rfind('/') + 1));
  name = profile.strings.Get(frame.name);
  name = name.substr(0, name.rfind('.'));
  name = name.substr(name.rfind('.') + 1);
  return std::string(name.substr(0, name.find('$')));
}

// Descriptions of streaming queries have several lines.
std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

void CountTasks(const Application& application, CurrentWork* work, std::vector<StageNow>* stages) {
  const Tasks& tasks = application.tasks;
  for (size_t row = 0; row < tasks.Size(); ++row) {
    StageNow* const stage = tasks.stage[row] < 0 ? nullptr : &(*stages)[static_cast<size_t>(tasks.stage[row])];
    switch (tasks.outcome[row]) {
      case TaskOutcome::kRunning:
        ++work->running;
        if (stage == nullptr) break;
        ++stage->running;
        if (tasks.launch_ns[row] > 0)
          stage->oldest_ns = std::max(stage->oldest_ns, work->now_ns - tasks.launch_ns[row]);
        break;
      case TaskOutcome::kSucceeded:
        ++work->done;
        if (stage != nullptr) ++stage->done;
        break;
      case TaskOutcome::kFailed:
      case TaskOutcome::kKilled:
        ++work->failed;
        if (stage != nullptr) ++stage->failed;
        break;
    }
  }
}

std::vector<StageNow> StagesOf(const Application& application, CurrentWork* work) {
  const WorkNames names = NamesOfWork(application);
  std::vector<StageNow> stages;
  for (size_t row = 0; row < application.stages.size(); ++row) {
    const Stage& stage = application.stages[row];
    const int64_t end_ns = stage.end_ns > 0 ? stage.end_ns : work->now_ns;
    stages.push_back({.id = stage.id,
                      .attempt = stage.attempt,
                      .work = FirstLine(names.stages[row].Text()),
                      .status = stage.status,
                      .planned = stage.task_count,
                      .elapsed_ns = stage.submit_ns > 0 ? std::max<int64_t>(0, end_ns - stage.submit_ns) : 0});
  }
  CountTasks(application, work, &stages);
  std::vector<size_t> order;
  for (size_t row = 0; row < stages.size(); ++row) {
    const bool has_begun = application.stages[row].submit_ns > 0 || stages[row].running > 0 || stages[row].done > 0;
    if (has_begun && stages[row].status != RunStatus::kSkipped) order.push_back(row);
  }
  const auto rank = [&](size_t row) {
    const Stage& stage = application.stages[row];
    const bool runs = stage.status == RunStatus::kRunning && !application.ended;
    return std::tuple(runs ? 0 : 1, runs ? -stages[row].running : -stage.end_ns, -stage.id, -stage.attempt);
  };
  std::ranges::sort(order, [&](size_t a, size_t b) { return rank(a) < rank(b); });
  std::vector<StageNow> sorted;
  for (const size_t row : order) sorted.push_back(std::move(stages[row]));
  return sorted;
}

void KeepSince(int64_t from_ns, Application* application) {
  const auto is_before = [&](const Sample& sample) { return sample.time_ns < from_ns; };
  std::erase_if(application->profile.samples, is_before);
  std::erase_if(application->python_samples, is_before);
  application->series.clear();  // totals since the start of each process
}

class LineSums {
 public:
  explicit LineSums(const Application& application) : profile_(application.profile) {
    const EventId cpu = profile_.Row(Event::kCpu);
    for (const auto* samples : {&application.profile.samples, &application.python_samples}) {
      for (const Sample& sample : *samples) {
        if (sample.event == cpu) AddSaturated(sample.weight, &by_stack_[sample.stack]);
      }
    }
  }

  std::vector<LineNow> Lines() {
    std::map<std::pair<std::string, uint32_t>, LineNow> lines;
    for (const auto& [stack, cpu_ns] : by_stack_) {
      const Frame* const frame = InnermostOfUser(stack);
      if (frame == nullptr) continue;
      LineNow& line = lines[{FileOf(profile_, *frame), frame->line}];
      AddSaturated(cpu_ns, &line.cpu_ns);
      if (!line.function.empty()) continue;
      line.file = FileOf(profile_, *frame);
      line.line = frame->line;
      line.function = SimpleName(profile_.strings.Get(frame->name));
      line.is_python = frame->kind == FrameKind::kPython;
    }
    std::vector<LineNow> sorted;
    for (auto& [place, line] : lines) sorted.push_back(std::move(line));
    std::ranges::stable_sort(sorted, std::greater(), &LineNow::cpu_ns);
    return sorted;
  }

 private:
  const Frame* InnermostOfUser(StackId stack) {
    profile_.stacks.Unwind(stack, &frames_);
    for (auto id = frames_.rbegin(); id != frames_.rend(); ++id) {
      const Frame& frame = profile_.frames.Get(*id);
      const std::string_view file = profile_.strings.Get(frame.file);
      if (frame.line > 0 && OriginOf(profile_.strings.Get(frame.name), file, frame.kind) == FrameOrigin::kUser)
        return &frame;
    }
    return nullptr;
  }

  const Profile& profile_;
  std::map<StackId, int64_t> by_stack_;
  std::vector<FrameId> frames_;  // frames of one stack
};

}  // namespace

CurrentWork WorkNow(Application application, int64_t window_ns) {
  CurrentWork work{.id = application.id,
                   .name = application.name,
                   .spark_version = application.spark_version,
                   .ended = application.ended,
                   .executors = application.ExecutorCount()};
  const TimeRange range = RangeOf(application);
  work.now_ns = range.end_ns;
  work.elapsed_ns = range.Duration();
  work.cores = PeakCores(application);
  work.findings = Answer(application).findings;
  work.stages = StagesOf(application, &work);
  // If the run is shorter than the window, the whole run is shown, with all of its owners.
  if (window_ns > 0 && window_ns < work.elapsed_ns) {
    work.window_ns = window_ns;
    KeepSince(work.now_ns - window_ns, &application);
  }
  work.owners = OwnersOfCpu(application);
  work.lines = LineSums(application).Lines();
  return work;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/engines.h"
#include "model/application.h"
#include "model/plan_operators.h"
#include "recording/application_builder.h"

namespace sparkprof {
namespace {

// Determines which stages can have called an engine's code, from the operators of their plans. Reads plans and stages
// on construction; frames may be added to the profile later.
class StageOperators {
 public:
  explicit StageOperators(const Application& application);

  // Whether the plan of the task's stage has an operator that this native function implements. `task` is a row of
  // Profile::tasks.
  bool Runs(uint32_t task, FrameId function);

 private:
  const Profile& profile_;
  std::vector<int32_t> stages_;                           // by task: row of operators_; -1 = unknown
  std::vector<std::vector<std::string_view>> operators_;  // operator names by row of Application::stages
  std::map<std::pair<int32_t, FrameId>, bool> runs_;
};

StageOperators::StageOperators(const Application& application)
    : profile_(application.profile), stages_(application.TaskRows()), operators_(application.stages.size()) {
  for (int32_t& row : stages_) row = row < 0 ? -1 : application.tasks.stage[static_cast<size_t>(row)];
  std::map<int64_t, std::vector<size_t>> rows_of_query;
  for (size_t row = 0; row < application.stages.size(); ++row) {
    rows_of_query[application.stages[row].sql_execution].push_back(row);
  }
  for (const SqlExecution& query : application.sql_executions) {
    const auto rows = rows_of_query.find(query.id);
    if (rows == rows_of_query.end()) continue;
    for (const PlanOperator& one : OperatorsOf(query.plan)) {
      for (const size_t row : rows->second) {
        const bool can_run =
            one.stages.empty() || std::binary_search(one.stages.begin(), one.stages.end(), application.stages[row].id);
        if (can_run) operators_[row].push_back(one.plan->name);
      }
    }
  }
}

bool StageOperators::Runs(uint32_t task, FrameId function) {
  const int32_t stage = task < stages_.size() ? stages_[task] : -1;
  if (stage < 0) return false;
  const auto [known, is_new] = runs_.emplace(std::pair(stage, function), false);
  if (is_new) {
    const std::string_view name = profile_.strings.Get(profile_.frames.Get(function).name);
    const std::vector<std::string_view>& operators = operators_[static_cast<size_t>(stage)];
    known->second = std::any_of(operators.begin(), operators.end(),
                                [&](std::string_view one) { return IsFrameOfOperator(name, one); });
  }
  return known->second;
}

// A task that waits for its engine in a bucket.
struct Waiter {
  uint32_t task = 0;  // row of Profile::tasks
  StackId stack = 0;  // stack down to the waiting frame, at the longest wait
  int64_t stack_ns = 0;
  int64_t wait_ns = 0;
  int64_t owed =
      0;  // its share of the samples distributed so far, minus the samples received; in units of the waiting time
};

class PoolJoin {
 public:
  explicit PoolJoin(Application* application) : application_(*application), profile_(application->profile) {}

  void Run() {
    FindFrames();
    const bool has_thread = std::any_of(profile_.threads.begin(), profile_.threads.end(),
                                        [](const ProfileThread& thread) { return IsEngineThread(thread.name); });
    if (!has_code_ && !has_thread) return;
    FindPools();
    FindWaiters();
    FindOperators();
    if (waiters_.empty()) return;
    const EventId cpu = profile_.Row(Event::kCpu);
    const size_t count = profile_.samples.size();
    for (size_t row = 0; row < count; ++row) {
      if (profile_.samples[row].event == cpu && IsOfPool(row)) ShareOut(row);
    }
    ShareMemory(count);
  }

 private:
  using Key = std::pair<int32_t, int64_t>;  // executor row and bucket start

  bool IsOfPool(size_t row) const {
    const Sample& sample = profile_.samples[row];
    return sample.task == 0 && is_pool_[sample.thread];
  }

  // A release belongs to the task of the oldest remaining allocation with its thread and stack.
  void ShareMemory(size_t count) {
    const EventId malloc = profile_.Row(Event::kMalloc), free = profile_.Row(Event::kFree);
    std::vector<uint32_t> rows;
    for (size_t row = 0; row < count; ++row) {
      const EventId event = profile_.samples[row].event;
      if ((event == malloc || event == free) && event != kNoEvent && IsOfPool(row)) {
        rows.push_back(static_cast<uint32_t>(row));
      }
    }
    const auto order = [&](uint32_t row) {
      return std::pair(profile_.samples[row].time_ns, profile_.samples[row].event == free);
    };
    std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) { return order(a) < order(b); });
    for (const uint32_t row : rows) {
      const Sample sample = profile_.samples[row];
      std::deque<Sample>& held = held_[{sample.thread, sample.stack}];
      if (sample.event == malloc) {
        const size_t before = profile_.samples.size();
        ShareOut(row);
        held.push_back(profile_.samples[row]);
        held.insert(held.end(), profile_.samples.begin() + static_cast<std::ptrdiff_t>(before), profile_.samples.end());
      } else {
        Release(row, &held);
      }
    }
  }

  void Release(size_t row, std::deque<Sample>* held) {
    const Sample sample = profile_.samples[row];
    int64_t left = sample.weight;
    bool is_first = true;
    while (left > 0 && !held->empty()) {
      Sample& oldest = held->front();
      Sample part = sample;
      part.task = oldest.task;
      part.category = oldest.category;
      part.stack = oldest.stack;
      part.weight = std::min(left, oldest.weight);
      left -= part.weight;
      oldest.weight -= part.weight;
      if (oldest.weight == 0) held->pop_front();
      if (held->empty()) part.weight += std::exchange(left, 0);
      part.count = is_first ? sample.count : 0;
      if (std::exchange(is_first, false)) {
        profile_.samples[row] = part;
      } else {
        profile_.samples.push_back(part);
      }
    }
  }

  void FindFrames() {
    is_wait_.resize(profile_.frames.Size());
    is_code_.resize(profile_.frames.Size());
    for (size_t id = 1; id < is_wait_.size(); ++id) {
      const Frame& frame = profile_.frames.Get(static_cast<FrameId>(id));
      const std::string_view name = profile_.strings.Get(frame.name);
      is_wait_[id] = IsEngineWait(name);
      is_code_[id] = frame.kind == FrameKind::kNative && IsEngineCode(name);
      has_code_ = has_code_ || is_code_[id];
    }
  }

  // A pool thread runs the engine's code, was not started by the JVM or has the engine's name, and never runs a task.
  // Its other samples, in JVM code that the engine calls or without symbols, belong to the pool as well. The JVM starts
  // the driver program's thread, which calls the engine for planning.
  void FindPools() {
    std::vector<bool> has_code(profile_.stacks.Size()), from_jvm(profile_.stacks.Size());
    for (size_t id = 1; id < has_code.size(); ++id) {
      const StackTable::Node& node = profile_.stacks.Get(static_cast<StackId>(id));
      has_code[id] = has_code[node.parent] || is_code_[node.frame];
      from_jvm[id] = node.parent == 0 ? IsRunOfJavaThread(node.frame) : from_jvm[node.parent];
    }
    is_pool_.resize(profile_.threads.size());
    std::vector<bool> is_of_jvm(profile_.threads.size());
    for (const Sample& sample : profile_.samples) {
      if (has_code[sample.stack]) is_pool_[sample.thread] = true;
      if (from_jvm[sample.stack]) is_of_jvm[sample.thread] = true;
    }
    for (size_t row = 0; row < is_pool_.size(); ++row) {
      if (is_of_jvm[row]) is_pool_[row] = false;
      if (IsEngineThread(profile_.threads[row].name)) is_pool_[row] = true;
    }
    for (const Sample& sample : profile_.samples) {
      if (sample.category != Category::kNone) is_pool_[sample.thread] = false;
    }
    is_pool_[0] = false;  // row of unknown threads
  }

  // Matches java.lang.Thread.run and java.util.concurrent.ForkJoinWorkerThread.run.
  bool IsRunOfJavaThread(FrameId frame) const {
    return profile_.strings.Get(profile_.frames.Get(frame).name).ends_with("Thread.run");
  }

  void FindWaiters() {
    std::vector<bool> in_native(profile_.stacks.Size());
    std::vector<StackId> waits(profile_.stacks.Size());  // by stack: its part down to the waiting frame; 0 = none
    for (size_t id = 1; id < waits.size(); ++id) {
      const StackTable::Node& node = profile_.stacks.Get(static_cast<StackId>(id));
      const FrameKind kind = profile_.frames.Get(node.frame).kind;
      const bool is_native = kind == FrameKind::kNative || kind == FrameKind::kKernel;
      in_native[id] = waits[node.parent] != 0 && (in_native[node.parent] || is_native);
      // If the engine calls back into the JVM, the task's thread itself computes or waits.
      const bool calls_back = in_native[node.parent] && !is_native;
      waits[id] = is_wait_[node.frame] ? static_cast<StackId>(id) : calls_back ? 0 : waits[node.parent];
    }
    const EventId wall = profile_.Row(Event::kWall);
    for (const Sample& sample : profile_.samples) {
      if (sample.event != wall || sample.task == 0 || waits[sample.stack] == 0) continue;
      if (sample.state == ThreadState::kRunning) continue;  // the thread itself computes
      std::vector<Waiter>& of_bucket = waiters_[{profile_.threads[sample.thread].executor, sample.time_ns}];
      auto waiter =
          std::find_if(of_bucket.begin(), of_bucket.end(), [&](const Waiter& one) { return one.task == sample.task; });
      if (waiter == of_bucket.end()) waiter = of_bucket.insert(of_bucket.end(), {.task = sample.task});
      waiter->wait_ns += sample.weight;
      if (sample.weight > waiter->stack_ns) {
        waiter->stack_ns = sample.weight;
        waiter->stack = waits[sample.stack];
      }
    }
  }

  void FindOperators() {
    stage_operators_.emplace(application_);
    operators_.resize(profile_.stacks.Size());
    for (size_t id = 1; id < operators_.size(); ++id) {
      const StackTable::Node& node = profile_.stacks.Get(static_cast<StackId>(id));
      const Frame& frame = profile_.frames.Get(node.frame);
      const bool is_operator = frame.kind == FrameKind::kNative && IsOperatorFrame(profile_.strings.Get(frame.name));
      operators_[id] = is_operator ? static_cast<StackId>(id) : operators_[node.parent];
    }
  }

  bool RunsAll(uint32_t task, StackId stack) {
    for (StackId id = operators_[stack]; id != 0;) {
      const StackTable::Node& node = profile_.stacks.Get(id);
      if (!stage_operators_->Runs(task, node.frame)) return false;
      id = operators_[node.parent];
    }
    return true;
  }

  // Rows of the waiting tasks to which a sample of this stack may belong; all tasks if its operators exclude every one.
  const std::vector<size_t>& CandidatesOf(const std::vector<Waiter>& waiters, StackId stack) {
    candidates_.clear();
    for (size_t i = 0; i < waiters.size(); ++i) {
      if (waiters.size() == 1 || RunsAll(waiters[i].task, stack)) candidates_.push_back(i);
    }
    if (candidates_.empty()) {
      candidates_.resize(waiters.size());
      std::iota(candidates_.begin(), candidates_.end(), size_t{0});
    }
    return candidates_;
  }

  std::vector<Waiter>* WaitersAt(int32_t executor, int64_t time_ns) {
    for (const int64_t bucket : {time_ns, time_ns - profile_.bucket_ns, time_ns + profile_.bucket_ns}) {
      const auto found = waiters_.find({executor, bucket});
      if (found != waiters_.end()) return &found->second;
    }
    return nullptr;
  }

  // Assigns whole samples to the task with the largest outstanding share. Appends rows for all tasks except the first.
  void ShareOut(size_t row) {
    const Sample sample = profile_.samples[row];
    std::vector<Waiter>* const waiters = WaitersAt(profile_.threads[sample.thread].executor, sample.time_ns);
    if (waiters == nullptr) return;
    const std::vector<size_t>& candidates = CandidatesOf(*waiters, sample.stack);
    int64_t all_ns = 0;
    for (const size_t i : candidates) all_ns += (*waiters)[i].wait_ns;
    if (all_ns <= 0) return;
    std::vector<int64_t> counts(waiters->size());
    for (int64_t left = std::max<int64_t>(sample.count, 1); left > 0;) {
      // A merged row of very many samples is distributed in a few steps.
      const int64_t step = std::max<int64_t>(1, left / kSteps);
      for (const size_t i : candidates) (*waiters)[i].owed += step * (*waiters)[i].wait_ns;
      const size_t most = *std::max_element(candidates.begin(), candidates.end(), [&](size_t a, size_t b) {
        return (*waiters)[a].owed < (*waiters)[b].owed;
      });
      (*waiters)[most].owed -= step * all_ns;
      counts[most] += step;
      left -= step;
    }
    int64_t counted = 0, given = 0;
    bool is_first = true;
    const int64_t count = std::max<int64_t>(sample.count, 1);
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      counted += counts[i];
      Sample part = sample;
      part.task = (*waiters)[i].task;
      part.category = Category::kTask;
      part.stack = Below((*waiters)[i].stack, sample.stack);
      part.count = sample.count == 0 ? 0 : counts[i];
      const auto until = static_cast<int64_t>(static_cast<double>(sample.weight) * static_cast<double>(counted) /
                                              static_cast<double>(count));
      part.weight = (counted == count ? sample.weight : until) - given;
      given += part.weight;
      if (std::exchange(is_first, false)) {
        profile_.samples[row] = part;
      } else {
        profile_.samples.push_back(part);
      }
    }
  }

  StackId Below(StackId waiting, StackId stack) {
    const auto [known, is_new] = below_.emplace(std::pair(waiting, stack), 0);
    if (!is_new) return known->second;
    if (engine_thread_ == 0) {
      engine_thread_ =
          profile_.frames.Intern({.name = profile_.strings.Intern(kEngineThreadFrame), .kind = FrameKind::kSynthetic});
    }
    StackId copy = profile_.stacks.Push(waiting, engine_thread_);
    profile_.stacks.Unwind(stack, &path_);
    for (const FrameId frame : path_) copy = profile_.stacks.Push(copy, frame);
    return known->second = copy;
  }

  static constexpr int64_t kSteps = 100;

  const Application& application_;
  Profile& profile_;
  std::vector<bool> is_wait_, is_code_;  // by frame
  bool has_code_ = false;
  std::vector<bool> is_pool_;  // by thread
  std::map<Key, std::vector<Waiter>> waiters_;
  std::vector<StackId> operators_;  // by stack: its part down to the innermost operator; 0 = none
  std::optional<StageOperators> stage_operators_;
  std::vector<size_t> candidates_;
  std::map<std::pair<uint32_t, StackId>, std::deque<Sample>> held_;  // native memory, by pool thread and stack
  std::map<std::pair<StackId, StackId>, StackId> below_;
  std::vector<FrameId> path_;
  FrameId engine_thread_ = 0;
};

}  // namespace

void JoinPoolSamples(Application* application) { PoolJoin(application).Run(); }

}  // namespace sparkprof

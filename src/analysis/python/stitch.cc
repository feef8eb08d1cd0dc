// SPDX-License-Identifier: Apache-2.0
#include "analysis/python/stitch.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/python/driver_lines.h"
#include "analysis/python/held_lines.h"
#include "analysis/selection/stack_kinds.h"
#include "base/share.h"
#include "base/text/contains.h"
#include "join/python_phase.h"

namespace sparkprof {
namespace {

constexpr std::string_view kLanguageNames[] = {"merged", "jvm", "python"};

// Appends Python stacks to others, in the profile's tables.
class Grafter {
 public:
  Grafter(Profile* profile, bool fold)
      : profile_(profile),
        fold_(fold),
        phases_(&profile->strings, &profile->frames, &profile->stacks),
        driver_(Synthetic("[python driver]")),
        worker_(Synthetic("[python worker]")),
        not_sampled_(Synthetic("[python: not sampled]")),
        runtime_(Synthetic("[pyspark runtime]")),
        deserialization_(Synthetic("[deserialization]")),
        serialization_(Synthetic("[serialization]")),
        waiting_(Synthetic("[waiting for the JVM]")) {}

  // Appends the frames of `python` to `prefix`. `sleeps`: the thread was not running.
  StackId Graft(StackId prefix, StackId python, bool sleeps) {
    const auto [place, is_new] = grafted_.try_emplace({prefix, python, sleeps}, 0);
    if (!is_new) return place->second;
    SetPath(python);
    StackId stack = prefix;
    FrameId marker = 0;  // parent of PySpark's frames
    for (size_t i = path_.size(); i-- > 0;) {
      const FrameId frame_id = profile_->stacks.Get(path_[i]).frame;
      const Frame& frame = profile_->frames.Get(frame_id);
      const bool is_pyspark = frame.kind == FrameKind::kPython && IsPysparkFile(profile_->strings.Get(frame.file));
      if (is_pyspark) {
        const FrameId wanted = MarkerOf(path_[i], i == 0 && sleeps);
        // One frame is sufficient for a reader that waits at its leaf.
        if (wanted == waiting_ && profile_->stacks.Get(stack).frame == deserialization_) {
          stack = profile_->stacks.Get(stack).parent;
        }
        if (wanted != marker) stack = profile_->stacks.Push(stack, marker = wanted);
      } else {
        marker = 0;
      }
      if (!is_pyspark || !fold_) stack = profile_->stacks.Push(stack, frame_id);
    }
    if (marker == runtime_ && phases_.Of(python) == PythonPhase::kOutputLoop) {
      stack = profile_->stacks.Push(stack, serialization_);
    }
    return place->second = stack;
  }

  // Appends the frames of the driver's program to `prefix`.
  StackId GraftDriver(StackId prefix, StackId python, bool sleeps) {
    const auto [place, is_new] = grafted_.try_emplace({prefix, python, sleeps}, 0);
    if (!is_new) return place->second;
    SetPath(python);
    StackId stack = prefix;
    bool waits = false;
    for (size_t i = path_.size(); i-- > 0;) {
      const FrameId frame_id = profile_->stacks.Get(path_[i]).frame;
      if (sleeps && !waits && IsJvmChannel(frame_id)) {
        waits = true;
        stack = profile_->stacks.Push(stack, waiting_);
      }
      if (!waits || !fold_) stack = profile_->stacks.Push(stack, frame_id);
    }
    return place->second = stack;
  }

  StackId Driver() { return profile_->stacks.Push(0, driver_); }
  StackId Worker(StackId prefix) { return profile_->stacks.Push(prefix, worker_); }
  StackId NotSampled(StackId stack) { return profile_->stacks.Push(stack, not_sampled_); }

 private:
  FrameId Synthetic(std::string_view name) {
    return profile_->frames.Intern({profile_->strings.Intern(name), 0, 0, FrameKind::kSynthetic});
  }

  // Sets path_ to `stack` and its ancestors.
  void SetPath(StackId stack) {
    path_.clear();
    for (StackId id = stack; id != 0; id = profile_->stacks.Get(id).parent) path_.push_back(id);
  }

  FrameId MarkerOf(StackId pyspark, bool waits) {
    const PythonPhase phase = phases_.Of(pyspark);
    if (phase == PythonPhase::kDeserialization) return waits ? waiting_ : deserialization_;
    return phase == PythonPhase::kSerialization ? serialization_ : runtime_;
  }

  // Py4J, and PySpark's readers of other data from the JVM.
  bool IsJvmChannel(FrameId id) const {
    const Frame& frame = profile_->frames.Get(id);
    const std::string_view file = profile_->strings.Get(frame.file);
    return frame.kind == FrameKind::kPython &&
           (Contains(file, "/py4j/") || (IsPysparkFile(file) && file.ends_with("/serializers.py")));
  }

  Profile* profile_;
  const bool fold_;
  PythonPhases phases_;
  const FrameId driver_, worker_, not_sampled_, runtime_, deserialization_, serialization_, waiting_;
  std::map<std::tuple<StackId, StackId, bool>, StackId> grafted_;
  std::vector<StackId> path_;
};

// Finds the Spark frame that waits for Python: the innermost frame of a runner, except for its input stream.
class RunnerFrames {
 public:
  explicit RunnerFrames(const Profile& profile) : profile_(profile), known_(1, 0) {}

  // The part of `stack` that ends there; 0 = no runner in it.
  StackId PrefixOf(StackId stack) {
    while (known_.size() <= stack) {
      const auto id = static_cast<StackId>(known_.size());
      const StackTable::Node& node = profile_.stacks.Get(id);
      known_.push_back(IsRunner(profile_.frames.Get(node.frame)) ? id : known_[node.parent]);
    }
    return known_[stack];
  }

 private:
  bool IsRunner(const Frame& frame) const {
    if (frame.kind == FrameKind::kPython) return false;
    const std::string_view name = profile_.strings.Get(frame.name);
    return (name.starts_with("org.apache.spark.api.python.") ||
            name.starts_with("org.apache.spark.sql.execution.python.")) &&
           !Contains(name, "$ReaderInputStream.");
  }

  const Profile& profile_;
  std::vector<StackId> known_;  // by StackId; a parent's ID is smaller than its children's
};

// Splits a weight exactly into parts of given sizes.
class Shares {
 public:
  Shares(int64_t whole, int64_t parts) : whole_(whole), parts_(parts) {}

  int64_t Take(int64_t part) {
    __extension__ using Wide = __int128;
    seen_ += part;
    const auto until = static_cast<int64_t>(static_cast<Wide>(whole_) * seen_ / parts_);
    return until - std::exchange(given_, until);
  }

 private:
  const int64_t whole_;
  const int64_t parts_;
  int64_t seen_ = 0;
  int64_t given_ = 0;
};

class Stitcher {
 public:
  Stitcher(Application* application, bool fold)
      : application_(application),
        kinds_(KindsOfStacks(*application)),
        runners_(application->profile),
        wall_(application->profile.Row(Event::kWall)),
        allocations_(application->profile.Row(Event::kPythonAlloc)),
        releases_(application->profile.Row(Event::kPythonFree)),
        drivers_(*application),
        grafter_(&application->profile, fold) {}

  void Stitch() {
    const auto waits = [this](const Sample& sample) { return WaitsForPython(sample); };
    const std::vector<Sample>& jvm = application_->profile.samples;
    if (application_->python_samples.empty() && std::ranges::none_of(jvm, waits)) return;
    NotePrefixes();
    NotePython();
    for (const Sample& sample : application_->profile.samples) AddJvm(sample);
    for (const auto& [key, waiting] : waiting_) AddWaiting(waiting);
    for (const Sample& sample : application_->python_samples) AddPython(sample);
    application_->profile.samples = samples_.Take();
  }

 private:
  using TaskBucket = std::pair<uint32_t, int64_t>;  // task row and bucket start

  using StageAttempt = std::pair<int64_t, int64_t>;

  // Activity in a bucket of the Python threads that work for a task.
  struct PythonWall {
    std::vector<const Sample*> running, sleeping;
    int64_t running_ns = 0, sleeping_ns = 0;
  };

  bool WaitsForPython(const Sample& sample) const {
    return sample.event == wall_ && sample.task != 0 && kinds_[sample.stack] == StackKind::kPythonWait;
  }

  // -1 = unknown.
  StageAttempt StageOf(uint32_t task) const {
    const ProfileTask& known = application_->profile.tasks[task];
    return {known.stage, known.stage_attempt};
  }

  void NotePrefixes() {
    std::map<TaskBucket, std::map<StackId, int64_t>> of_bucket;
    std::map<uint32_t, std::map<StackId, int64_t>> of_task;
    std::map<StageAttempt, std::map<StackId, int64_t>> of_stage;
    for (const Sample& sample : application_->profile.samples) {
      if (sample.task == 0) continue;
      if (sample.event == wall_) has_wall_.insert(sample.task);
      const StackId prefix = runners_.PrefixOf(sample.stack);
      if (prefix == 0) continue;
      // Prefers the position where the runner waits; other positions count only if that is unknown.
      const int64_t weight = WaitsForPython(sample) ? sample.weight * 1000 : 1;
      of_bucket[{sample.task, sample.time_ns}][prefix] += weight;
      of_task[sample.task][prefix] += weight;
      of_stage[StageOf(sample.task)][prefix] += weight;
    }
    const auto heaviest = [](const auto& from, auto* to) {
      for (const auto& [key, weights] : from) {
        (*to)[key] = LargestEntry(weights)->first;
      }
    };
    heaviest(of_bucket, &prefix_of_bucket_);
    heaviest(of_task, &prefix_of_task_);
    heaviest(of_stage, &prefix_of_stage_);
  }

  StackId PrefixFor(uint32_t task, int64_t bucket_ns) const {
    if (const auto found = prefix_of_bucket_.find({task, bucket_ns}); found != prefix_of_bucket_.end()) {
      return found->second;
    }
    if (const auto found = prefix_of_task_.find(task); found != prefix_of_task_.end()) return found->second;
    const StageAttempt stage = StageOf(task);
    const auto found = stage.first < 0 ? prefix_of_stage_.end() : prefix_of_stage_.find(stage);
    return found == prefix_of_stage_.end() ? 0 : found->second;
  }

  // A worker's first thread serves the task; other threads count only for CPU time.
  bool IsMain(const Sample& sample) const {
    const ProfileThread& thread = application_->profile.threads[sample.thread];
    return thread.tid == thread.process;
  }

  void NotePython() {
    for (const Sample& sample : application_->python_samples) {
      if (sample.event != wall_ || sample.task == 0 || !IsMain(sample)) continue;
      PythonWall& wall = python_[{sample.task, sample.time_ns}];
      const bool runs = sample.state == ThreadState::kRunning;
      (runs ? wall.running : wall.sleeping).push_back(&sample);
      (runs ? wall.running_ns : wall.sleeping_ns) += sample.weight;
    }
  }

  void AddJvm(const Sample& sample) {
    if (!WaitsForPython(sample)) return samples_.Add(sample);
    const auto python = python_.find({sample.task, sample.time_ns});
    const StackId prefix = runners_.PrefixOf(sample.stack);
    if (sample.python == PythonState::kUnknown || python == python_.end() || prefix == 0) {
      Sample alone = sample;
      alone.stack = grafter_.NotSampled(sample.stack);
      return samples_.Add(alone);
    }
    // Merges rows that differ only in the depth of reading.
    Sample common = sample;
    common.stack = prefix;
    const auto key = std::tuple(common.task, common.time_ns, common.thread, prefix, common.python, common.category);
    const auto [place, is_new] = waiting_.try_emplace(key, common);
    if (is_new) return;
    place->second.weight += common.weight;
    place->second.count += common.count;
  }

  void AddWaiting(const Sample& waiting) {
    const PythonWall& wall = python_.at({waiting.task, waiting.time_ns});
    bool running = waiting.python == PythonState::kRunning;
    if ((running ? wall.running_ns : wall.sleeping_ns) == 0) running = !running;
    const int64_t whole_ns = running ? wall.running_ns : wall.sleeping_ns;
    Sample part = waiting;
    const StackId base = grafter_.Worker(waiting.stack);
    if (whole_ns == 0) {
      part.stack = base;
      return samples_.Add(part);
    }
    Shares weights(waiting.weight, whole_ns);
    Shares counts(waiting.count, whole_ns);
    for (const Sample* python : running ? wall.running : wall.sleeping) {
      part.weight = weights.Take(python->weight);
      part.count = counts.Take(python->weight);
      if (part.weight == 0 && part.count == 0) continue;
      part.stack = grafter_.Graft(base, python->stack, !running);
      samples_.Add(part);
    }
  }

  void AddPython(const Sample& sample) {
    const bool of_task = sample.task != 0;
    if (of_task && sample.event == wall_ && has_wall_.contains(sample.task)) return;
    Sample grafted = sample;
    if (!of_task && drivers_.Has(sample)) {
      grafted.stack = grafter_.GraftDriver(grafter_.Driver(), sample.stack, sample.state == ThreadState::kSleeping);
      return samples_.Add(grafted);
    }
    // A release has the stack of its allocation, which is in another bucket.
    const bool is_memory = sample.event == allocations_ || sample.event == releases_;
    const int64_t time_ns = is_memory ? kNoTime : sample.time_ns;
    const StackId base = of_task ? grafter_.Worker(PrefixFor(sample.task, time_ns)) : 0;
    grafted.stack = grafter_.Graft(base, sample.stack, sample.state == ThreadState::kSleeping);
    samples_.Add(grafted);
  }

  Application* application_;
  const std::vector<StackKind> kinds_;
  RunnerFrames runners_;
  const EventId wall_, allocations_, releases_;
  const DriverPrograms drivers_;
  Grafter grafter_;
  std::map<TaskBucket, StackId> prefix_of_bucket_;
  std::map<uint32_t, StackId> prefix_of_task_;
  std::map<StageAttempt, StackId> prefix_of_stage_;
  std::unordered_set<uint32_t> has_wall_;  // tasks with wall samples of the JVM
  std::map<TaskBucket, PythonWall> python_;
  std::map<std::tuple<uint32_t, int64_t, uint32_t, StackId, PythonState, Category>, Sample> waiting_;
  SampleTable<Sample> samples_;
};

}  // namespace

std::string_view LanguageName(Language language) { return kLanguageNames[static_cast<size_t>(language)]; }

std::optional<Language> ParseLanguage(std::string_view name) {
  for (const Language language : {Language::kMerged, Language::kJvm, Language::kPython}) {
    if (LanguageName(language) == name) return language;
  }
  return std::nullopt;
}

void ChooseLanguage(Application* application, Language language, bool fold) {
  if (language == Language::kJvm) return;
  if (language == Language::kMerged) {
    Stitcher(application, fold).Stitch();
  } else {
    Grafter grafter(&application->profile, fold);
    const DriverPrograms drivers(*application);
    SampleTable<Sample> samples;
    for (Sample sample : application->python_samples) {
      const bool sleeps = sample.state == ThreadState::kSleeping;
      sample.stack = drivers.Has(sample) ? grafter.GraftDriver(grafter.Driver(), sample.stack, sleeps)
                                         : grafter.Graft(0, sample.stack, sleeps);
      samples.Add(sample);
    }
    application->profile.samples = samples.Take();
  }
  SetPythonHeld(&application->profile);
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "capture/python/process_sampler.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "base/hash_index.h"
#include "base/text/text.h"
#include "base/time.h"
#include "cpython/thread_id.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxThreads = 256;
constexpr size_t kMaxKnownFrames = 50'000;
// Less CPU time than this between two samples is only a wakeup.
constexpr int64_t kSomeCpuNs = 50'000;

}  // namespace

size_t ProcessSampler::RawFrameHash::operator()(const RawFrame& frame) const {
  return MixHash(frame.code ^ MixHash(frame.name ^ static_cast<uint64_t>(frame.instruction) << 48) ^ frame.filename);
}

ProcessSampler::ProcessSampler(PythonProcess python, StringTable* strings, FrameTable* frames, StackTable* stacks)
    : python_(std::move(python)),
      strings_(strings),
      frames_(frames),
      stacks_(stacks),
      memory_(static_cast<pid_t>(python_.pid)),
      walker_(python_.layout, python_.runtime, python_.code_type, &memory_),
      has_clock_(clock_getcpuclockid(static_cast<pid_t>(python_.pid), &clock_) == 0) {}

void ProcessSampler::UseTables(StringTable* strings, FrameTable* frames, StackTable* stacks) {
  strings_ = strings;
  frames_ = frames;
  stacks_ = stacks;
  ForgetFrames();
  still_ns_ = -1;
}

void ProcessSampler::ForgetFrames() {
  known_.clear();
  last_.clear();
}

bool ProcessSampler::Sample(std::vector<PythonStack>* threads) {
  stands_still_ = LooksStill();
  if (!stands_still_) {
    threads_.clear();
    memory_.BeginSample();
    ReadThreads();
    if (threads_.empty() && access(("/proc/" + std::to_string(python_.pid) + "/task").c_str(), F_OK) != 0) return false;
  }
  ShareCpu(clock_ns_);
  *threads = threads_;
  return true;
}

// Whether the stacks are unchanged. The clock of a running process advances only with the kernel's ticks, but it always
// advances when a thread goes to sleep. If it has not changed since before the stacks were read, and no thread is
// running, none has run since.
bool ProcessSampler::LooksStill() {
  clock_ns_ = CpuNs();
  if (still_ns_ < 0 || still_ns_ != clock_ns_) {
    still_ns_ = clock_ns_;
    runs_ = false;
    return false;
  }
  // A thread that was running at this clock value is still running.
  for (const PythonStack& thread : threads_) runs_ = runs_ || thread.tid == 0 || ActivityOf(thread.tid).may_run;
  return !runs_;
}

void ProcessSampler::ReadThreads() {
  uint64_t states[kMaxThreads];
  const size_t count = walker_.ListThreads(states, kMaxThreads);
  if (count == 0) still_ns_ = -1;
  const uint64_t gil_holder = walker_.GilHolder();
  if (const uint64_t generation = walker_.CodeGeneration(); generation != code_generation_) {
    ForgetFrames();
    memory_.ForgetStable();
    code_generation_ = generation;
  }
  if (known_.size() > kMaxKnownFrames) ForgetFrames();
  for (size_t i = 0; i < count; ++i) {
    const WalkResult result = walker_.Walk(states[i], &raw_);
    if (result == WalkResult::kTorn || result == WalkResult::kUnreadable) {
      ++(result == WalkResult::kTorn ? torn_ : unreadable_);
      still_ns_ = -1;
      continue;
    }
    PythonStack thread;
    thread.tid = ThreadIdOf(raw_);
    thread.holds_gil = gil_holder == states[i];
    thread.truncated = raw_.truncated;
    if (!StackOf(raw_, &thread.stack)) {
      ++torn_;
      still_ns_ = -1;
      continue;
    }
    threads_.push_back(thread);
  }
}

// Most outer frames match the previous stack, and are reused.
bool ProcessSampler::StackOf(const RawStack& raw, StackId* stack) {
  size_t same = 0;
  while (same < std::min(raw.depth, last_.size()) && last_[same].frame == raw.frames[raw.depth - 1 - same]) ++same;
  last_.resize(same);
  *stack = same == 0 ? 0 : last_.back().stack;
  for (size_t depth = raw.depth - same; depth > 0; --depth) {
    const RawFrame& top = raw.frames[depth - 1];
    const FrameId frame = FrameOf(top);
    if (frame == 0) return false;
    *stack = stacks_->Push(*stack, frame);
    last_.push_back({top, *stack});
  }
  return true;
}

FrameId ProcessSampler::FrameOf(const RawFrame& raw) {
  const auto found = known_.find(raw);
  if (found != known_.end()) return found->second;
  FrameReader::Text text;
  if (!reader_.Read(walker_.layout(), &memory_, raw, &text)) return 0;
  const FrameId frame = frames_->Intern({strings_->Intern(text.function), strings_->Intern(text.file),
                                         static_cast<uint32_t>(text.line), FrameKind::kPython});
  known_.emplace(raw, frame);
  return frame;
}

int64_t ProcessSampler::ThreadIdOf(const RawStack& stack) {
  if (stack.native_id != 0) return stack.native_id;
  const auto found = thread_ids_.find(stack.thread_id);
  if (found != thread_ids_.end()) return found->second;
  int32_t tid = 0;
  const uint32_t offset = ThreadIdOffset();
  if (offset == 0 || !memory_.ReadOnce(stack.thread_id + offset, &tid, sizeof tid)) tid = 0;
  const std::string folder = "/proc/" + std::to_string(python_.pid) + "/task/" + std::to_string(tid);
  if (tid != 0 && access(folder.c_str(), F_OK) != 0) tid = 0;
  if (thread_ids_.size() > kMaxThreads) thread_ids_.clear();
  return thread_ids_[stack.thread_id] = tid;
}

// /proc/PID/task/TID/schedstat (proc(5): time on a CPU and time waiting for one in ns, number of time slices) costs a
// quarter of reading the thread's state. If it is unchanged since the thread slept, the thread still sleeps.
ProcessSampler::Activity ProcessSampler::ActivityOf(int64_t tid) {
  ThreadFiles& files = FilesOf(tid);
  char buffer[64];
  const ssize_t got = pread(files.schedstat.Get(), buffer, sizeof buffer, 0);
  const std::string_view now(buffer, got > 0 ? static_cast<size_t>(got) : 0);
  Activity activity;
  // Kernels without accounting report 0.
  const bool is_counted = !now.empty() && !now.ends_with(" 0\n");
  if (is_counted) activity.cpu_ns = ParseInteger(now.substr(0, now.find(' '))).value_or(-1);
  activity.may_run = files.asleep_at.empty() || files.asleep_at != now ? Runs(tid) : false;
  files.asleep_at = is_counted && !activity.may_run ? now : std::string_view();
  return activity;
}

bool ProcessSampler::Runs(int64_t tid) {
  ThreadFiles& files = FilesOf(tid);
  char buffer[512];
  const ssize_t got = pread(files.stat.Get(), buffer, sizeof buffer, 0);
  if (got <= 0) {
    // The thread has ended; its ID may be reused.
    files = ThreadFiles();
    return true;
  }
  const std::string_view text(buffer, static_cast<size_t>(got));
  const size_t name_end = text.rfind(") ");
  return name_end != std::string_view::npos && name_end + 2 < text.size() && text[name_end + 2] == 'R';
}

ProcessSampler::ThreadFiles& ProcessSampler::FilesOf(int64_t tid) {
  ThreadFiles& files = files_[tid];
  if (!files.stat.IsOpen()) {
    const std::string folder = "/proc/" + std::to_string(python_.pid) + "/task/" + std::to_string(tid);
    files.stat = FileDescriptor(open((folder + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
    files.schedstat = FileDescriptor(open((folder + "/schedstat").c_str(), O_RDONLY | O_CLOEXEC));
  }
  return files;
}

int64_t ProcessSampler::CpuNs() const {
  timespec used{};
  return has_clock_ && clock_gettime(clock_, &used) == 0 ? used.tv_sec * kNanosPerSecond + used.tv_nsec : -1;
}

void ProcessSampler::ShareCpu(int64_t cpu_ns) {
  if (cpu_ns < 0) return;
  const int64_t spent_ns = cpu_ns_ < 0 ? 0 : std::max<int64_t>(0, cpu_ns - cpu_ns_);
  const bool is_first = cpu_ns_ < 0;
  cpu_ns_ = cpu_ns;
  if (threads_.size() == 1 && !is_first) {
    threads_.front().cpu_ns = spent_ns;
    threads_.front().on_cpu = runs_ || spent_ns >= kSomeCpuNs;
    return;
  }
  for (PythonStack& thread : threads_) {
    thread.on_cpu = false;
    thread.cpu_ns = 0;
  }
  if (!stands_still_) ShareAmongThreads(spent_ns);
}

void ProcessSampler::ShareAmongThreads(int64_t spent_ns) {
  if (files_.size() > 2 * kMaxThreads) files_.clear();
  int64_t rest_ns = spent_ns;
  int64_t running = 0;
  for (PythonStack& thread : threads_) {
    if (thread.tid == 0) continue;
    const Activity activity = ActivityOf(thread.tid);
    int64_t& told_ns = FilesOf(thread.tid).cpu_ns;
    // The process's clock was read slightly earlier: the difference goes to the next sample.
    if (told_ns >= 0) thread.cpu_ns = std::clamp<int64_t>(activity.cpu_ns - told_ns, 0, rest_ns);
    told_ns = told_ns < 0 || activity.cpu_ns < 0 ? activity.cpu_ns : told_ns + thread.cpu_ns;
    thread.on_cpu = activity.may_run || thread.cpu_ns >= kSomeCpuNs;
    rest_ns -= thread.cpu_ns;
    running += thread.on_cpu ? 1 : 0;
  }
  for (PythonStack& thread : threads_) {
    const bool takes = running > 0 ? thread.on_cpu : thread.holds_gil;
    if (takes) thread.cpu_ns += rest_ns / std::max<int64_t>(1, running);
  }
}

}  // namespace sparkprof

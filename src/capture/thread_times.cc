// SPDX-License-Identifier: Apache-2.0
#include "capture/thread_times.h"

#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxNames = 256;   // further names are summed together
constexpr size_t kKernelName = 15;  // bytes
constexpr const char* kRest = "others";

void AddTo(std::map<std::string, int64_t>* sums, const std::string& name, int64_t used_ns) {
  const bool is_known = sums->size() < kMaxNames || sums->contains(name);
  (*sums)[is_known ? name : kRest] += used_ns;
}

}  // namespace

ThreadTimes::ThreadTimes(int64_t pid) : folder_("/proc/" + std::to_string(pid) + "/task") {
  Read();
  ended_.clear();
  for (auto& [id, thread] : threads_) thread.used_ns = 0;
}

void ThreadTimes::SetName(int64_t thread, std::string_view name) {
  const auto known = threads_.find(thread);
  if (known == threads_.end() || name.empty()) return;
  known->second.name = MaskNumbers(name.substr(0, kKernelName));
  known->second.is_named = true;
}

std::map<std::string, int64_t> ThreadTimes::Read() {
  ++reading_;
  folder_.ListProcessIds(&ids_);
  for (const int64_t id : ids_) {
    char buffer[128];
    const std::string_view text = ReadAgain(folder_.Open(id, "schedstat"), buffer, sizeof buffer);
    const auto cpu_ns = ParseInteger(text.substr(0, text.find(' ')));
    if (!cpu_ns) continue;
    Thread& thread = threads_[id];
    if (*cpu_ns < thread.read_ns) {  // the ID was reused by another thread
      AddTo(&ended_, thread.name, thread.used_ns);
      thread = {};
    }
    thread.reading = reading_;
    if (*cpu_ns == thread.read_ns) continue;
    // Pools rename a thread for each task.
    if (!thread.is_named) thread.name = MaskNumbers(Trim(ReadAgain(folder_.Open(id, "comm"), buffer, sizeof buffer)));
    thread.used_ns += *cpu_ns - thread.read_ns;
    thread.read_ns = *cpu_ns;
  }
  std::map<std::string, int64_t> sums = ended_;
  for (auto thread = threads_.begin(); thread != threads_.end();) {
    const Thread& read = thread->second;
    if (read.used_ns > 0) AddTo(&sums, read.name, read.used_ns);
    if (read.reading == reading_) {
      ++thread;
      continue;
    }
    if (read.used_ns > 0) AddTo(&ended_, read.name, read.used_ns);
    thread = threads_.erase(thread);
  }
  return sums;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "capture/thread_times.h"

#include "base/masked_numbers.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxNames = 256;  // the rest have one sum

}  // namespace

ThreadTimes::ThreadTimes(int64_t pid) : folder_("/proc/" + std::to_string(pid) + "/task") {
  Read();
  sums_.clear();
}

const std::map<std::string, int64_t>& ThreadTimes::Read() {
  ++reading_;
  folder_.ListProcessIds(&ids_);
  for (const int64_t id : ids_) {
    char buffer[128];
    const std::string_view text = ReadAgain(folder_.Open(id, "schedstat"), buffer, sizeof buffer);
    const auto cpu_ns = ParseInteger(text.substr(0, text.find(' ')));
    if (!cpu_ns) continue;
    Thread& thread = threads_[id];
    thread.reading = reading_;
    if (*cpu_ns < thread.cpu_ns) thread.cpu_ns = 0;  // another thread with the ID of one that ended
    if (*cpu_ns == thread.cpu_ns) continue;
    // A thread of a pool is renamed for each task.
    const std::string name = MaskNumbers(Trim(ReadAgain(folder_.Open(id, "comm"), buffer, sizeof buffer)));
    if (name.empty()) continue;
    const bool is_known = sums_.size() < kMaxNames || sums_.contains(name);
    sums_[is_known ? name : "others"] += *cpu_ns - thread.cpu_ns;
    thread.cpu_ns = *cpu_ns;
  }
  std::erase_if(threads_, [&](const auto& thread) { return thread.second.reading != reading_; });
  return sums_;
}

}  // namespace sparkprof

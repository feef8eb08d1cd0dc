// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "analysis/selection/threads.h"

namespace sparkprof {
namespace {

struct NamedKind {
  std::string_view part;  // part of the thread's name
  ThreadKind kind;
};

// HotSpot's thread names, JDK 8 to 25; the first match counts.
constexpr NamedKind kNames[] = {
    {"Executor task launch worker", ThreadKind::kTask},
    {"CompilerThre", ThreadKind::kJit},  // "C2 CompilerThread0", truncated to 15 characters by the kernel
    {"GC Thread", ThreadKind::kGc},
    {"GC task thread", ThreadKind::kGc},
    {"ParGC", ThreadKind::kGc},
    {"Gang worker", ThreadKind::kGc},
    {"G1 ", ThreadKind::kGc},
    {"G# ", ThreadKind::kGc},  // the same with masked numbers
    {"Concurrent Mark", ThreadKind::kGc},
    {"Shenandoah", ThreadKind::kGc},
    {"ZWorker", ThreadKind::kGc},
    {"ZDirector", ThreadKind::kGc},
    {"ZDriver", ThreadKind::kGc},
    {"XWorker", ThreadKind::kGc},
    {"Reference Handl", ThreadKind::kVm},
    {"VM Thread", ThreadKind::kVm},
    {"VM Periodic", ThreadKind::kVm},
    {"Finalizer", ThreadKind::kVm},
    {"Signal Dispatch", ThreadKind::kVm},
    {"Service Thread", ThreadKind::kVm},
    {"Monitor Deflati", ThreadKind::kVm},
    {"Common-Cleaner", ThreadKind::kVm},
    {"Notification Th", ThreadKind::kVm},
    {"Sweeper thread", ThreadKind::kVm},
    {"Attach Listener", ThreadKind::kVm},
};

}  // namespace

std::string_view ThreadKindName(ThreadKind kind) {
  constexpr std::string_view kKindNames[] = {"other", "task", "gc", "jit", "vm"};
  return kKindNames[static_cast<size_t>(kind)];
}

bool MatchesThreadName(std::string_view name, std::string_view part) {
  constexpr size_t kKernelName = 15;
  return name.find(part) != std::string_view::npos || (name.size() == kKernelName && part.starts_with(name));
}

ThreadKind KindOfThreadName(std::string_view name) {
  const auto* const named = std::find_if(std::begin(kNames), std::end(kNames),
                                         [&](const NamedKind& known) { return MatchesThreadName(name, known.part); });
  return named == std::end(kNames) ? ThreadKind::kOther : named->kind;
}

std::vector<ThreadKind> KindsOfThreads(const Application& application) {
  std::vector<ThreadKind> kinds;
  kinds.reserve(application.profile.threads.size());
  for (const ProfileThread& thread : application.profile.threads) kinds.push_back(KindOfThreadName(thread.name));
  for (const Sample& sample : application.profile.samples) {
    if (sample.category != Category::kNone) kinds[sample.thread] = ThreadKind::kTask;
  }
  return kinds;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "base/background_task.h"

#include <fmt/format.h>
#include <pthread.h>

#include "base/time.h"

namespace sparkprof {
namespace {

// Short enough for a string without heap memory.
constexpr const char* kNoMemory = "out of memory";
constexpr const char* kUnknown = "unknown error";

}  // namespace

Error CurrentException() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return Error{kNoMemory};
  } catch (const std::exception& exception) {
    try {
      return Error{exception.what()};
    } catch (...) {
      return Error{kNoMemory};
    }
  } catch (...) {
    return Error{kUnknown};
  }
}

BackgroundTask::BackgroundTask(std::string name) { state_.name = std::move(name); }

void BackgroundTask::NameThread() const noexcept {
  constexpr size_t kMax = 15;
  char name[kMax + 1] = {};
  state_.name.copy(name, kMax);
  pthread_setname_np(pthread_self(), name);
}

void BackgroundTask::SetFailed(Error error) noexcept {
  const std::lock_guard lock(mutex_);
  ++state_.failures;
  if (state_.problem.empty()) state_.since_ns = EpochNanos();
  state_.problem.swap(error.message);
  try {
    state_.last_error = state_.problem;
  } catch (const std::bad_alloc&) {
    state_.last_error = kNoMemory;
  }
}

void BackgroundTask::SetSucceeded() noexcept {
  const std::lock_guard lock(mutex_);
  state_.problem.clear();
  state_.since_ns = 0;
}

BackgroundTask::State BackgroundTask::Get() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::string ProblemText(const BackgroundTask::State& state) {
  if (state.problem.empty()) return "";
  return fmt::format("{}: failed since {}: {} (failures so far: {})", state.name, FormatTimestamp(state.since_ns),
                     state.problem, state.failures);
}

}  // namespace sparkprof

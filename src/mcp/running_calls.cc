// SPDX-License-Identifier: Apache-2.0
#include "mcp/running_calls.h"

#include <algorithm>

namespace sparkprof {
namespace {

constexpr size_t kMaxEarly = 64;

}  // namespace

bool RunningCalls::TakeEarly(const CallId& call) {
  const auto found = std::find(early_.begin(), early_.end(), call);
  if (found == early_.end()) return false;
  early_.erase(found);
  return true;
}

std::optional<std::string> RunningCalls::Run(const CallId& call, const std::function<std::string()>& answer) {
  Cancellation work;
  std::multimap<CallId, Running>::iterator place;
  {
    const std::lock_guard lock(mutex_);
    if (TakeEarly(call)) return std::nullopt;
    place = running_.emplace(call, Running{.work = &work});
  }
  // Must not allocate: a canceled thread gets no memory.
  const auto leave = [&] {
    const std::lock_guard lock(mutex_);
    const bool is_cancelled = place->second.is_cancelled;
    running_.erase(place);
    return is_cancelled;
  };
  std::optional<std::string> response;
  try {
    response = answer();
  } catch (const Cancellation::Canceled&) {
  } catch (...) {
    leave();
    throw;
  }
  if (leave()) return std::nullopt;
  return response;
}

void RunningCalls::Cancel(const CallId& call) {
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = running_.equal_range(call);
  for (auto one = begin; one != end; ++one) {
    one->second.is_cancelled = true;
    one->second.work->Cancel();
  }
  if (begin != end || call.session.empty()) return;
  early_.push_back(call);
  if (early_.size() > kMaxEarly) early_.pop_front();
}

}  // namespace sparkprof

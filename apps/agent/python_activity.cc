// SPDX-License-Identifier: Apache-2.0
#include "python_activity.h"

#include <algorithm>
#include <iterator>

#include "base/time.h"

namespace sparkprof {
namespace {

// Threads of one worker are sampled in succession: their spans start and end within this time.
constexpr int64_t kSameTickNs = 5 * kNanosPerMilli;

}  // namespace

void PythonActivity::Add(int64_t task, int64_t pid, int64_t from_ns, int64_t to_ns, PythonState state) {
  if (task == kNoTask || state == PythonState::kUnknown || to_ns <= from_ns) return;
  Spans& spans = workers_[{task, pid}];
  if (!spans.empty()) {
    Span& last = spans.back();
    to_ns = std::max(to_ns, last.to_ns);
    if (last.state == state && from_ns <= last.to_ns + kSameTickNs) {
      last.to_ns = to_ns;
      return;
    }
    // While one thread is running, another waiting thread adds no information.
    if (last.state == PythonState::kRunning && to_ns <= last.to_ns + kSameTickNs) return;
  }
  spans.push_back({from_ns, to_ns, state});
  if (spans.size() > kMaxSpans) spans.pop_front();
}

PythonState PythonActivity::At(int64_t task, int64_t monotonic_ns) const {
  PythonState state = PythonState::kUnknown;
  for (auto worker = workers_.lower_bound({task, INT64_MIN}); worker != workers_.end() && worker->first.first == task;
       ++worker) {
    const Spans& spans = worker->second;
    const auto first = std::lower_bound(spans.begin(), spans.end(), monotonic_ns,
                                        [](const Span& span, int64_t time) { return span.to_ns < time; });
    // If two threads are sampled in one tick, the later span may contain the time.
    for (auto span = first; span != spans.end() && span->from_ns <= monotonic_ns + kSameTickNs; ++span) {
      if (span->from_ns >= monotonic_ns) continue;
      if (span->state == PythonState::kRunning) return PythonState::kRunning;
      state = PythonState::kWaiting;
    }
  }
  return state;
}

void PythonActivity::Forget(int64_t before_ns) {
  for (auto worker = workers_.begin(); worker != workers_.end();) {
    Spans& spans = worker->second;
    while (!spans.empty() && spans.front().to_ns < before_ns) spans.pop_front();
    worker = spans.empty() ? workers_.erase(worker) : std::next(worker);
  }
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "formats/trace_events/trace_calls.h"

#include <algorithm>

#include "base/saturate.h"

namespace sparkprof {
namespace {

// Ends of the same time that are compared with the innermost call.
constexpr size_t kMaxSearch = 256;

}  // namespace

void TraceCalls::SplitCalls() {
  // Of calls that begin together, the longest contains the others.
  std::stable_sort(calls_.begin(), calls_.end(), [](const WholeCall& a, const WholeCall& b) {
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.duration_ns > b.duration_ns;
  });
  for (const WholeCall& call : calls_) begins_.push_back({call.time_ns, call.callee});
  // Innermost first: the ends of those that end together.
  for (size_t i = calls_.size(); i > 0; --i) {
    int64_t end_ns = calls_[i - 1].time_ns;
    AddSaturated(calls_[i - 1].duration_ns, &end_ns);
    ends_.push_back({end_ns, calls_[i - 1].callee});
  }
  const auto by_time = [](const Mark& a, const Mark& b) { return a.time_ns < b.time_ns; };
  std::stable_sort(begins_.begin(), begins_.end(), by_time);
  std::stable_sort(ends_.begin(), ends_.end(), by_time);
}

void TraceCalls::Finish(Sample sample, ProfileBuilder* builder) {
  struct OpenCall {
    Callee callee;
    StackId stack;
  };
  SplitCalls();
  std::vector<OpenCall> open;
  int64_t now_ns = begins_.empty() ? 0 : begins_.front().time_ns;
  const auto pass_to = [&](int64_t time_ns) {
    if (!open.empty() && time_ns > now_ns) {
      sample.stack = open.back().stack;
      sample.time_ns = now_ns;
      if (__builtin_sub_overflow(time_ns, now_ns, &sample.weight)) sample.weight = INT64_MAX;
      builder->Add(sample);
    }
    now_ns = time_ns;
  };
  size_t next = 0, end = 0;
  // Moves the end of the innermost call to the front of the ends of the same time.
  const auto find_end = [&] {
    if (open.empty()) return false;
    const size_t last = std::min(ends_.size(), end + kMaxSearch);
    size_t found = last;
    for (size_t i = end; i < last && ends_[i].time_ns == ends_[end].time_ns; ++i) {
      if (found == last && ends_[i].callee.name == open.back().callee.name) found = i;
      if (ends_[i].callee.frame != open.back().callee.frame) continue;
      found = i;
      break;
    }
    if (found == last) return false;
    std::swap(ends_[end], ends_[found]);
    return true;
  };
  while (next < begins_.size() || end < ends_.size()) {
    const bool may_begin =
        next < begins_.size() && (end == ends_.size() || begins_[next].time_ns <= ends_[end].time_ns);
    const bool must_begin = may_begin && (end == ends_.size() || begins_[next].time_ns < ends_[end].time_ns);
    // At the same time, what is open ends first; an end of another call is that of one that begins now.
    const bool ends = !must_begin && find_end();
    if (ends) {
      pass_to(ends_[end++].time_ns);
      open.pop_back();
    } else if (may_begin) {
      const Mark& mark = begins_[next++];
      pass_to(mark.time_ns);
      const StackId caller = open.empty() ? 0 : open.back().stack;
      open.push_back({mark.callee, builder->profile().stacks.Push(caller, mark.callee.frame)});
    } else {
      ++end;
      ++unmatched_ends_;
    }
  }
  open_calls_ = open.size();
}

}  // namespace sparkprof

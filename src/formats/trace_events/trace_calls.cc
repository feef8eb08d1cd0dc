// SPDX-License-Identifier: Apache-2.0
#include "formats/trace_events/trace_calls.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/saturate.h"

namespace sparkprof {
namespace {

// Ends of the same time that are compared with the innermost call.
constexpr size_t kMaxSearch = 256;

template <typename Events, typename Before>
void Sort(Events* events, const Before& before) {
  if (!std::is_sorted(events->begin(), events->end(), before)) std::sort(events->begin(), events->end(), before);
}

}  // namespace

int64_t TraceCalls::Event::EndNs() const {
  int64_t end_ns = time_ns;
  AddSaturated(duration_ns, &end_ns);
  return end_ns;
}

// Makes whole calls of begins and ends, which come in order of time.
class TraceCalls::Matcher {
 public:
  Matcher(ProfileBuilder* builder, TraceCalls* calls) : profile_(builder->profile()), calls_(calls) {}

  // Begins and ends of the same time, in the input's order.
  void Add(const std::vector<Event>& begins, std::vector<Event>* ends) {
    size_t begin = 0, end = 0;
    const auto take_end = [&](size_t found) {
      // The others stay in order.
      std::rotate(ends->begin() + static_cast<ptrdiff_t>(end), ends->begin() + static_cast<ptrdiff_t>(found),
                  ends->begin() + static_cast<ptrdiff_t>(found) + 1);
      return (*ends)[end++];
    };
    while (begin < begins.size() || end < ends->size()) {
      const size_t of_innermost = EndOfInnermost(*ends, end);
      const bool may_begin = begin < begins.size();
      if (of_innermost != ends->size()) {
        Close(1, take_end(of_innermost).time_ns);
      } else if (end < ends->size() && (!may_begin || (*ends)[end].order < begins[begin].order)) {
        const Event& other = (*ends)[end++];
        const size_t open = OpenUpTo(other.frame);
        if (open == 0) ++calls_->unmatched_ends_;
        if (open > 0) Close(open, other.time_ns);
      } else {
        Open(begins[begin++]);
      }
    }
  }

  void Finish(int64_t last_ns) {
    // The outermost has no end either.
    if (!open_.empty()) ++calls_->open_calls_;
    Close(open_.size(), last_ns);
  }

 private:
  StringId NameOf(FrameId frame) const { return profile_.frames.Get(frame).name; }

  void Open(const Event& begin) {
    open_.push_back(begin);
    ++open_of_name_[NameOf(begin.frame)];
  }

  // The innermost `count` calls; only the outermost of them has an end.
  void Close(size_t count, int64_t time_ns) {
    if (count > 1) calls_->open_calls_ += count - 1;
    for (; count > 0; --count) {
      Event call = open_.back();
      open_.pop_back();
      --open_of_name_[NameOf(call.frame)];
      if (__builtin_sub_overflow(time_ns, call.time_ns, &call.duration_ns)) call.duration_ns = INT64_MAX;
      calls_->calls_.push_back(call);
    }
  }

  // The position of an end with the innermost call's name, from `begin` on; the size if there is none.
  size_t EndOfInnermost(const std::vector<Event>& ends, size_t begin) const {
    if (open_.empty()) return ends.size();
    const FrameId frame = open_.back().frame;
    const size_t last = std::min(ends.size(), begin + kMaxSearch);
    size_t found = ends.size();
    for (size_t i = begin; i < last; ++i) {
      if (ends[i].frame == frame) return i;
      if (found == ends.size() && ends[i].frame != 0 && NameOf(ends[i].frame) == NameOf(frame)) found = i;
    }
    return found;
  }

  // How many calls an end closes; 0 if it is of none.
  size_t OpenUpTo(FrameId frame) const {
    if (frame == 0) return open_.empty() ? 0 : 1;
    const auto known = open_of_name_.find(NameOf(frame));
    if (known == open_of_name_.end() || known->second == 0) return 0;
    size_t count = 1;
    while (NameOf(open_[open_.size() - count].frame) != known->first) ++count;
    return count;
  }

  const Profile& profile_;
  TraceCalls* const calls_;
  std::vector<Event> open_;
  std::unordered_map<StringId, size_t> open_of_name_;
};

void TraceCalls::MatchMarks(ProfileBuilder* builder) {
  if (marks_.empty()) return;
  Sort(&marks_,
       [](const Event& a, const Event& b) { return std::tie(a.time_ns, a.order) < std::tie(b.time_ns, b.order); });
  int64_t last_ns = marks_.back().time_ns;
  for (const Event& call : calls_) last_ns = std::max(last_ns, call.EndNs());
  Matcher matcher(builder, this);
  std::vector<Event> begins, ends;
  while (!marks_.empty()) {
    begins.clear();
    ends.clear();
    const int64_t now_ns = marks_.front().time_ns;
    for (; !marks_.empty() && marks_.front().time_ns == now_ns; marks_.pop_front()) {
      (marks_.front().duration_ns == kBegin ? begins : ends).push_back(marks_.front());
    }
    matcher.Add(begins, &ends);
  }
  matcher.Finish(last_ns);
}

void TraceCalls::Finish(Sample sample, ProfileBuilder* builder) {
  struct OpenCall {
    int64_t end_ns;
    StackId stack;
  };
  MatchMarks(builder);
  Sort(&calls_, [](const Event& a, const Event& b) {
    return std::tie(a.time_ns, b.duration_ns, a.order) < std::tie(b.time_ns, a.duration_ns, b.order);
  });
  std::vector<OpenCall> open;
  int64_t now_ns = 0;
  const auto pass_to = [&](int64_t time_ns) {
    if (!open.empty() && time_ns > now_ns) {
      sample.stack = open.back().stack;
      sample.time_ns = now_ns;
      if (__builtin_sub_overflow(time_ns, now_ns, &sample.weight)) sample.weight = INT64_MAX;
      builder->Add(sample);
    }
    if (open.empty() || time_ns > now_ns) now_ns = time_ns;
  };
  const auto close_up_to = [&](int64_t time_ns) {
    for (; !open.empty() && open.back().end_ns <= time_ns; open.pop_back()) pass_to(open.back().end_ns);
  };
  for (const Event& call : calls_) {
    close_up_to(call.time_ns);
    pass_to(call.time_ns);
    const StackId caller = open.empty() ? 0 : open.back().stack;
    open.push_back({call.EndNs(), builder->profile().stacks.Push(caller, call.frame)});
  }
  close_up_to(INT64_MAX);
}

}  // namespace sparkprof

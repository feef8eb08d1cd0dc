// SPDX-License-Identifier: Apache-2.0
#include "formats/pstats/caller_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "base/saturate.h"

namespace sparkprof {
namespace {

using Call = CallerGraph::Call;
using Cost = CallerGraph::Cost;

constexpr size_t kMaxContexts = size_t{4} << 20;
constexpr double kSmallestShare = 1e-6;  // relative to the total

// A function within one stack: shares of all its own time, of all it calls, and of its calls.
struct Context {
  StackId stack = 0;  // the caller's at first, then including the function
  double own = 0;
  double total = 0;
  double calls = 0;
};

// Numbers that add up to 1, in proportion to `of(item)` or, if those are all 0, to the next of `measures`.
template <typename Measure>
std::vector<double> Shares(std::span<const Cost> costs, std::initializer_list<Measure> measures) {
  std::vector<double> shares(costs.size());
  for (const Measure measure : measures) {
    double sum = 0;
    for (size_t i = 0; i < costs.size(); ++i) sum += shares[i] = std::max(0.0, costs[i].*measure);
    if (sum <= 0 || !std::isfinite(sum)) continue;
    for (double& share : shares) share /= sum;
    return shares;
  }
  std::fill(shares.begin(), shares.end(), 1.0 / static_cast<double>(costs.size()));
  return shares;
}

class StacksOfCallers {
 public:
  StacksOfCallers(CallerGraph graph, EventId event, ProfileBuilder* builder)
      : graph_(std::move(graph)),
        event_(event),
        builder_(builder),
        most_contexts_(
            std::clamp<size_t>(kMaxContexts / std::max<size_t>(1, graph_.functions.size()), 1, kStacksPerFunction)) {}

  void Add() {
    for (const CallerGraph::Function& function : graph_.functions) {
      fewest_seconds_ += kSmallestShare * std::max(0.0, function.cost.own_seconds);
    }
    FindOutsideCalls();
    std::erase_if(graph_.calls, [](const Call& call) { return call.caller == call.callee; });
    OrderByCaller();
    FindOrder();
    contexts_.resize(graph_.functions.size());
    OrderByCallee();
    for (size_t i = order_.size(); i > 0; --i) AddFunction(order_[i - 1]);
  }

 private:
  // Finds the rest of each function's cost without its callers: calls from code that was not profiled.
  void FindOutsideCalls() {
    for (const CallerGraph::Function& function : graph_.functions) outside_.push_back(function.cost);
    has_caller_.resize(graph_.functions.size());
    for (const Call& call : graph_.calls) {
      Cost& outside = outside_[call.callee];
      outside.calls -= call.cost.calls;
      outside.own_seconds -= call.cost.own_seconds;
      outside.total_seconds -= call.cost.total_seconds;
      if (call.caller != call.callee) has_caller_[call.callee] = true;
    }
  }

  // The calls of each function are then those from first_[function] to first_[function + 1], costliest first.
  void OrderByCaller() {
    std::sort(graph_.calls.begin(), graph_.calls.end(), [](const Call& a, const Call& b) {
      if (a.caller != b.caller) return a.caller < b.caller;
      if (a.cost.total_seconds != b.cost.total_seconds) return a.cost.total_seconds > b.cost.total_seconds;
      return a.callee < b.callee;
    });
    Index(&Call::caller);
  }
  void OrderByCallee() {
    std::erase_if(graph_.calls, [](const Call& call) { return call.caller == call.callee; });
    std::sort(graph_.calls.begin(), graph_.calls.end(), [](const Call& a, const Call& b) {
      return a.callee != b.callee ? a.callee < b.callee : a.caller < b.caller;
    });
    Index(&Call::callee);
  }
  void Index(uint32_t Call::*end) {
    first_.assign(graph_.functions.size() + 1, 0);
    for (const Call& call : graph_.calls) ++first_[call.*end + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
  }

  // Orders functions such that callees precede their callers. Calls back to a function that is still running in every
  // stack are recursion and are removed (made calls to itself).
  void FindOrder() {
    std::vector<uint32_t> starts(graph_.functions.size());
    std::iota(starts.begin(), starts.end(), 0);
    std::stable_sort(starts.begin(), starts.end(), [&](uint32_t a, uint32_t b) {
      const int rank_a = Rank(a), rank_b = Rank(b);
      if (rank_a != rank_b) return rank_a < rank_b;
      return graph_.functions[a].cost.total_seconds > graph_.functions[b].cost.total_seconds;
    });
    enum State { kNew, kOpen, kDone };
    std::vector<State> states(graph_.functions.size(), kNew);
    std::vector<std::pair<uint32_t, size_t>> open;  // functions and their next call
    for (const uint32_t start : starts) {
      if (states[start] != kNew) continue;
      open.emplace_back(start, first_[start]);
      states[start] = kOpen;
      while (!open.empty()) {
        auto& [function, next] = open.back();
        if (next == first_[function + 1]) {
          states[function] = kDone;
          order_.push_back(function);
          open.pop_back();
          continue;
        }
        Call& call = graph_.calls[next++];
        if (states[call.callee] == kOpen) {
          call.callee = call.caller;
        } else if (states[call.callee] == kNew) {
          states[call.callee] = kOpen;
          open.emplace_back(call.callee, first_[call.callee]);
        }
      }
    }
  }
  // Functions that only unprofiled code called, that it called too, and others.
  int Rank(uint32_t function) const { return !has_caller_[function] ? 0 : IsCalledFromOutside(function) ? 1 : 2; }
  bool IsCalledFromOutside(uint32_t function) const { return outside_[function].calls > 0.5; }

  void AddFunction(uint32_t function) {
    const std::span<const Call> calls =
        std::span<const Call>(graph_.calls).subspan(first_[function], first_[function + 1] - first_[function]);
    std::vector<Cost> costs;
    costs.reserve(calls.size() + 1);
    for (const Call& call : calls) costs.push_back(call.cost);
    if (costs.empty()) {
      costs.push_back({.calls = 1});
    } else if (IsCalledFromOutside(function)) {
      costs.push_back(outside_[function]);
    }
    using Measure = double Cost::*;
    const std::vector<double> own = Shares<Measure>(costs, {&Cost::own_seconds, &Cost::total_seconds, &Cost::calls});
    const std::vector<double> total = Shares<Measure>(costs, {&Cost::total_seconds, &Cost::own_seconds, &Cost::calls});
    const std::vector<double> counts = Shares<Measure>(costs, {&Cost::calls});
    std::vector<Context>& contexts = contexts_[function];
    for (size_t i = 0; i < calls.size(); ++i) {
      for (const Context& caller : contexts_[calls[i].caller]) {
        contexts.push_back({caller.stack, caller.total * own[i], caller.total * total[i], caller.total * counts[i]});
      }
      // Contexts of the costliest caller may be many; memory stays in proportion to what is kept.
      if (contexts.size() > 16 * most_contexts_) KeepLargest(function, &contexts);
    }
    if (costs.size() > calls.size()) contexts.push_back({0, own.back(), total.back(), counts.back()});
    KeepLargest(function, &contexts);
    MakeWhole(&contexts, &Context::own);
    MakeWhole(&contexts, &Context::total);
    MakeWhole(&contexts, &Context::calls);
    AddSamples(graph_.functions[function], &contexts);
  }

  // The largest contexts of `function`, at least one, without those that are next to nothing.
  void KeepLargest(uint32_t function, std::vector<Context>* contexts) const {
    const Cost& cost = graph_.functions[function].cost;
    const auto seconds = [&](const Context& context) {
      return std::max(context.own * cost.own_seconds, context.total * cost.total_seconds);
    };
    std::stable_sort(contexts->begin(), contexts->end(),
                     [&](const Context& a, const Context& b) { return seconds(a) > seconds(b); });
    size_t kept = std::min(contexts->size(), most_contexts_);
    while (kept > 1 && seconds((*contexts)[kept - 1]) < fewest_seconds_) --kept;
    contexts->resize(kept);
  }

  static void MakeWhole(std::vector<Context>* contexts, double Context::*share) {
    double sum = 0;
    for (const Context& context : *contexts) sum += context.*share;
    for (Context& context : *contexts) {
      context.*share = sum > 0 ? context.*share / sum : 1.0 / static_cast<double>(contexts->size());
    }
  }

  // Rounding errors are carried to the next stack.
  void AddSamples(const CallerGraph::Function& function, std::vector<Context>* contexts) {
    const int64_t nanos = RoundSaturated(function.cost.own_seconds * 1e9), calls = RoundSaturated(function.count);
    double own_so_far = 0, calls_so_far = 0;
    int64_t nanos_given = 0, calls_given = 0;
    for (size_t i = 0; i < contexts->size(); ++i) {
      Context& context = (*contexts)[i];
      context.stack = builder_->profile().stacks.Push(context.stack, function.frame);
      const bool is_last = i + 1 == contexts->size();
      own_so_far += context.own;
      calls_so_far += context.calls;
      const int64_t nanos_now = is_last ? nanos : RoundSaturated(static_cast<double>(nanos) * own_so_far);
      const int64_t calls_now = is_last ? calls : RoundSaturated(static_cast<double>(calls) * calls_so_far);
      const int64_t weight = nanos_now - nanos_given, count = calls_now - calls_given;
      nanos_given = nanos_now;
      calls_given = calls_now;
      if (weight != 0 || count != 0) {
        builder_->Add({.stack = context.stack, .event = event_, .weight = weight, .count = count});
      }
    }
  }

  CallerGraph graph_;
  const EventId event_;
  ProfileBuilder* const builder_;
  const size_t most_contexts_;  // per function
  double fewest_seconds_ = 0;   // per context
  std::vector<Cost> outside_;
  std::vector<bool> has_caller_;
  std::vector<size_t> first_;
  std::vector<uint32_t> order_;
  std::vector<std::vector<Context>> contexts_;  // by function
};

}  // namespace

void AddStacksOfCallers(CallerGraph graph, EventId event, ProfileBuilder* builder) {
  StacksOfCallers(std::move(graph), event, builder).Add();
}

}  // namespace sparkprof

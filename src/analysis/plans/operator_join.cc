// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/operator_join.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/plans/plan_text.h"
#include "base/text/contains.h"

namespace sparkprof {
namespace {

constexpr std::string_view kBroadcastExchange = "BroadcastExchange";
constexpr int32_t kFar = 1 << 20;  // larger than any distance within a plan

bool RunsIn(const PlanOperator& one, int64_t stage) { return std::ranges::binary_search(one.stages, stage); }

// The first stage of an exchange writes it.
bool Writes(const PlanOperator& one, int64_t stage) { return one.stages.empty() || one.stages.front() == stage; }

// Whether it reads all input before returning a row, so that its method contains the code of operators below.
bool IsBlocking(const PlanOperator& one) { return one.kind == "Sort" || one.kind.ends_with("Aggregate"); }

// Whether a frame is where the operator of a Rust engine returns its next rows, and in turn reads those of the operator
// below: once per operator.
bool IsStream(const OperatorFrame& frame) {
  return frame.work == OperatorWork::kNamed && frame.name.ends_with("Stream>::poll_next");
}

// Relative amount of the operator's code in a shared method.
int WorkInSharedCode(const PlanOperator& one) {
  if (Contains(one.kind, "Join")) return 5;
  if (one.kind == "Generate" || one.kind == "Expand") return 4;
  if (IsBlocking(one)) return 3;
  if (one.kind == "Filter" || one.kind == "Project") return 2;
  return one.kind == "Range" || one.kind == "ColumnarToRow" ? 1 : 0;
}

}  // namespace

// Finds the operator of each stack of one stage.
class OperatorJoin::Walk {
 public:
  // `operators`: those of the SQL execution.
  Walk(const OperatorJoin& join, const Stacks& stacks, const SqlOperator* operators, size_t count, int64_t stage)
      : join_(join), stacks_(stacks), operators_(operators), count_(static_cast<int32_t>(count)), stage_(stage) {
    for (int32_t row = 0; row < count_; ++row) {
      const PlanOperator& one = At(row);
      depths_.push_back(one.parent < 0 ? 0 : depths_[static_cast<size_t>(one.parent)] + 1);
      const bool is_here = stage_ < 0 ? one.kind == kBroadcastExchange : one.stages.empty() || RunsIn(one, stage_);
      if (is_here) here_.push_back(row);
    }
    states_[0] = {};
  }

  struct State {
    int32_t row = kNone;
    int32_t timed = kNone;     // index in `timed_`
    int32_t streamed = kNone;  // the engine's operator whose row stream was entered last
    bool feeds_python = false;
  };

  const State& Of(StackId stack) {
    path_.clear();
    StackId known = stack;
    while (!states_.contains(known)) {
      path_.push_back(known);
      known = stacks_.node(known).parent;
    }
    for (size_t i = path_.size(); i-- > 0;) {
      const StackTable::Node node = stacks_.node(path_[i]);
      const State above = states_.at(node.parent);
      states_[path_[i]] = Step(above, stacks_.frame(node.frame));
    }
    return states_.at(stack);
  }

  // Calls `visit` with each (operator, timed work) that the state is part of.
  template <typename Visit>
  void ForEachTimed(const State& state, const Visit& visit) const {
    for (int32_t at = state.timed; at != kNone; at = timed_[static_cast<size_t>(at)].outer) {
      visit(timed_[static_cast<size_t>(at)].row, timed_[static_cast<size_t>(at)].work);
    }
  }

 private:
  struct Timed {
    int32_t outer = kNone;
    int32_t row = kNone;
    TimedWork work = TimedWork::kNone;
  };

  const PlanOperator& At(int32_t row) const { return operators_[row].one; }

  State Step(const State& above, FrameId id) {
    const OperatorFrame& frame = join_.frames_[id];
    State state = above;
    switch (frame.work) {
      case OperatorWork::kNone:
        break;
      case OperatorWork::kGenerated:
        state.row = InGenerated(above.row, frame);
        break;
      case OperatorWork::kPythonFunction:
        state.row = CallerOf(above.row, std::string(frame.name));
        break;
      default:
        state.row = Nearest(above, frame);
    }
    if (state.row != above.row) state.feeds_python = false;
    if (IsStream(frame)) state.streamed = state.row;
    if (frame.feeds_python && state.row >= 0 && IsPythonOperator(At(state.row).kind)) state.feeds_python = true;
    if (frame.timed != TimedWork::kNone && state.row >= 0) state.timed = Enter(state, frame.timed);
    return state;
  }

  int32_t Enter(const State& state, TimedWork work) {
    if (MetricName(*At(state.row).plan, work).empty()) return state.timed;
    for (int32_t at = state.timed; at != kNone; at = timed_[static_cast<size_t>(at)].outer) {
      if (timed_[static_cast<size_t>(at)].row == state.row && timed_[static_cast<size_t>(at)].work == work) {
        return state.timed;
      }
    }
    const auto [place, is_new] =
        entered_.try_emplace({state.timed, state.row, work}, static_cast<int32_t>(timed_.size()));
    if (is_new) timed_.push_back({state.timed, state.row, work});
    return place->second;
  }

  // A code generation's operators are consecutive in preorder, except for inputs of a join.
  int32_t InGenerated(int32_t above, const OperatorFrame& frame) const {
    std::vector<int32_t> together, named;
    for (const int32_t row : here_) {
      const int32_t codegen = At(row).codegen;
      if (codegen == 0 || (frame.codegen != 0 && codegen != frame.codegen)) continue;
      together.push_back(row);
      if (!frame.name.empty() && CanBe(At(row), frame)) named.push_back(row);
    }
    if (together.empty()) return above;
    if (!named.empty()) {
      const auto number = std::min(static_cast<size_t>(std::max(frame.number, 0)), named.size() - 1);
      return frame.consumes ? named[named.size() - 1 - number] : named[number];
    }
    if (Contains(together, above)) return above;
    return OfSharedCode(together);
  }

  // The most likely operator of a method that names none: down to the first that reads all of its input.
  int32_t OfSharedCode(const std::vector<int32_t>& together) const {
    int32_t best = together.front();
    std::pair<int, int64_t> most{-1, 0};
    for (const int32_t row : together) {
      const std::string& text = At(row).plan->text;
      const std::pair<int, int64_t> work{WorkInSharedCode(At(row)), std::ranges::count(text, '(')};
      if (work > most) {
        most = work;
        best = row;
      }
      if (IsBlocking(At(row))) break;
    }
    return best;
  }

  // Prefers the operator above if it matches, because an operator calls its own code.
  int32_t Nearest(const State& above, const OperatorFrame& frame) const {
    const bool reads_input = IsStream(frame) && above.row >= 0 && above.streamed == above.row;
    const bool must_descend = reads_input || (above.feeds_python && frame.work == OperatorWork::kPython);
    const auto fits = [&](int32_t row) {
      if (!CanBe(At(row), frame)) return false;
      if (frame.work == OperatorWork::kShuffleWrite) return Writes(At(row), stage_);
      if (frame.work == OperatorWork::kShuffleRead) return At(row).stages.empty() || At(row).stages.front() != stage_;
      return true;
    };
    if (above.row >= 0 && !must_descend && fits(above.row)) return above.row;
    int32_t best = above.row;
    int32_t least = std::numeric_limits<int32_t>::max();
    const bool takes_last = BuildsFromRight(above);
    for (const int32_t row : here_) {
      if (!fits(row) || (must_descend && row == above.row)) continue;
      const int32_t distance = Distance(above.row, row);
      // A stream within a stream reads from an operator below or belongs to the same one, never to one beside it.
      if (reads_input && distance >= kFar && At(row).kind == At(above.row).kind) continue;
      if (distance < least || (distance == least && takes_last)) {
        least = distance;
        best = row;
      }
    }
    return best;
  }

  bool BuildsFromRight(const State& above) const {
    if (above.timed == kNone || timed_[static_cast<size_t>(above.timed)].work != TimedWork::kBuild) return false;
    return Contains(At(above.row).plan->text, "BuildRight");
  }

  // Operators below come first, and those with a known stage.
  int32_t Distance(int32_t from, int32_t to) const {
    const int32_t unknown = At(to).stages.empty() ? kFar / 2 : 0;
    if (from < 0) return depths_[static_cast<size_t>(to)] + unknown;
    if (At(from).codegen != 0 && At(from).codegen == At(to).codegen) return 0;
    int32_t top = from;
    while (At(top).codegen != 0 && At(top).parent >= 0 && At(At(top).parent).codegen == At(top).codegen) {
      top = At(top).parent;
    }
    for (int32_t at = to; at >= 0; at = At(at).parent) {
      if (at == top) return depths_[static_cast<size_t>(to)] - depths_[static_cast<size_t>(top)] + unknown;
    }
    return kFar + depths_[static_cast<size_t>(to)] + unknown;
  }

  int32_t CallerOf(int32_t above, const std::string& function) {
    const auto [place, is_new] = callers_.try_emplace(function);
    if (is_new) {
      for (const int32_t row : here_) {
        if (IsPythonOperator(At(row).kind) && CallsFunction(At(row).plan->text, function)) place->second.push_back(row);
      }
    }
    const std::vector<int32_t>& callers = place->second;
    if (callers.empty() || Contains(callers, above)) return above;
    return callers.front();
  }

  const OperatorJoin& join_;
  const Stacks& stacks_;
  const SqlOperator* operators_;
  const int32_t count_;
  const int64_t stage_;
  std::vector<int32_t> depths_;
  std::vector<int32_t> here_;  // operators that the stage may run
  std::unordered_map<StackId, State> states_;
  std::vector<Timed> timed_;
  std::map<std::tuple<int32_t, int32_t, TimedWork>, int32_t> entered_;
  std::unordered_map<std::string, std::vector<int32_t>> callers_;
  std::vector<StackId> path_;
};

OperatorJoin::OperatorJoin(const Application& application) : application_(application) {
  std::unordered_map<int64_t, int32_t> sql_rows;
  for (size_t row = 0; row < application.sql_executions.size(); ++row) {
    const SqlExecution& sql = application.sql_executions[row];
    sql_rows.emplace(sql.id, static_cast<int32_t>(row));
    first_of_sql_.push_back(operators_.size());
    bool has_broadcast = false;
    for (PlanOperator& one : OperatorsOf(sql.plan)) {
      has_broadcast |= one.kind == kBroadcastExchange;
      operators_.push_back({static_cast<int32_t>(row), std::move(one)});
    }
    if (has_broadcast) with_broadcasts_.push_back(static_cast<int32_t>(row));
  }
  first_of_sql_.push_back(operators_.size());
  const Profile& profile = application.profile;
  place_of_task_.resize(profile.tasks.size());
  if (operators_.empty()) return;

  frames_.resize(profile.frames.Size());
  for (FrameId id = 1; id < frames_.size(); ++id) {
    const Frame& frame = profile.frames.Get(id);
    frames_[id] = ReadOperatorFrame(profile.strings.Get(frame.name), frame.kind);
  }
  const std::vector<int32_t> task_rows = application.TaskRows();
  for (size_t row = 0; row < task_rows.size(); ++row) {
    const int32_t task = task_rows[row];
    const int32_t stage = task < 0 ? -1 : application.tasks.stage[static_cast<size_t>(task)];
    if (stage < 0) continue;
    const Stage& of = application.stages[static_cast<size_t>(stage)];
    const auto sql = sql_rows.find(of.sql_execution);
    if (sql != sql_rows.end()) place_of_task_[row] = {sql->second, of.id};
  }
}

OperatorJoin::Stacks OperatorJoin::OfProfile() const {
  return {[this](StackId id) { return application_.profile.stacks.Get(id); }, [](FrameId id) { return id; }};
}

// The last SQL execution with a broadcast that was running at this time.
int32_t OperatorJoin::BroadcastAt(int64_t time_ns) const {
  for (auto row = with_broadcasts_.rbegin(); row != with_broadcasts_.rend(); ++row) {
    const SqlExecution& sql = application_.sql_executions[static_cast<size_t>(*row)];
    const int64_t bucket_end_ns = time_ns + application_.profile.bucket_ns;
    if (bucket_end_ns >= sql.start_ns && (sql.end_ns == 0 || time_ns <= sql.end_ns)) return *row;
  }
  return -1;
}

bool OperatorJoin::BuildsBroadcast(StackId stack, const Stacks& stacks) const {
  for (StackId id = stack; id != 0; id = stacks.node(id).parent) {
    if (frames_[stacks.frame(stacks.node(id).frame)].name == kBroadcastExchange) return true;
  }
  return false;
}

std::vector<int32_t> OperatorJoin::Join(const std::vector<Sample>& samples, const Stacks& stacks,
                                        const Visit& visit) const {
  std::vector<int32_t> rows(samples.size(), kNone);
  if (operators_.empty()) return rows;
  std::vector<std::pair<Place, uint32_t>> order;
  std::unordered_map<StackId, bool> builds_broadcast;
  for (size_t i = 0; i < samples.size(); ++i) {
    Place place = place_of_task_[samples[i].task];
    if (samples[i].task == 0 && !with_broadcasts_.empty()) {
      const auto [known, is_new] = builds_broadcast.try_emplace(samples[i].stack);
      if (is_new) known->second = BuildsBroadcast(samples[i].stack, stacks);
      if (known->second) place.sql = BroadcastAt(samples[i].time_ns + stacks.origin_ns);
    }
    if (place.sql >= 0) order.emplace_back(place, static_cast<uint32_t>(i));
  }
  std::ranges::sort(order);
  for (size_t begin = 0; begin < order.size();) {
    const Place place = order[begin].first;
    const size_t first = first_of_sql_[static_cast<size_t>(place.sql)];
    const size_t count = first_of_sql_[static_cast<size_t>(place.sql) + 1] - first;
    Walk walk(*this, stacks, operators_.data() + first, count, place.stage);
    for (; begin < order.size() && order[begin].first == place; ++begin) {
      const uint32_t sample = order[begin].second;
      const Walk::State& state = walk.Of(samples[sample].stack);
      if (state.row != kNone) rows[sample] = static_cast<int32_t>(first) + state.row;
      if (!visit) continue;
      walk.ForEachTimed(state, [&](int32_t row, TimedWork work) {
        visit(sample, {static_cast<int32_t>(first) + row, work});
      });
    }
  }
  return rows;
}

}  // namespace sparkprof

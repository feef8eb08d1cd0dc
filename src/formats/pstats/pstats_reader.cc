// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "formats/pstats/caller_graph.h"
#include "formats/pstats/marshal_reader.h"
#include "formats/read_input.h"
#include "formats/readers.h"

namespace sparkprof {
namespace {

using PstatsType = MarshalValue::Type;

constexpr size_t kMaxPstatsSize = size_t{64} << 20;
constexpr uint32_t kNoFunction = UINT32_MAX;

// A sum of these stays finite.
double Bounded(double number) {
  constexpr double kMax = 1e15;
  return std::clamp(number, -kMax, kMax);
}

// Statistics of Python's cProfile and profile (`python -m cProfile -o FILE`, pstats.Stats.dump_stats), also as PySpark
// dumps them (spark.python.profile: rdd_N.pstats; profilers of UDFs: udf_N_perf.pstats): a marshalled dict
//     {(file, line, function): (primitive calls, calls, own time, total time, callers)}
// with callers {(file, line, function): (calls, primitive calls, own time, total time)}, or only their calls (profile).
// It has no stacks; see caller_graph.h for those that are made of it. The event is "wall", with calls as counts. The
// sampling profiler of Python 3.15 marks its statistics with ('__sampled__',): True and has samples instead of calls;
// pyinstrument has neither and writes -1.
class PstatsReader {
 public:
  PstatsReader(std::string_view bytes, ProfileBuilder* builder)
      : most_calls_(bytes.size() / 8), marshal_(bytes), builder_(builder) {}

  Result<void> Read() {
    Result<void> outcome = ReadFunctions();
    if (!outcome) return outcome;
    if (graph_.functions.empty() && builder_->profile().damaged == 0) {
      return builder_->Damaged("offset 0: expected the statistics of at least one function, found none");
    }
    const EventId event = builder_->profile().AddEvent(Event::kWall);
    ProfileEvent& wall = builder_->profile().events[event];
    wall.has_counts = has_calls_;
    if (has_calls_) wall.counts_as = is_sampled_ ? "samples" : "calls";
    AddCalls();
    for (size_t i = 0; i < own_samples_.size(); ++i) {
      graph_.functions[i].count = is_sampled_ ? own_samples_[i] : graph_.functions[i].cost.calls;
    }
    AddStacksOfCallers(std::move(graph_), event, builder_);
    return outcome;
  }

 private:
  struct Callers {
    uint32_t callee = 0;
    MarshalValue callers;
  };

  Result<void> ReadFunctions() {
    bool more = marshal_.BeginDict();
    while (more) {
      const size_t begin = marshal_.Position();
      const std::optional<MarshalValue> key = marshal_.Read();
      if (!key && marshal_.Fault().empty()) return {};
      const std::optional<MarshalValue> value = key ? marshal_.Read() : std::nullopt;
      more = value.has_value();
      if (more && !AddMark(*key) && !AddFunction(*key, *value)) {
        Result<void> kept = builder_->Damaged(
            fmt::format("offset {}: expected (file, line, function): (calls, calls, time, time, callers)", begin));
        if (!kept) return kept;
      }
    }
    const std::string& fault = marshal_.Fault();
    return builder_->Damaged(fmt::format("offset {}: expected {}", marshal_.Position(),
                                         fault.empty() ? "a function's statistics, found the end of a dict" : fault));
  }

  std::optional<FrameId> FrameOf(const MarshalValue& key) {
    if (key.type != PstatsType::kTuple || key.size != 3) return std::nullopt;
    const MarshalValue* parts = marshal_.Items(key);
    // profile has the code object that it ran instead of a name.
    if (parts[2].type == PstatsType::kTuple && parts[2].size == 3) parts = marshal_.Items(parts[2]);
    const std::optional<double> line = parts[1].Number();
    if (parts[0].type != PstatsType::kText || parts[2].type != PstatsType::kText || !line) return std::nullopt;
    // Functions written in C have the file "~", in profile none.
    if (parts[0].Text() == "~" || parts[0].Text().empty()) {
      return builder_->AddFrame(parts[2].Text(), FrameKind::kNative);
    }
    return builder_->AddFrame(parts[2].Text(), FrameKind::kPython, parts[0].Text(), RoundSaturated(*line));
  }

  // Marks have a name alone as their key; Python's sampling profiler has ('__sampled__',): True.
  bool AddMark(const MarshalValue& key) {
    if (key.type != PstatsType::kTuple || key.size != 1) return false;
    const std::string_view name = marshal_.Items(key)->Text();
    is_sampled_ = is_sampled_ || name == "__sampled__";
    return !name.empty();
  }

  bool AddFunction(const MarshalValue& key, const MarshalValue& value) {
    const std::optional<FrameId> frame = FrameOf(key);
    if (!frame || value.type != PstatsType::kTuple || value.size < 4) return false;
    const MarshalValue* const parts = marshal_.Items(value);
    const std::optional<double> own_samples = parts[0].Number(), calls = parts[1].Number(), own = parts[2].Number(),
                                total = parts[3].Number();
    if (!own_samples || !calls || !own || !total) return false;
    if (*frame >= function_of_.size()) function_of_.resize(*frame + size_t{1}, kNoFunction);
    if (function_of_[*frame] == kNoFunction) {
      function_of_[*frame] = static_cast<uint32_t>(graph_.functions.size());
      graph_.functions.push_back({.frame = *frame});
      own_samples_.push_back(0);
    }
    const uint32_t function = function_of_[*frame];
    CallerGraph::Cost& cost = graph_.functions[function].cost;
    // pyinstrument does not count calls: it writes -1.
    has_calls_ = has_calls_ || *calls >= 0;
    cost.calls += std::max(0.0, Bounded(*calls));
    own_samples_[function] += std::max(0.0, Bounded(*own_samples));
    cost.own_seconds += Bounded(*own);
    cost.total_seconds += Bounded(*total);
    if (value.size == 4) return true;
    if (parts[4].type != PstatsType::kDict) return false;
    callers_.push_back({function, parts[4]});
    return true;
  }

  // The cost of `calls` of all calls if each costs the same.
  static CallerGraph::Cost PartOf(const CallerGraph::Cost& all, double calls) {
    const double share = all.calls > 0 ? std::min(1.0, calls / all.calls) : 0;
    return {calls, all.own_seconds * share, all.total_seconds * share};
  }

  // Callers may follow their callees. Calls by a function without statistics of its own count as calls from outside.
  void AddCalls() {
    for (const auto& [callee, callers] : callers_) {
      for (uint32_t i = 0; i + 1 < callers.size; i += 2) {
        // References repeat a value any number of times: a damaged input could stand for more calls than fit in memory.
        if (graph_.calls.size() >= most_calls_) return;
        const MarshalValue* const items = marshal_.Items(callers);
        const std::optional<FrameId> frame = FrameOf(items[i]);
        if (!frame || *frame >= function_of_.size() || function_of_[*frame] == kNoFunction) continue;
        CallerGraph::Call call{.caller = function_of_[*frame], .callee = callee};
        const MarshalValue& value = items[i + 1];
        if (value.type == PstatsType::kTuple && value.size >= 4) {
          const MarshalValue* const parts = marshal_.Items(value);
          const auto number = [&](size_t part) { return Bounded(parts[part].Number().value_or(0)); };
          call.cost = {std::max(0.0, number(0)), number(2), number(3)};
        } else {
          call.cost = PartOf(graph_.functions[callee].cost, std::max(0.0, Bounded(value.Number().value_or(0))));
        }
        graph_.calls.push_back(call);
      }
    }
  }

  const size_t most_calls_;
  MarshalReader marshal_;
  ProfileBuilder* builder_;
  CallerGraph graph_;
  std::vector<double> own_samples_;  // samples with the function as leaf, if the profiler sampled; by row of functions
  bool is_sampled_ = false;
  bool has_calls_ = false;
  std::vector<Callers> callers_;
  std::vector<uint32_t> function_of_;  // rows of functions by FrameId
};

}  // namespace

bool LooksLikePstats(std::string_view head) {
  const auto is = [&](size_t at, std::string_view types) {
    return at < head.size() && types.find(static_cast<char>(head[at] & 0x7f)) != std::string_view::npos;
  };
  if (!is(0, "{")) return false;
  if (head.size() == 2) return head[1] == '0';
  // The first key: a tuple of three, beginning with a text, or of a text alone. '{' and a control character or ')' is
  // no JSON.
  const bool is_small = is(1, ")") && head.size() > 3 && (head[2] == 3 || head[2] == 1);
  const bool is_tuple = is(1, "(") && head.size() > 6 && head.substr(2, 4) == std::string_view("\3\0\0\0", 4);
  return (is_small && is(3, "stuaAzZ")) || (is_tuple && is(6, "stuaAzZ"));
}

Result<void> ReadPstats(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  const Result<std::string> bytes = ReadWhole(source.get(), kMaxPstatsSize, builder);
  return bytes ? PstatsReader(*bytes, builder).Read() : tl::unexpected(bytes.error());
}

}  // namespace sparkprof

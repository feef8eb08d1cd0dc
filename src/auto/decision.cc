// SPDX-License-Identifier: Apache-2.0
#include "auto/decision.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/owners/resources.h"
#include "auto/regression_limit.h"
#include "base/text/text.h"
#include "suite/statistics.h"

namespace sparkprof {
namespace {

constexpr double kJump = 1.5;            // an input this many times the largest so far is too large for the sizes
constexpr double kSimilarInput = 1.25;   // largest ratio between inputs of comparable runs
constexpr double kOtherInput = 0.2;      // relative change of the input that counts as other data
constexpr double kMoreSpill = 1.1;       // times the largest spill so far
constexpr double kTimesGc = 2;           // times the largest GC share so far
constexpr double kSignificance = 0.01;   // for several slower runs
constexpr double kLeastSlowdown = 1.05;  // minimum ratio of medians for several slower runs
constexpr size_t kMostVersions = 200, kMostRefused = 200, kMostRuns = 100;

class Decider {
 public:
  Decider(const AutoPolicy& policy, std::vector<PastRun> runs, const AutoValues& own, int64_t now_ns, AutoState* state)
      : policy_(policy), runs_(std::move(runs)), own_(own), now_ns_(now_ns), state_(*state) {
    std::erase_if(runs_, [](const PastRun& run) { return run.is_running; });
    std::stable_sort(runs_.begin(), runs_.end(),
                     [](const PastRun& a, const PastRun& b) { return a.end_ns < b.end_ns; });
    if (!state_.versions.empty()) {
      number_ = state_.versions.back().number;
      settings_ = state_.versions.back().settings;
    }
  }

  AutoDecision Take() {
    NoteRuns();
    if (std::optional<AutoDecision> decision = Withdraw()) return *decision;
    if (std::optional<AutoDecision> decision = RollBack()) return *decision;
    return Propose();
  }

 private:
  using Kind = AutoDecision::Kind;

  // The settings that replaced the run's own; nullopt if unknown.
  std::optional<AutoValues> ReplacedIn(const PastRun& run) const {
    if (run.version == 0) return AutoValues();
    const AutoVersion* const version = state_.Find(run.version);
    return version == nullptr ? std::nullopt : std::optional(version->settings);
  }

  void NoteRuns() {
    for (const PastRun& run : runs_) {
      for (AutoVersion& version : state_.versions) {
        if (version.number != run.version || version.runs.size() >= kMostRuns) continue;
        if (std::find(version.runs.begin(), version.runs.end(), run.id) == version.runs.end())
          version.runs.push_back(run.id);
      }
    }
  }

  AutoDecision Keep(std::string why) const {
    return {.kind = Kind::kKept, .text = "no change: " + std::move(why), .version = number_, .settings = settings_};
  }

  AutoDecision Decided(Kind kind, AutoValues settings, std::string key, std::string text) {
    const int64_t number = number_ + 1;
    state_.versions.push_back({.number = number,
                               .before = number_,
                               .time_ns = now_ns_,
                               .settings = settings,
                               .key = std::move(key),
                               .why = text,
                               .runs = {}});
    if (state_.versions.size() > kMostVersions) state_.versions.erase(state_.versions.begin());
    for (const auto& [name, value] : settings) {
      const auto own = own_.find(name);
      if (!state_.own.contains(name) && own != own_.end()) state_.own[name] = own->second;
    }
    std::erase_if(state_.own, [&](const auto& one) { return !settings.contains(one.first); });
    return {.kind = kind, .text = std::move(text), .version = number, .settings = std::move(settings)};
  }

  // The value of a setting for messages.
  std::string Shown(const AutoValues& settings, const std::string& key) const {
    for (const AutoValues* const values : {&settings, &own_}) {
      const auto found = values->find(key);
      if (found != values->end()) return found->second;
    }
    return "the job's own value";
  }

  // "spark.executor.memory 6g -> 8g, …" for all settings that differ.
  std::string Difference(const AutoValues& to) const {
    std::vector<std::string> parts;
    for (const auto& [key, value] : settings_) {
      const auto found = to.find(key);
      if (found == to.end() || found->second != value)
        parts.push_back(fmt::format("{} {} -> {}", key, value, Shown(to, key)));
    }
    for (const auto& [key, value] : to) {
      if (!settings_.contains(key)) parts.push_back(fmt::format("{} {} -> {}", key, Shown({}, key), value));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  // Withdraws values that the policy no longer allows, or whose own value the job has changed.
  std::optional<AutoDecision> Withdraw() {
    AutoValues rest = settings_;
    std::vector<std::string> reasons;
    for (const auto& [key, value] : settings_) {
      const AutoRule* const rule = policy_.Find(key);
      const AutoValues::const_iterator own = own_.find(key), before = state_.own.find(key);
      if (rule == nullptr || !rule->Allows(value)) {
        reasons.push_back(fmt::format("the policy does not allow {} {}", key, value));
      } else if (own != own_.end() && before != state_.own.end() && !rule->AreEqual(own->second, before->second)) {
        reasons.push_back(fmt::format("the job's own {} has changed from {} to {}", key, before->second, own->second));
      } else {
        continue;
      }
      rest.erase(key);
      std::erase_if(state_.refused, [&](const RefusedValue& one) { return one.key == key; });
    }
    if (reasons.empty()) return std::nullopt;
    std::string text = fmt::format("rolled back {}: {}", Difference(rest), fmt::join(reasons, "; "));
    return Decided(Kind::kRolledBack, std::move(rest), "", std::move(text));
  }

  bool IsRefused(const std::string& key, const std::string& value) const {
    return std::any_of(state_.refused.begin(), state_.refused.end(),
                       [&](const RefusedValue& one) { return one.key == key && one.value == value; });
  }

  bool HasRefused(const AutoValues& settings) const {
    return std::any_of(settings.begin(), settings.end(),
                       [&](const auto& one) { return IsRefused(one.first, one.second); });
  }

  static bool IsSimilar(const PastRun& a, const PastRun& b) {
    if (a.input_bytes <= 0 || b.input_bytes <= 0) return true;
    const double ratio = static_cast<double>(a.input_bytes) / static_cast<double>(b.input_bytes);
    return ratio <= kSimilarInput && ratio >= 1 / kSimilarInput;
  }

  // The last good runs to compare a run with the present settings with: similar data, other settings that were not
  // taken back. In order of time.
  std::vector<const PastRun*> Before(const PastRun& similar_to) const {
    std::vector<const PastRun*> before;
    for (auto run = runs_.rbegin(); run != runs_.rend() && before.size() < policy_.history; ++run) {
      if (run->has_failed || run->version == number_) continue;
      const std::optional<AutoValues> replaced = ReplacedIn(*run);
      if (!replaced || HasRefused(*replaced)) continue;
      if (IsSimilar(*run, similar_to)) before.push_back(&*run);
    }
    std::reverse(before.begin(), before.end());
    return before;
  }

  static int64_t TimeOf(const PastRun& run) { return run.wall_ns; }

  // Time per input, or per run where the input is unknown. A run is slower only if both times are longer: more data can
  // explain one of them, less data with constant overhead the other.
  static int64_t TimeByInput(const PastRun& run) {
    if (run.input_bytes <= 0) return run.wall_ns;
    constexpr double kInput = 1 << 20;
    return static_cast<int64_t>(static_cast<double>(run.wall_ns) * kInput / static_cast<double>(run.input_bytes));
  }

  static std::vector<int64_t> Times(const std::vector<const PastRun*>& runs, int64_t (*time_of)(const PastRun&)) {
    std::vector<int64_t> times;
    for (const PastRun* const run : runs) times.push_back(time_of(*run));
    return times;
  }

  // The reason why a run is worse than those with earlier settings; empty if it is not.
  std::string Worse(const PastRun& run) const {
    int64_t most_spilled = 0;
    double most_gc = 0;
    const std::vector<const PastRun*> before = Before(run);
    for (const PastRun* const one : before) {
      most_spilled = std::max(most_spilled, one->spilled_bytes);
      most_gc = std::max(most_gc, one->gc_share);
    }
    if (static_cast<double>(run.spilled_bytes) > kMoreSpill * static_cast<double>(most_spilled)) {
      return fmt::format("{} spilled {}, at most {} before", run.id, FormatBytes(run.spilled_bytes),
                         FormatBytes(most_spilled));
    }
    if (run.gc_share >= kMuchGc && run.gc_share > kTimesGc * most_gc) {
      return fmt::format("garbage collection took {} of the tasks' time in {}, at most {} before",
                         FormatShare(run.gc_share), run.id, FormatShare(most_gc));
    }
    const std::vector<int64_t> times = Times(before, TimeOf);
    const std::optional<int64_t> limit = RegressionLimit(times);
    if (limit && run.wall_ns > *limit && TimeByInput(run) > RegressionLimit(Times(before, TimeByInput))) {
      return fmt::format("{} took {}, runs with similar data {} before", run.id, FormatDuration(run.wall_ns),
                         FormatDuration(MedianOf(times)));
    }
    return {};
  }

  // The ratio of the medians if the later runs are slower beyond noise; otherwise 0.
  static double Slowdown(const std::vector<int64_t>& earlier, const std::vector<int64_t>& later) {
    const std::vector<double> before(earlier.begin(), earlier.end()), now(later.begin(), later.end());
    const double ratio = Quantile(now, 0.5) / std::max(1.0, Quantile(before, 0.5));
    return ratio >= kLeastSlowdown && ProbabilityOfHigher(before, now) <= kSignificance ? ratio : 0;
  }

  // Like Worse, for all runs with the present settings together.
  std::string WorseTogether(std::vector<const PastRun*> with) const {
    if (with.empty()) return {};
    const PastRun& last = *with.back();
    std::erase_if(with, [&](const PastRun* run) { return !IsSimilar(*run, last); });
    const std::vector<const PastRun*> before = Before(last);
    if (with.size() < kLeastRuns || before.size() < kLeastRuns) return {};
    const double ratio = Slowdown(Times(before, TimeOf), Times(with, TimeOf));
    if (ratio == 0 || Slowdown(Times(before, TimeByInput), Times(with, TimeByInput)) == 0) return {};
    return fmt::format("the last {} runs took {:.0f}% longer than those before", with.size(), 100 * (ratio - 1));
  }

  // A setting of the version that did not take effect in the run; empty if there is none.
  std::string Ineffective(const PastRun& run) const {
    for (const auto& [key, value] : settings_) {
      const auto found = run.values.find(key);
      if (found != run.values.end() && !policy_.Find(key)->AreEqual(found->second, value)) return key;
    }
    return {};
  }

  // True if the run read far more data than the runs that the sizes were derived from.
  bool HasJumped(const PastRun& run) const {
    int64_t largest = 0;
    size_t count = 0;
    for (auto other = runs_.rbegin(); other != runs_.rend() && count < policy_.history; ++other) {
      if (other->has_failed || other->end_ns >= run.end_ns) continue;
      largest = std::max(largest, other->input_bytes);
      ++count;
    }
    return largest > 0 && static_cast<double>(run.input_bytes) > kJump * static_cast<double>(largest);
  }

  // True if the value is lower than the one that it replaced.
  bool IsSmaller(const std::string& key) const {
    const AutoRule& rule = *policy_.Find(key);
    const std::optional<int64_t> now = rule.Number(settings_.at(key));
    for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
      const auto replaced = ReplacedIn(*run);
      const auto value = run->values.find(key);
      if (!replaced || replaced->contains(key) || value == run->values.end()) continue;
      const std::optional<int64_t> own = rule.Number(value->second);
      return now && own && *now < *own;
    }
    return true;
  }

  void Refuse(const std::string& key, int64_t input_bytes, const std::string& why) {
    if (IsRefused(key, settings_.at(key))) return;
    state_.refused.push_back({key, settings_.at(key), IsSmaller(key), input_bytes, why});
    if (state_.refused.size() > kMostRefused) state_.refused.erase(state_.refused.begin());
  }

  AutoDecision Back(AutoValues to, const std::string& why) {
    std::string text = fmt::format("rolled back {}: {}", Difference(to), why);
    return Decided(Kind::kRolledBack, std::move(to), "", std::move(text));
  }

  AutoDecision BackToOwn(const PastRun& run, const std::string& why, bool refuses) {
    if (refuses) {
      for (const auto& [key, value] : settings_) Refuse(key, run.input_bytes, why);
    }
    return Back({}, why);
  }

  // Rolls back the last change. After a rollback there is none, so the job's own settings remain.
  AutoDecision BackByOne(const PastRun& run, const std::string& why) {
    const AutoVersion* const now = state_.Find(number_);
    const AutoVersion* const before = state_.Find(now->before);
    const std::string changed = now->key;
    if (changed.empty() || (now->before != 0 && before == nullptr)) return BackToOwn(run, why, true);
    AutoValues to = before == nullptr ? AutoValues() : before->settings;
    if (settings_.contains(changed)) Refuse(changed, run.input_bytes, why);
    return Back(HasRefused(to) ? AutoValues() : std::move(to), why);
  }

  std::optional<AutoDecision> RollBack() {
    if (settings_.empty()) return std::nullopt;
    std::vector<const PastRun*> with;
    for (const PastRun& run : runs_) {
      if (run.version == number_) with.push_back(&run);
    }
    for (const PastRun* const run : with) {
      if (run->has_failed) return BackToOwn(*run, run->id + " failed", true);
      if (const std::string key = Ineffective(*run); !key.empty()) {
        AutoValues rest = settings_;
        rest.erase(key);
        const std::string why =
            fmt::format("{} had {} instead: the program sets it in its code", run->id, run->values.at(key));
        state_.refused.push_back({.key = key, .value = "", .is_smaller = false, .input_bytes = 0, .why = why});
        return Back(std::move(rest), why);
      }
      if (HasJumped(*run)) {
        const std::string why = fmt::format("{} read {}, more than {} times the data of the last runs", run->id,
                                            FormatBytes(run->input_bytes), kJump);
        return BackToOwn(*run, why, false);
      }
      if (const std::string why = Worse(*run); !why.empty()) return BackByOne(*run, why);
    }
    if (const std::string why = WorseTogether(with); !why.empty()) return BackByOne(*with.back(), why);
    return std::nullopt;
  }

  // The most recent good runs in a row with the present settings.
  std::vector<const PastRun*> GoodInARow() const {
    std::vector<const PastRun*> good;
    for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
      if (run->has_failed || ReplacedIn(*run) != settings_) break;
      good.push_back(&*run);
    }
    return good;
  }

  // Drops refusals that no longer apply: smaller sizes are refused until the data shrink.
  void Forget(const std::vector<const PastRun*>& good) {
    std::vector<int64_t> inputs;
    for (size_t i = 0; i < policy_.runs; ++i) inputs.push_back(good[i]->input_bytes);
    const auto input = static_cast<double>(MedianOf(std::move(inputs)));
    if (input <= 0) return;
    std::erase_if(state_.refused, [&](const RefusedValue& one) {
      if (one.input_bytes <= 0) return false;
      const double change = input / static_cast<double>(one.input_bytes) - 1;
      return change <= -kOtherInput || (!one.is_smaller && change >= kOtherInput);
    });
  }

  struct Need {
    std::string wanted, why;
    size_t runs = 0;
  };

  // The largest need of the recent good runs. A run without a proposal needs the value that it had. nullopt if the need
  // of any run is unknown.
  std::optional<Need> LargestNeed(const AutoRule& rule) const {
    Need need;
    std::optional<int64_t> largest;
    for (auto run = runs_.rbegin(); run != runs_.rend() && need.runs < policy_.history; ++run) {
      if (run->has_failed) continue;
      const auto proposal = run->proposals.find(rule.key);
      const auto value = run->values.find(rule.key);
      const bool has_proposal = proposal != run->proposals.end();
      if (!has_proposal && value == run->values.end()) return std::nullopt;
      const std::optional<int64_t> one = rule.Number(has_proposal ? proposal->second.value : value->second);
      if (!one) return std::nullopt;
      ++need.runs;
      if (largest && *one <= *largest) continue;
      largest = one;
      need.why = fmt::format("{}: {}", run->id, has_proposal ? proposal->second.why : "it had this value and used it");
    }
    if (!largest) return std::nullopt;
    need.wanted = rule.Text(*largest);
    return need;
  }

  // The value that all good runs with the present settings propose.
  std::optional<Need> CommonAdvice(const AutoRule& rule, const std::vector<const PastRun*>& good) const {
    Need need;
    for (size_t i = 0; i < policy_.runs; ++i) {
      const auto proposal = good[i]->proposals.find(rule.key);
      if (proposal == good[i]->proposals.end()) return std::nullopt;
      if (i > 0 && proposal->second.value != need.wanted) return std::nullopt;
      need = {proposal->second.value, fmt::format("{}: {}", good[i]->id, proposal->second.why), i + 1};
    }
    return need;
  }

  // The refusal of `next`; null if there is none.
  const RefusedValue* FindRefused(const AutoRule& rule, const std::string& next, std::optional<int64_t> present) const {
    for (const RefusedValue& one : state_.refused) {
      if (one.key != rule.key) continue;
      if (one.value.empty()) return &one;
      const std::optional<int64_t> to = rule.Number(next), refused = rule.Number(one.value);
      if (rule.unit == AutoRule::Unit::kText || !to || !refused || !present) {
        if (one.value == next) return &one;
        continue;
      }
      const bool gets_smaller = *to < *present;
      if (one.is_smaller == gets_smaller && (gets_smaller ? *to <= *refused : *to >= *refused)) return &one;
    }
    return nullptr;
  }

  // A change of this setting if one is justified; otherwise adds the reason to `reasons`.
  std::optional<AutoDecision> Change(const AutoRule& rule, const std::vector<const PastRun*>& good,
                                     std::vector<std::string>* reasons) {
    const bool is_text = rule.unit == AutoRule::Unit::kText;
    const std::optional<Need> need = is_text ? CommonAdvice(rule, good) : LargestNeed(rule);
    if (!need) return std::nullopt;
    const auto value = good.front()->values.find(rule.key);
    const std::string present = value == good.front()->values.end() ? Shown(settings_, rule.key) : value->second;
    const std::optional<int64_t> number = rule.Number(present);
    if (!is_text && !number) return std::nullopt;
    const std::string next = is_text ? need->wanted : rule.Text(rule.Next(*number, *rule.Number(need->wanted)));
    if (rule.AreEqual(next, present)) {
      if (!rule.AreEqual(need->wanted, present))
        reasons->push_back(fmt::format("{} {}: the last runs need {}, but the policy's limits keep it", rule.key,
                                       present, need->wanted));
      return std::nullopt;
    }
    if (!rule.Allows(next)) return std::nullopt;
    if (const RefusedValue* const refused = FindRefused(rule, next, number)) {
      reasons->push_back(fmt::format("{} {} is not tried again: {}", rule.key, next, refused->why));
      return std::nullopt;
    }
    std::string text = fmt::format("{} {} -> {}: ", rule.key, present, next);
    text += is_text ? fmt::format("advised by the last {} runs, such as {}", need->runs, need->why)
                    : fmt::format("the last {} runs need at most {} ({})", need->runs, need->wanted, need->why);
    if (!rule.AreEqual(next, need->wanted)) text += "; limited by the policy";
    AutoValues settings = settings_;
    settings[rule.key] = next;
    return Decided(Kind::kChanged, std::move(settings), rule.key, std::move(text));
  }

  AutoDecision Propose() {
    const std::vector<const PastRun*> good = GoodInARow();
    if (good.size() < policy_.runs) {
      return Keep(fmt::format("{} good run{} in a row with the present settings, {} are required", good.size(),
                              good.size() == 1 ? "" : "s", policy_.runs));
    }
    Forget(good);
    std::vector<std::string> reasons;
    for (const AutoRule& rule : policy_.rules) {
      if (std::optional<AutoDecision> decision = Change(rule, good, &reasons)) return *decision;
    }
    return Keep(reasons.empty() ? "the present settings fit the last runs"
                                : fmt::format("{}", fmt::join(reasons, "; ")));
  }

  const AutoPolicy& policy_;
  std::vector<PastRun> runs_;
  const AutoValues& own_;
  const int64_t now_ns_;
  AutoState& state_;
  int64_t number_ = 0;
  AutoValues settings_;
};

}  // namespace

AutoDecision Decide(const AutoPolicy& policy, std::vector<PastRun> runs, const AutoValues& own, int64_t now_ns,
                    AutoState* state) {
  return Decider(policy, std::move(runs), own, now_ns, state).Take();
}

}  // namespace sparkprof

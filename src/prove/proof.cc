// SPDX-License-Identifier: Apache-2.0
#include "prove/proof.h"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>

#include "base/io/private_file.h"
#include "base/text/json_writer.h"
#include "base/time.h"
#include "model/application_group.h"

namespace sparkprof {
namespace {

constexpr int64_t kReadEveryNs = kNanosPerSecond;
constexpr int64_t kNoTimeout = std::numeric_limits<int64_t>::max() / 4;

enum class Side { kBefore, kAfter };
constexpr const char* NameOf(Side side) { return side == Side::kBefore ? "before" : "after"; }

class Prover {
 public:
  Prover(const ProofOptions& options, WaitedSignals* signals) : options_(options), signals_(signals) {}

  Result<Proof> Run() {
    proof_.decisive = options_.decisive;
    if (options_.prices) proof_.currency = options_.prices->currency;
    if (Result<void> ran = options_.recorded ? RunAfterRecorded() : RunPairs(); !ran)
      return tl::unexpected(ran.error());
    proof_.verdict = Verdict();
    return std::move(proof_);
  }

 private:
  struct MeasuredRun {
    RepeatResult result;
    RunMeasures measures;
    RecordedRun recorded;  // with ProofOptions::recorded
  };

  Result<void> RunPairs() {
    if (Result<void> ran = WarmUp({Side::kBefore, Side::kAfter}); !ran) return ran;
    std::mt19937_64 random{std::random_device{}()};
    const int64_t begin_ns = MonotonicNanos();
    for (size_t pair = 1; proof_.problem.empty() && IsOpen() && proof_.results.Different().empty(); ++pair) {
      if (static_cast<int64_t>(2 * pair) > options_.runs) break;
      if (options_.budget_ns > 0 && MonotonicNanos() - begin_ns > options_.budget_ns) break;
      if (Result<void> ran = RunPair(pair, random() % 2 == 0); !ran) return ran;
    }
    return {};
  }

  // Tests the times only once, after the last run (RecordedRuns).
  Result<void> RunAfterRecorded() {
    if (Result<void> ran = WarmUp({Side::kAfter}); !ran) return ran;
    RecordedRuns runs(*options_.recorded);
    for (int64_t number = 1; number <= options_.runs && proof_.problem.empty(); ++number) {
      const Result<MeasuredRun> run = RunOnce(Side::kAfter, std::to_string(number));
      if (!run) return tl::unexpected(run.error());
      if (!proof_.problem.empty()) break;
      runs.Add(run->recorded);
      proof_.after.push_back(run->recorded.measures);
      ++proof_.runs_after;
      proof_.last_after = run->result.folder;
      options_.note(fmt::format("run {} of {}: {:.1f} s", number, options_.runs, run->result.seconds));
    }
    proof_.recorded = runs.Recorded();
    if (proof_.runs_after == 0) return {};
    for (const RecordedRun& run : runs.Comparable()) proof_.before.push_back(run.measures);
    proof_.runs_before = proof_.before.size();
    proof_.effects = runs.Effects();
    return {};
  }

  bool IsOpen() const { return pairs_.Of(options_.decisive).Decided() == RunsDecision::kOpen; }

  ProofVerdict Verdict() const {
    if (!proof_.problem.empty()) return ProofVerdict::kFailed;
    if (!proof_.results.Different().empty()) return ProofVerdict::kDifferentResults;
    const MeasureEffect* const time = proof_.Of(ProofMeasure::kTime);
    const MeasureEffect* const decisive = proof_.Of(proof_.decisive);
    if (decisive == nullptr) return ProofVerdict::kNoDifference;
    // A run that needs less memory but more time counts as slower.
    if (decisive->decision == RunsDecision::kSlower || (time != nullptr && time->decision == RunsDecision::kSlower))
      return ProofVerdict::kSlower;
    return decisive->decision == RunsDecision::kFaster ? ProofVerdict::kProved : ProofVerdict::kNoDifference;
  }

  // Fills the caches of files, images and services, and shows what the program writes.
  Result<void> WarmUp(std::initializer_list<Side> sides) {
    for (const Side side : sides) {
      const Result<MeasuredRun> run = RunOnce(side, "warm-up");
      if (!run) return tl::unexpected(run.error());
      if (!proof_.problem.empty()) return {};
      if (side == *sides.begin() && !options_.allows_writes && options_.reset.empty() && !writes_.empty()) {
        proof_.problem = fmt::format(
            "{}; a second run would not do the same work. Give --reset COMMAND, which restores the data before each "
            "run, or --allow-writes",
            writes_);
        return {};
      }
    }
    if (!proof_.results.NeedsRunBefore()) return {};
    const Result<MeasuredRun> again = RunOnce(Side::kBefore, "again");
    return again ? Result<void>() : tl::unexpected(again.error());
  }

  Result<void> RunPair(size_t pair, bool is_before_first) {
    MeasuredRun before, after;
    for (const Side side :
         {is_before_first ? Side::kBefore : Side::kAfter, is_before_first ? Side::kAfter : Side::kBefore}) {
      Result<MeasuredRun> run = RunOnce(side, std::to_string(pair));
      if (!run) return tl::unexpected(run.error());
      if (!proof_.problem.empty()) return {};
      (side == Side::kBefore ? before : after) = std::move(*run);
    }
    ++proof_.runs_before;
    ++proof_.runs_after;
    proof_.last_before = before.result.folder;
    proof_.last_after = after.result.folder;
    proof_.before.push_back(before.measures);
    proof_.after.push_back(after.measures);
    pairs_.Add(before.measures, after.measures);
    proof_.effects = pairs_.Effects();
    options_.note(fmt::format("pair {}: {:.1f} s before, {:.1f} s after; so far {:+.1f}%", pair, before.result.seconds,
                              after.result.seconds, 100 * pairs_.Of(ProofMeasure::kTime).Estimate().median));
    return {};
  }

  // Sets the proof's problem if the run fails.
  Result<MeasuredRun> RunOnce(Side side, std::string_view number) {
    const ProvedProgram& program = side == Side::kBefore ? options_.before : options_.after;
    const std::string folder = fmt::format("{}/{}-{}", options_.output, NameOf(side), number);
    if (Result<void> created = CreateFolders(folder); !created) return tl::unexpected(created.error());
    if (!options_.reset.empty()) {
      if (Result<void> reset = Reset(folder); !reset) return tl::unexpected(reset.error());
      if (!proof_.problem.empty()) return MeasuredRun();
    }
    std::vector<std::string> command = options_.profiler;
    command.insert(command.end(), {"--output-dir", folder + "/profile", "--"});
    command.insert(command.end(), program.command.begin(), program.command.end());
    Result<RepeatResult> ran =
        RunMeasured({command, program.environment, folder + "/output.log"}, folder, kReadEveryNs, kNoTimeout, signals_);
    if (!ran) return tl::unexpected(ran.error());
    MeasuredRun run{.result = std::move(*ran)};
    run.result.folder = folder;
    if (signals_->Received() != 0) {
      proof_.problem = "interrupted";
    } else if (run.result.exit_code != 0) {
      proof_.problem = fmt::format("the run {} the change ended with exit code {}; its output is {}/output.log",
                                   NameOf(side), run.result.exit_code, folder);
    } else {
      ReadRecording(side, folder, &run);
    }
    return run;
  }

  Result<void> Reset(const std::string& folder) {
    const Result<RepeatResult> reset =
        RunMeasured({options_.reset, {}, folder + "/reset.log"}, folder, kReadEveryNs, kNoTimeout, signals_);
    if (!reset) return tl::unexpected(reset.error());
    if (reset->exit_code != 0 || signals_->Received() != 0) {
      proof_.problem =
          fmt::format("--reset ended with exit code {}; its output is {}/reset.log", reset->exit_code, folder);
    }
    return {};
  }

  void ReadRecording(Side side, const std::string& folder, MeasuredRun* run) {
    const Result<std::optional<Application>> read = options_.read(folder + "/profile");
    const Application* const application = read && *read ? &**read : nullptr;
    run->measures = MeasuresOfRun(run->result, application, options_.prices);
    if (application == nullptr) {
      if (options_.checks_results || options_.recorded) {
        proof_.problem =
            fmt::format("the run {} the change left no recording with tasks in {}/profile", NameOf(side), folder);
      }
      return;
    }
    if (std::isnan(run->measures.Get(options_.decisive))) {
      proof_.problem = fmt::format("the recording in {}/profile does not show {}", folder, TitleOf(options_.decisive));
      return;
    }
    proof_.group = GroupOf(*application);
    proof_.application = application->id;
    if (writes_.empty()) writes_ = WritesThatAddUp(*application);
    if (options_.recorded) {
      run->recorded = RecordedRunOf(*application, options_.prices);
      return;
    }
    ReadResults(side, folder, *application);
  }

  void ReadResults(Side side, const std::string& folder, const Application& application) {
    if (!options_.checks_results) return;
    RecordedFingerprints fingerprints;
    if (options_.checks_values) {
      Result<RecordedFingerprints> read = ReadFingerprints(folder + "/profile", application.id);
      if (read) {
        fingerprints = std::move(*read);
      } else {
        fingerprints.problem = read.error().message;
      }
    }
    if (side == Side::kBefore) {
      proof_.results.AddBefore(application, fingerprints);
    } else {
      proof_.results.AddAfter(application, fingerprints);
    }
  }

  const ProofOptions& options_;
  WaitedSignals* signals_;
  Proof proof_;
  PairedMeasures pairs_;
  std::string writes_;  // WritesThatAddUp of the first run
};

std::string RunsText(const Proof& proof) {
  if (proof.recorded) {
    return fmt::format("results unchecked, {} runs against {} recorded ones", proof.runs_after, proof.runs_before);
  }
  const size_t queries = proof.results.Queries();
  std::string text = queries == 0 ? "no results to compare"
                                  : fmt::format("{} in {} of {} {}",
                                                proof.results.ComparesValues() ? "same results" : "equal row counts",
                                                proof.results.Equal(), queries, queries == 1 ? "query" : "queries");
  return text + fmt::format(", {} runs", proof.runs_before + proof.runs_after);
}

// "18.2 s faster (-31%, 95%: -35% to -27%)"
std::string ChangeText(const Proof& proof, ProofMeasure measure) {
  const MeasureEffect& effect = *proof.Of(measure);
  const RunsEffect& change = effect.effect;
  const bool is_less = change.median < 0, is_time = measure == ProofMeasure::kTime;
  return fmt::format("{} {} ({}, 95%: {} to {})",
                     MeasureValueText(measure, std::abs(change.median) * effect.before, proof.currency),
                     is_time   ? is_less ? "faster" : "slower"
                     : is_less ? "less"
                               : "more",
                     PercentText(change.median), PercentText(change.low), PercentText(change.high));
}

// A program is "slower" by its time, unless only the decisive measure got worse.
ProofMeasure WorseOf(const Proof& proof) {
  const MeasureEffect* const time = proof.Of(ProofMeasure::kTime);
  return time != nullptr && time->decision == RunsDecision::kSlower ? ProofMeasure::kTime : proof.decisive;
}

// The largest change that the data do not rule out.
std::string LargestText(const Proof& proof) {
  if (proof.recorded && proof.runs_before < RecordedRuns::kLeastRecorded) {
    return fmt::format(" ({} of {} recorded runs read as much data, at least {} are needed)", proof.runs_before,
                       *proof.recorded, RecordedRuns::kLeastRecorded);
  }
  const MeasureEffect* const effect = proof.Of(proof.decisive);
  if (effect == nullptr) return "";
  const double largest = std::max(std::abs(effect->effect.low), std::abs(effect->effect.high));
  if (std::isinf(largest) || largest >= 1) return " (too few pairs to say how much noise there is)";
  return fmt::format(" (±{:.{}f}%)", 100 * largest, largest < 0.095 ? 1 : 0);
}

}  // namespace

std::string_view NameOf(ProofVerdict verdict) {
  switch (verdict) {
    case ProofVerdict::kProved:
      return "proved";
    case ProofVerdict::kNoDifference:
      return "no-difference";
    case ProofVerdict::kSlower:
      return "slower";
    case ProofVerdict::kDifferentResults:
      return "different-results";
    case ProofVerdict::kFailed:
      return "failed";
  }
  return "";
}

const MeasureEffect* Proof::Of(ProofMeasure measure) const { return FindEffect(measure, effects); }

Result<Proof> Prove(const ProofOptions& options, WaitedSignals* signals) { return Prover(options, signals).Run(); }

std::string TextOf(const Proof& proof) {
  switch (proof.verdict) {
    case ProofVerdict::kProved:
      return fmt::format("Proved: {}, {}", ChangeText(proof, proof.decisive), RunsText(proof));
    case ProofVerdict::kSlower:
      return fmt::format("{}: {}, {}", WorseOf(proof) == ProofMeasure::kTime ? "Slower" : "Worse",
                         ChangeText(proof, WorseOf(proof)), RunsText(proof));
    case ProofVerdict::kNoDifference:
      return fmt::format("No difference above noise{}, {}", LargestText(proof), RunsText(proof));
    case ProofVerdict::kDifferentResults: {
      const ResultComparison::Difference& first = proof.results.Different().front();
      const size_t others = proof.results.Different().size() - 1;
      return fmt::format("Different results: {} {}{}", first.query, first.text,
                         others == 0 ? "" : fmt::format(", and {} more", others));
    }
    case ProofVerdict::kFailed:
      return "Failed: " + proof.problem;
  }
  return "";
}

std::string ProofJson(const Proof& proof, const std::optional<ProofPromise>& promise, const ProofSubject& subject) {
  JsonWriter json;
  json.BeginObject().Member("verdict", NameOf(proof.verdict));
  const MeasureEffect* const time = proof.Of(ProofMeasure::kTime);
  json.Key("deltaMs");
  if (time == nullptr) {
    json.Null();
  } else {
    WriteChange(*time, &json);
  }
  json.Key("runs").BeginObject();
  json.Member("before", static_cast<int64_t>(proof.runs_before))
      .Member("after", static_cast<int64_t>(proof.runs_after));
  const MeasureEffect* const decisive = proof.Of(proof.decisive);
  json.EndObject().Member("p", decisive == nullptr ? 1 : decisive->probability);
  json.Key("results").BeginObject();
  json.Member("queries", static_cast<int64_t>(proof.results.Queries()));
  json.Member("equal", static_cast<int64_t>(proof.results.Equal())).Key("different").BeginArray();
  for (const ResultComparison::Difference& one : proof.results.Different()) {
    json.BeginObject().Member("query", one.query).Member("before", one.before).Member("after", one.after);
    json.Member("columns", one.columns).Member("difference", one.text).EndObject();
  }
  json.EndArray().Key("unchecked").BeginArray();
  if (proof.recorded) json.Value(kRecordedUnchecked);
  for (const std::string& one : proof.results.Unchecked()) json.Value(one);
  json.EndArray().EndObject();
  WritePromise(promise, proof.effects, &json);
  WriteMeasures(proof.effects, proof.currency, &json);
  WriteSubject(subject, &json);
  json.Member("text", TextOf(proof));
  if (!proof.problem.empty()) json.Member("problem", proof.problem);
  json.EndObject();
  return json.Take();
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "prove/proof.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/io/private_file.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"

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
    if (Result<void> ran = WarmUp(); !ran) return tl::unexpected(ran.error());
    std::mt19937_64 random{std::random_device{}()};
    const int64_t begin_ns = MonotonicNanos();
    for (size_t pair = 1; proof_.problem.empty() && IsOpen() && proof_.results.Different().empty(); ++pair) {
      if (static_cast<int64_t>(2 * pair) > options_.runs) break;
      if (options_.budget_ns > 0 && MonotonicNanos() - begin_ns > options_.budget_ns) break;
      if (Result<void> ran = RunPair(pair, random() % 2 == 0); !ran) return tl::unexpected(ran.error());
    }
    proof_.verdict = Verdict();
    return std::move(proof_);
  }

 private:
  bool IsOpen() const { return proof_.seconds.Decided() == PairedRuns::Decision::kOpen; }

  ProofVerdict Verdict() const {
    if (!proof_.problem.empty()) return ProofVerdict::kFailed;
    if (!proof_.results.Different().empty()) return ProofVerdict::kDifferentResults;
    switch (proof_.seconds.Decided()) {
      case PairedRuns::Decision::kFaster:
        return ProofVerdict::kProved;
      case PairedRuns::Decision::kSlower:
        return ProofVerdict::kSlower;
      default:
        return ProofVerdict::kNoDifference;
    }
  }

  // Runs that fill caches of files, images and services, and show what the program writes.
  Result<void> WarmUp() {
    for (const Side side : {Side::kBefore, Side::kAfter}) {
      const Result<RepeatResult> run = RunOnce(side, "warm-up");
      if (!run) return tl::unexpected(run.error());
      if (!proof_.problem.empty()) return {};
      if (side == Side::kBefore && !options_.allows_writes && options_.reset.empty() && !writes_.empty()) {
        proof_.problem = fmt::format(
            "{}; a second run would not do the same work. Give --reset COMMAND, which restores the data before each "
            "run, or --allow-writes",
            writes_);
        return {};
      }
    }
    if (!proof_.results.NeedsRunBefore()) return {};
    const Result<RepeatResult> again = RunOnce(Side::kBefore, "again");
    return again ? Result<void>() : tl::unexpected(again.error());
  }

  Result<void> RunPair(size_t pair, bool is_before_first) {
    RepeatResult before, after;
    for (const Side side :
         {is_before_first ? Side::kBefore : Side::kAfter, is_before_first ? Side::kAfter : Side::kBefore}) {
      Result<RepeatResult> run = RunOnce(side, std::to_string(pair));
      if (!run) return tl::unexpected(run.error());
      if (!proof_.problem.empty()) return {};
      (side == Side::kBefore ? before : after) = std::move(*run);
    }
    ++proof_.runs_before;
    ++proof_.runs_after;
    proof_.last_before = before.folder;
    proof_.last_after = after.folder;
    proof_.seconds.Add(before.seconds, after.seconds);
    proof_.cpu_seconds.Add(before.cpu_seconds, after.cpu_seconds);
    proof_.peak_bytes.Add(static_cast<double>(before.max_rss_bytes), static_cast<double>(after.max_rss_bytes));
    options_.note(fmt::format("pair {}: {:.1f} s before, {:.1f} s after; so far {:+.1f}%", pair, before.seconds,
                              after.seconds, 100 * proof_.seconds.Estimate().median));
    return {};
  }

  // Sets the proof's problem if the run fails.
  Result<RepeatResult> RunOnce(Side side, std::string_view number) {
    const ProvedProgram& program = side == Side::kBefore ? options_.before : options_.after;
    const std::string folder = fmt::format("{}/{}-{}", options_.output, NameOf(side), number);
    if (Result<void> created = CreateFolders(folder); !created) return tl::unexpected(created.error());
    if (!options_.reset.empty()) {
      if (Result<void> reset = Reset(folder); !reset) return tl::unexpected(reset.error());
      if (!proof_.problem.empty()) return RepeatResult();
    }
    std::vector<std::string> command = options_.profiler;
    command.insert(command.end(), {"--output-dir", folder + "/profile", "--"});
    command.insert(command.end(), program.command.begin(), program.command.end());
    Result<RepeatResult> run =
        RunMeasured({command, program.environment, folder + "/output.log"}, folder, kReadEveryNs, kNoTimeout, signals_);
    if (!run) return run;
    run->folder = folder;
    if (signals_->Received() != 0) {
      proof_.problem = "interrupted";
    } else if (run->exit_code != 0) {
      proof_.problem = fmt::format("the run {} the change ended with exit code {}; its output is {}/output.log",
                                   NameOf(side), run->exit_code, folder);
    } else {
      ReadResults(side, folder);
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

  void ReadResults(Side side, const std::string& folder) {
    const Result<std::optional<Application>> application = options_.read(folder + "/profile");
    if (!application || !*application) {
      if (options_.checks_results) {
        proof_.problem =
            fmt::format("the run {} the change left no recording with tasks in {}/profile", NameOf(side), folder);
      }
      return;
    }
    if (side == Side::kBefore && writes_.empty()) writes_ = WritesThatAddUp(**application);
    if (!options_.checks_results) return;
    RecordedFingerprints fingerprints;
    if (options_.checks_values) {
      Result<RecordedFingerprints> read = ReadFingerprints(folder + "/profile", (*application)->id);
      if (read) {
        fingerprints = std::move(*read);
      } else {
        fingerprints.problem = read.error().message;
      }
    }
    if (side == Side::kBefore) {
      proof_.results.AddBefore(**application, fingerprints);
    } else {
      proof_.results.AddAfter(**application, fingerprints);
    }
  }

  const ProofOptions& options_;
  WaitedSignals* signals_;
  Proof proof_;
  std::string writes_;  // WritesThatAddUp of the first run
};

// "−31%"; two digits of a small change.
std::string Percent(double change) {
  if (std::isinf(change)) return "unlimited";
  const double percent = 100 * change;
  return fmt::format("{:+.{}f}%", percent, std::abs(percent) < 9.5 ? 1 : 0);
}

std::string RunsText(const Proof& proof) {
  const size_t queries = proof.results.Queries();
  std::string text = queries == 0 ? "no results to compare"
                                  : fmt::format("{} in {} of {} {}",
                                                proof.results.ComparesValues() ? "same results" : "equal row counts",
                                                proof.results.Equal(), queries, queries == 1 ? "query" : "queries");
  return text + fmt::format(", {} runs", proof.runs_before + proof.runs_after);
}

// "18.2 s faster (-31%, 95%: -35% to -27%)"
std::string ChangeText(const Proof& proof) {
  const PairedRuns::Effect effect = proof.seconds.Estimate();
  return fmt::format("{:.1f} s {} ({}, 95%: {} to {})", std::abs(effect.median) * proof.seconds.MedianBefore(),
                     effect.median < 0 ? "faster" : "slower", Percent(effect.median), Percent(effect.low),
                     Percent(effect.high));
}

// The largest change that could still be there.
std::string LargestText(const Proof& proof) {
  if (proof.seconds.Pairs() == 0) return "";
  const PairedRuns::Effect effect = proof.seconds.Estimate();
  const double largest = std::max(std::abs(effect.low), std::abs(effect.high));
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

Result<Proof> Prove(const ProofOptions& options, WaitedSignals* signals) { return Prover(options, signals).Run(); }

std::string TextOf(const Proof& proof) {
  switch (proof.verdict) {
    case ProofVerdict::kProved:
      return fmt::format("Proved: {}, {}", ChangeText(proof), RunsText(proof));
    case ProofVerdict::kSlower:
      return fmt::format("Slower: {}, {}", ChangeText(proof), RunsText(proof));
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

std::string ProofJson(const Proof& proof, std::optional<std::pair<int64_t, int64_t>> promised_ns) {
  JsonWriter json;
  json.BeginObject().Member("verdict", NameOf(proof.verdict));
  const auto member = [&](std::string_view name, double value) {
    json.Key(name);
    if (std::isfinite(value)) {
      json.Value(static_cast<int64_t>(std::llround(value)));
    } else {
      json.Null();
    }
  };
  json.Key("deltaMs");
  if (proof.seconds.Pairs() == 0) {
    json.Null();
  } else {
    const PairedRuns::Effect effect = proof.seconds.Estimate();
    const double before_ms = proof.seconds.MedianBefore() * 1000;
    json.BeginObject();
    member("median", effect.median * before_ms);
    member("low", effect.low <= -1 ? -std::numeric_limits<double>::infinity() : effect.low * before_ms);
    member("high", effect.high * before_ms);
    json.EndObject();
  }
  json.Key("runs").BeginObject();
  json.Member("before", static_cast<int64_t>(proof.runs_before))
      .Member("after", static_cast<int64_t>(proof.runs_after));
  json.EndObject().Member("p", proof.seconds.Probability());
  json.Key("results").BeginObject();
  json.Member("queries", static_cast<int64_t>(proof.results.Queries()));
  json.Member("equal", static_cast<int64_t>(proof.results.Equal())).Key("different").BeginArray();
  for (const ResultComparison::Difference& one : proof.results.Different()) {
    json.BeginObject().Member("query", one.query).Member("before", one.before).Member("after", one.after);
    json.Key("columns").BeginArray();
    for (const std::string& column : one.columns) json.Value(column);
    json.EndArray().Member("difference", one.text).EndObject();
  }
  json.EndArray().Key("unchecked").BeginArray();
  for (const std::string& one : proof.results.Unchecked()) json.Value(one);
  json.EndArray().EndObject().Key("promisedMs");
  if (promised_ns) {
    json.BeginObject();
    member("low", -static_cast<double>(promised_ns->second) / kNanosPerMilli);
    member("high", -static_cast<double>(promised_ns->first) / kNanosPerMilli);
    json.EndObject();
  } else {
    json.Null();
  }
  if (!proof.problem.empty()) json.Member("problem", proof.problem);
  json.EndObject();
  return json.Take();
}

}  // namespace sparkprof

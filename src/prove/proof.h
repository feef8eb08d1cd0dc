// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/costs/price_list.h"
#include "base/result.h"
#include "model/application.h"
#include "proofs/known_proof.h"
#include "prove/measures.h"
#include "prove/promise.h"
#include "prove/recorded_runs.h"
#include "prove/result_comparison.h"
#include "suite/job_run.h"

namespace sparkprof {

// A program before or after the change.
struct ProvedProgram {
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;  // variables to set
};

struct ProofOptions {
  ProvedProgram before, after;
  // Recorded runs to compare with instead of running `before`; nullopt = run it.
  std::optional<std::vector<RecordedRun>> recorded;
  ProofMeasure decisive = ProofMeasure::kTime;  // decides the verdict
  std::optional<PriceList> prices;              // required for costs
  std::string output;                           // existing folder
  std::vector<std::string> profiler;            // prefix of each command, followed by "--output-dir FOLDER --"
  std::vector<std::string> reset;               // command before each run; empty = none
  int64_t runs = 24;      // maximum number of measured runs of both programs; with `recorded`, the number of new runs
  int64_t budget_ns = 0;  // no pair begins after this time; 0 = unlimited
  bool checks_results = true;
  bool checks_values = true;   // compare the fingerprints of values, not only row counts
  bool allows_writes = false;  // continue although each run adds data
  // Reads a run's recording; nullopt if it has no tasks.
  std::function<Result<std::optional<Application>>(const std::string& path)> read;
  std::function<void(const std::string& text)> note;  // progress
};

// The entry of proofs against recorded runs among the unchecked results.
inline constexpr std::string_view kRecordedUnchecked = "all results: those of recorded runs are not compared";

enum class ProofVerdict { kProved, kNoDifference, kSlower, kDifferentResults, kFailed };
std::string_view NameOf(ProofVerdict verdict);  // "proved", "no-difference", "slower", "different-results", "failed"

struct Proof {
  ProofVerdict verdict = ProofVerdict::kFailed;
  std::string problem;                     // reason of kFailed
  size_t runs_before = 0, runs_after = 0;  // measured
  ProofMeasure decisive = ProofMeasure::kTime;
  std::vector<MeasureEffect> effects;      // known measures only; empty without a pair of runs
  std::string currency;                    // currency of costs
  std::vector<RunMeasures> before, after;  // the measured runs; pairs are in order
  std::optional<size_t> recorded;  // number of recorded runs before the change; runs_before counts the comparable ones
  ResultComparison results;
  std::string group, application;       // from the last run
  std::string last_before, last_after;  // folders of the last measured runs; empty = none

  const MeasureEffect* Of(ProofMeasure measure) const;  // null if unknown
};

// Runs both programs once to warm up, then in pairs of random order until the difference is decided. With recorded
// runs, runs only the changed program: once to warm up, then `runs` times. Returns kFailed if a run fails, a signal
// arrives, or the first run leaves data that a second run would add to while `allows_writes` and `reset` are unset.
// Each run has a folder in the output folder: "before-1", "after-1". Fails if the output folder cannot be written.
Result<Proof> Prove(const ProofOptions& options, WaitedSignals* signals);

// "18.2 s faster (−31%, 95%: −35 to −27%)", or the sentence of another verdict.
std::string TextOf(const Proof& proof);

// The document of `sparkprof prove --json` (docs/prove.md).
std::string ProofJson(const Proof& proof, const std::optional<ProofPromise>& promise, const ProofSubject& subject);

// A page without scripts: the verdict, a bar for each measured run, the change with its interval, the other measures,
// and `details`, the lines that the terminal prints below the verdict.
std::string ProofPage(const Proof& proof, const ProofSubject& subject, std::string_view details);

}  // namespace sparkprof

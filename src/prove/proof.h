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
  // Recorded runs that take the place of `before`, which then is not run; nullopt = run it.
  std::optional<std::vector<RecordedRun>> recorded;
  ProofMeasure decisive = ProofMeasure::kTime;  // the measure of the verdict
  std::optional<PriceList> prices;              // for costs
  std::string output;                           // existing folder
  std::vector<std::string> profiler;            // prefix of each command, followed by "--output-dir FOLDER --"
  std::vector<std::string> reset;               // command before each run; empty = none
  int64_t runs = 24;      // most measured runs, of both programs together; with `recorded` their number
  int64_t budget_ns = 0;  // no pair begins after this time; 0 = unlimited
  bool checks_results = true;
  bool checks_values = true;   // compare values, by the plugin's fingerprints, and not only numbers of rows
  bool allows_writes = false;  // go on although runs leave more data behind
  // Reads a run's recording; nullopt if it has no tasks.
  std::function<Result<std::optional<Application>>(const std::string& path)> read;
  std::function<void(const std::string& text)> note;  // progress
};

// Stands among the unchecked results of proofs against recorded runs.
inline constexpr std::string_view kRecordedUnchecked = "all results: those of recorded runs are not compared";

enum class ProofVerdict { kProved, kNoDifference, kSlower, kDifferentResults, kFailed };
std::string_view NameOf(ProofVerdict verdict);  // "proved", "no-difference", "slower", "different-results", "failed"

struct Proof {
  ProofVerdict verdict = ProofVerdict::kFailed;
  std::string problem;                     // why it failed
  size_t runs_before = 0, runs_after = 0;  // measured
  ProofMeasure decisive = ProofMeasure::kTime;
  std::vector<MeasureEffect> effects;      // of known measures; empty = no run, or no pair of runs
  std::string currency;                    // of costs
  std::vector<RunMeasures> before, after;  // the measured runs; pairs are in order
  std::optional<size_t> recorded;          // recorded runs before the change; runs_before are those that are comparable
  ResultComparison results;
  std::string group, application;       // of the last run
  std::string last_before, last_after;  // folders of the last measured runs; empty = none

  const MeasureEffect* Of(ProofMeasure measure) const;  // null = unknown
};

// Runs both programs once to warm up, then pairs of them in random order until the difference is decided. With recorded
// runs, runs the changed program only, once to warm up and then as often as `runs` says. Ends with kFailed if a run
// fails, a signal arrives, or `allows_writes` and `reset` are unset and the first run leaves data that a second one
// would add to. Each run has a folder in the output folder: "before-1", "after-1". Fails if the output folder cannot be
// written.
Result<Proof> Prove(const ProofOptions& options, WaitedSignals* signals);

// "18.2 s faster (−31%, 95%: −35 to −27%)", or the sentence of the other verdicts.
std::string TextOf(const Proof& proof);

// The document of `sparkprof prove --json` (docs/prove.md).
std::string ProofJson(const Proof& proof, const std::optional<ProofPromise>& promise, const ProofSubject& subject);

}  // namespace sparkprof

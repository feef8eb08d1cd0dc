// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/json_writer.h"

namespace sparkprof {

// The subject of a proof, and where it belongs.
struct ProofSubject {
  int64_t time_ms = 0;  // its end, since the Unix epoch
  std::string group;    // of the application's runs
  std::string application;
  std::string finding, rule;  // empty = the change comes from no finding
  std::string change;         // "spark.sql.shuffle.partitions=64", without secrets
};

// Writes the members "time", "group", "application", "finding", "rule" and "change" into an open object.
void WriteSubject(const ProofSubject& subject, JsonWriter* json);

// Milliseconds after the change minus before, so negative is faster. nullopt = unlimited.
struct ProofChange {
  int64_t median = 0;
  std::optional<int64_t> low, high;
};

// A finished proof, as proof.json in the output folder of `sparkprof prove` has it. Texts are of the job.
struct KnownProof {
  ProofSubject subject;
  std::string verdict;  // "proved", "no-difference", "slower", "different-results", "failed"
  std::string text;     // the verdict in one sentence
  std::optional<ProofChange> delta_ms;
  std::optional<ProofChange> promised_ms;  // low and high only
  std::string promise;                     // "kept", "exceeded", "missed", "open"; empty = nothing was promised
  std::vector<std::string> worse;          // measures: "peakBytes"
  int64_t runs_before = 0, runs_after = 0;

  bool IsProved() const { return verdict == "proved"; }
};

// Whether this is a verdict's name.
bool IsVerdict(std::string_view name);

// Reads proof.json of anybody: checks its members, shortens and redacts texts, and ignores the rest, so that the result
// has at most a few KiB.
Result<KnownProof> ParseProof(std::string_view json);

// ParseProof reads it. The members are those of proof.json, in one line.
std::string KnownProofJson(const KnownProof& proof);

// "Proved: 18.2 s faster (…): spark.sql.shuffle.partitions=64, advised by tiny-tasks-4.0"
std::string ProofSentence(const KnownProof& proof);

// How often the changes of one rule's advice were proved.
struct ProvedRule {
  std::string rule;
  size_t proofs = 0, proved = 0;
};

// By rule, the most proofs first. Proofs of other changes are left out.
std::vector<ProvedRule> CountByRule(const std::vector<KnownProof>& proofs);

}  // namespace sparkprof

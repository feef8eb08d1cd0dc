// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/json_writer.h"

namespace sparkprof {

// The subject of a proof and the group it belongs to.
struct ProofSubject {
  int64_t time_ms = 0;  // end of the proof since the Unix epoch
  std::string group;    // group of the application's runs
  std::string application;
  std::string finding, rule;  // empty if the change is not from a finding
  std::string change;         // "spark.sql.shuffle.partitions=64", secrets redacted
};

// Writes the members "time", "group", "application", "finding", "rule" and "change" into an open object.
void WriteSubject(const ProofSubject& subject, JsonWriter* json);

// Milliseconds after minus before the change: negative is faster. nullopt = unlimited.
struct ProofChange {
  int64_t median = 0;
  std::optional<int64_t> low, high;
};

// A finished proof, as `sparkprof prove` writes proof.json. Its texts come from the job.
struct KnownProof {
  ProofSubject subject;
  std::string verdict;  // "proved", "no-difference", "slower", "different-results", "failed"
  std::string text;     // the verdict in one sentence
  std::optional<ProofChange> delta_ms;
  std::optional<ProofChange> promised_ms;  // only low and high
  std::string promise;                     // "kept", "exceeded", "missed", "open"; empty without a promise
  std::vector<std::string> worse;          // measures that got worse: "peakBytes"
  int64_t runs_before = 0, runs_after = 0;

  bool IsProved() const { return verdict == "proved"; }
};

bool IsVerdict(std::string_view name);

// Reads an untrusted proof.json: checks its members, shortens and redacts its texts, and ignores other members. The
// result has at most a few KiB.
Result<KnownProof> ParseProof(std::string_view json);

// One line of JSON with the members of proof.json, for ParseProof.
std::string KnownProofJson(const KnownProof& proof);

// "Proved: 18.2 s faster (…): spark.sql.shuffle.partitions=64, advised by tiny-tasks-4.0"
std::string ProofSentence(const KnownProof& proof);

// The number of proofs of changes that a rule advised.
struct ProvedRule {
  std::string rule;
  size_t proofs = 0, proved = 0;
};

// Counts proofs by rule; ignores proofs of changes without a rule.
class RuleCounts {
 public:
  // `proof` must outlive this.
  void Add(const KnownProof& proof);
  // The `most` rules with the most proofs, most proofs first.
  std::vector<ProvedRule> Most(size_t most) const;

 private:
  struct Count {
    size_t proofs = 0, proved = 0;
  };
  std::map<std::string_view, Count> by_rule_;
};

}  // namespace sparkprof

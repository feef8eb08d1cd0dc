// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/application.h"
#include "prove/query_results.h"
#include "prove/result_fingerprint.h"

namespace sparkprof {

// Compares the results of runs before and after a change. Results that differ between runs before the change cannot be
// compared: they depend on more than the program.
class ResultComparison {
 public:
  struct Difference {
    std::string query;
    int64_t before = 0, after = 0;     // rows
    std::vector<std::string> columns;  // columns with different values
    std::string text;                  // "has 40 rows instead of 50"
  };

  // A run whose recording lacks the application's end is only counted: its last queries are unknown.
  void AddBefore(const Application& application, const RecordedFingerprints& fingerprints = {});
  void AddAfter(const Application& application, const RecordedFingerprints& fingerprints = {});

  // True if results differ but the program ran only once before the change: another run shows whether its results vary.
  bool NeedsRunBefore() const { return runs_before_ == 1 && !different_.empty(); }

  // True if values were compared, not only row counts.
  bool ComparesValues() const { return has_fingerprints_; }
  size_t Queries() const { return queries_.size(); }
  size_t Equal() const { return equal_; }  // equal in all runs, of which at least one is after the change
  const std::vector<Difference>& Different() const { return different_; }
  // "2 queries: they show some rows only", "3 jobs of RDDs".
  std::vector<std::string> Unchecked() const;

 private:
  using Key = std::pair<std::string, size_t>;  // name, and its index among queries of this name
  using Results = std::map<Key, QueryResult>;

  struct Query {
    QueryResult result;              // result of the first run
    std::string unchecked;           // reason why it cannot be compared; empty if it can
    std::vector<bool> is_unstable;   // columns that differ between runs of one program; empty without a fingerprint
    bool has_unstable_rows = false;  // equal columns, but combined in other rows
  };

  struct Outcome {
    bool is_equal = false;
    std::string unchecked;  // description of what was not compared
    std::vector<Difference> difference;
  };

  bool IsIncomplete(const Application& application);
  static Results Keyed(const Application& application, const RecordedFingerprints& fingerprints);
  static void AddRunBefore(const QueryResult& result, Query* query);
  Outcome Compare(const Query& query, const QueryResult& after) const;
  Outcome CompareValues(const Query& query, const QueryResult& after) const;
  void CompareAll();

  size_t runs_before_ = 0, incomplete_runs_ = 0;
  std::map<Key, Query> queries_;
  std::vector<Results> after_;
  size_t equal_ = 0;
  std::vector<Difference> different_;
  std::map<std::string, size_t> unchecked_;  // number of queries by reason
  bool has_fingerprints_ = false;
  std::string problem_;  // reason why the application has no fingerprints
  size_t jobs_of_rdds_ = 0, streams_ = 0;
};

}  // namespace sparkprof

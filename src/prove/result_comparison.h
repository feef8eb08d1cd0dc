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

// Compares the results of runs before and after a change. Whatever differs between runs before the change cannot be
// compared: it depends on more than the program.
class ResultComparison {
 public:
  struct Difference {
    std::string query;
    int64_t before = 0, after = 0;     // rows
    std::vector<std::string> columns;  // with other values
    std::string text;                  // "has 40 rows instead of 50"
  };

  void AddBefore(const Application& application, const RecordedFingerprints& fingerprints = {});
  void AddAfter(const Application& application, const RecordedFingerprints& fingerprints = {});

  // Whether there is a difference, but only one run before the change: another one shows whether it differs, too.
  bool NeedsRunBefore() const { return runs_before_ == 1 && !different_.empty(); }

  // Whether values were compared, not only numbers of rows.
  bool ComparesValues() const { return has_fingerprints_; }
  size_t Queries() const { return queries_.size(); }
  size_t Equal() const { return equal_; }  // compared with at least one run after the change, and always equal
  const std::vector<Difference>& Different() const { return different_; }
  // "2 queries: they show some rows only", "3 jobs of RDDs".
  std::vector<std::string> Unchecked() const;

 private:
  using Key = std::pair<std::string, size_t>;  // name, and its number among queries with the same name
  using Results = std::map<Key, QueryResult>;

  struct Query {
    QueryResult result;              // of the first run
    std::string unchecked;           // why it cannot be compared; empty if it can
    std::vector<bool> is_unstable;   // columns that differ from run to run; empty without fingerprint
    bool has_unstable_rows = false;  // equal columns, but in other rows
  };

  struct Outcome {
    bool is_equal = false;
    std::string unchecked;  // what was not compared
    std::vector<Difference> difference;
  };

  static Results Keyed(const Application& application, const RecordedFingerprints& fingerprints);
  static void AddRunBefore(const QueryResult& result, Query* query);
  Outcome Compare(const Query& query, const QueryResult& after) const;
  Outcome CompareValues(const Query& query, const QueryResult& after) const;
  void CompareAll();

  size_t runs_before_ = 0;
  std::map<Key, Query> queries_;
  std::vector<Results> after_;
  size_t equal_ = 0;
  std::vector<Difference> different_;
  std::map<std::string, size_t> unchecked_;  // queries by reason
  bool has_fingerprints_ = false;
  std::string problem_;  // why the application has no fingerprints
  size_t jobs_of_rdds_ = 0, streams_ = 0;
};

}  // namespace sparkprof

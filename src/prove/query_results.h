// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// The result of one SQL query of a run, as far as it is known.
struct QueryResult {
  std::string name;             // its description or its call site: "save at Job.scala:12"
  std::optional<int64_t> rows;  // written or returned
  std::string unchecked;        // why `rows` is unknown: "it shows some rows only"
};

// The results of all queries in order of their IDs. A query within another one is part of it.
std::vector<QueryResult> ResultsOf(const Application& application);

// The first reason why a second run of the application would find or leave other data: "query 3 appends to
// /data/sales". Empty if no query or stream is known to.
std::string WritesThatAddUp(const Application& application);

// Compares the results of runs before and after a change. A query whose rows differ between runs before the change
// cannot be compared.
class ResultComparison {
 public:
  struct Difference {
    std::string query;
    int64_t before = 0, after = 0;  // rows
  };

  void AddBefore(const Application& application);
  void AddAfter(const Application& application);

  size_t Queries() const { return queries_.size(); }
  size_t Equal() const;  // compared with at least one run after the change, and always equal
  const std::vector<Difference>& Different() const { return different_; }
  // "2 queries: they show some rows only", "3 jobs of RDDs".
  std::vector<std::string> Unchecked() const;

 private:
  using Key = std::pair<std::string, size_t>;  // name, and its number among queries with the same name
  struct Query {
    std::optional<int64_t> rows;
    std::string unchecked;
    bool is_compared = false, is_different = false;
  };

  static std::vector<std::pair<Key, QueryResult>> Keyed(const Application& application);

  bool has_before_ = false;
  std::map<Key, Query> queries_;
  std::vector<Difference> different_;
  size_t jobs_of_rdds_ = 0, streams_ = 0;
};

}  // namespace sparkprof

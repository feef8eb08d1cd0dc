// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/application.h"
#include "prove/result_fingerprint.h"

namespace sparkprof {

// The result of one SQL query of a run, as far as it is known.
struct QueryResult {
  std::string name;             // its description or its call site: "save at Job.scala:12"
  std::optional<int64_t> rows;  // written or returned
  std::string unchecked;        // why `rows` is unknown: "it shows some rows only"
  std::optional<ResultFingerprint> fingerprint;
};

// The results of all queries in order of their IDs. A query within another one is part of it.
std::vector<QueryResult> ResultsOf(const Application& application, const RecordedFingerprints& fingerprints = {});

// The first reason why a second run of the application would find or leave other data: "query 3 appends to
// /data/sales". Empty if no query or stream is known to.
std::string WritesThatAddUp(const Application& application);

}  // namespace sparkprof

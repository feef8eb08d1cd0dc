// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/application.h"
#include "prove/result_fingerprint.h"

namespace sparkprof {

// The reason why results cannot be compared if any rows may come first.
inline constexpr std::string_view kSomeRows = "it shows some rows only";

// The known part of the result of a SQL query.
struct QueryResult {
  std::string name;             // description or call site: "save at Job.scala:12"
  std::optional<int64_t> rows;  // written or returned
  std::string unchecked;        // why `rows` is unknown: "it shows some rows only"
  std::optional<ResultFingerprint> fingerprint;
};

// Results in the order of query IDs. Nested queries belong to their root query.
std::vector<QueryResult> ResultsOf(const Application& application, const RecordedFingerprints& fingerprints = {});

// The first reason why a second run would find or leave other data: "query 3 appends to /data/sales". Empty if there is
// none.
std::string WritesThatAddUp(const Application& application);

}  // namespace sparkprof

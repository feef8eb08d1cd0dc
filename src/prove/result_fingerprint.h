// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Sums over the rows that a query returned or wrote, as the plugin adds them up (ResultFingerprint.java). Sums of equal
// rows are equal in any order.
struct ResultFingerprint {
  using Hash = std::array<int64_t, 3>;  // number of nulls, and a sum of 128 bits

  // The floating-point numbers of a column. Their last bits depend on the order of additions.
  struct Floats {
    std::array<int64_t, 4> counts{};  // finite, NaN, positive and negative infinities
    double min = 0, max = 0;
    double sum = 0, magnitudes = 0, weighted = 0;  // sum of absolute values; sum weighted by the row
  };

  struct Column {
    std::string name, type;
    Hash hash{};
    std::optional<Floats> floats;
    bool is_sorted = false;  // kFirst: the rows are the first ones in the order of this column
  };

  enum class Part { kAll, kFirst, kUnordered };

  std::string unchecked;  // why there are no sums; empty if there are
  Part part = Part::kAll;
  int64_t rows = 0;
  Hash hash{};  // of rows, without floating-point numbers
  // Sums of the hashes of a part of the rows each: of a half, a quarter, … of the rows, kCells cells for each part.
  static constexpr size_t kCells = 32;
  std::vector<int64_t> cells;
  std::vector<Column> columns;
};

// Fingerprints by SQL execution.
struct RecordedFingerprints {
  std::map<int64_t, ResultFingerprint> of_executions;
  std::string problem;  // why there are none in the whole application; empty = none known
};

// Reads an event of the plugin; nothing happens if it is another one.
void AddFingerprintEvent(std::string_view event, RecordedFingerprints* fingerprints);

// The fingerprints of an application in the recordings of a folder.
Result<RecordedFingerprints> ReadFingerprints(const std::string& folder, const std::string& application);

// Whether the numbers of two columns of this type are equal but for rounding: within 1e-9 of the sum of magnitudes,
// 1e-5 for a type with single precision. Weights are those of equal rows only if all other columns are equal.
bool AreEqual(const ResultFingerprint::Floats& a, const ResultFingerprint::Floats& b, std::string_view type,
              bool has_equal_weights);

// The estimated number of rows that only one of two results has; nullopt if it is beyond what the cells can count.
std::optional<double> DifferentRows(const ResultFingerprint& a, const ResultFingerprint& b);

// "id bigint, name string"
std::string SchemaText(const ResultFingerprint& fingerprint);

}  // namespace sparkprof

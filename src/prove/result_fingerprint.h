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

// Sums over the rows that a query returned or wrote, computed by the plugin (ResultFingerprint.java). They do not
// depend on the order of rows.
struct ResultFingerprint {
  using Hash = std::array<int64_t, 3>;  // number of nulls, and a sum of 128 bits

  // Sums of a floating-point column. Their last bits depend on the order of additions.
  struct Floats {
    std::array<int64_t, 4> counts{};  // finite, NaN, positive and negative infinities
    double min = 0, max = 0;
    double sum = 0, magnitudes = 0, weighted = 0;  // magnitudes: sum of absolute values; weighted: by the row's hash
  };

  struct Column {
    std::string name, type;
    Hash hash{};
    std::optional<Floats> floats;
    bool is_sorted = false;  // kFirst only: the rows are the first in the order of this column
  };

  enum class Part { kAll, kFirst, kUnordered };

  std::string unchecked;  // reason why there are no sums; empty if there are
  Part part = Part::kAll;
  int64_t rows = 0;
  Hash hash{};  // hash of rows without their floating-point columns
  // Hash sums of samples of the rows: a half, a quarter, an eighth, …; kCells cells each.
  static constexpr size_t kCells = 32;
  std::vector<int64_t> cells;
  std::vector<Column> columns;
};

// Fingerprints by SQL execution.
struct RecordedFingerprints {
  std::map<int64_t, ResultFingerprint> of_executions;
  std::string problem;  // reason why the application has no fingerprints; empty if not known
};

// Reads an event of the plugin; ignores other events.
void AddFingerprintEvent(std::string_view event, RecordedFingerprints* fingerprints);

// The fingerprints of an application in the recordings of a folder.
Result<RecordedFingerprints> ReadFingerprints(const std::string& folder, const std::string& application);

// True if the numbers of two columns of this type agree except for rounding: within 1e-9 of the sum of magnitudes, or
// 1e-5 in single precision. The weighted sums are comparable only if all other columns are equal.
bool AreEqual(const ResultFingerprint::Floats& a, const ResultFingerprint::Floats& b, std::string_view type,
              bool has_equal_weights);

// Estimates how many rows only one of two results has; nullopt if there are too many for the cells.
std::optional<double> DifferentRows(const ResultFingerprint& a, const ResultFingerprint& b);

// "id bigint, name string"
std::string SchemaText(const ResultFingerprint& fingerprint);

}  // namespace sparkprof

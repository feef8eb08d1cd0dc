// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/tables/table.h"
#include "base/time.h"

namespace sparkprof {

// Cells of values that may be unknown.

inline Cell MillisCell(int64_t nanos) { return nanos / kNanosPerMilli; }
inline Cell TimeCell(int64_t epoch_ns) { return epoch_ns > 0 ? Cell(epoch_ns / kNanosPerMilli) : Cell(); }
inline Cell IdCell(int64_t id) { return id >= 0 ? Cell(id) : Cell(); }
inline Cell TextCell(std::string_view text) { return text.empty() ? Cell() : Cell(text); }
inline Cell OptionalCell(const std::optional<int64_t>& value) { return value ? Cell(*value) : Cell(); }
inline Cell DurationCell(int64_t begin_ns, int64_t end_ns) {
  return begin_ns > 0 && end_ns >= begin_ns ? Cell((end_ns - begin_ns) / kNanosPerMilli) : Cell();
}

// Milliseconds with one decimal.
inline Cell TenthsOfMillisCell(const std::optional<int64_t>& nanos) {
  constexpr double kTenths = 10;
  if (!nanos) return {};
  return std::round(static_cast<double>(*nanos) / static_cast<double>(kNanosPerMilli) * kTenths) / kTenths;
}

// The column's cells from texts that were made for the table.
inline std::function<Cell(size_t)> TextCells(std::shared_ptr<const std::vector<std::string>> texts) {
  return [texts = std::move(texts)](size_t row) { return TextCell((*texts)[row]); };
}

}  // namespace sparkprof

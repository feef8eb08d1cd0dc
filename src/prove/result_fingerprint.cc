// SPDX-License-Identifier: Apache-2.0
#include "prove/result_fingerprint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>

#include "base/text/json_parser.h"
#include "recording/recorded_segment.h"
#include "recording/recordings.h"

namespace sparkprof {
namespace {

constexpr std::string_view kEvent = "SparkprofQueryResult";
constexpr size_t kHashNumbers = 3, kFloatNumbers = 12;  // numbers per column, including its hash

std::optional<std::vector<int64_t>> NumbersOf(const simdjson::dom::element& element) {
  simdjson::dom::array array;
  if (element.get_array().get(array) != simdjson::SUCCESS) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const simdjson::dom::element one : array) {
    if (one.get_int64().get(numbers.emplace_back()) != simdjson::SUCCESS) return std::nullopt;
  }
  return numbers;
}

bool FillColumn(const simdjson::dom::element& sums, ResultFingerprint::Column* column) {
  const std::optional<std::vector<int64_t>> numbers = NumbersOf(sums);
  if (!numbers || (numbers->size() != kHashNumbers && numbers->size() != kFloatNumbers)) return false;
  std::copy_n(numbers->begin(), kHashNumbers, column->hash.begin());
  if (numbers->size() == kHashNumbers) return true;
  ResultFingerprint::Floats& floats = column->floats.emplace();
  std::copy_n(numbers->begin() + kHashNumbers, floats.counts.size(), floats.counts.begin());
  size_t next = kHashNumbers + floats.counts.size();
  for (double* const number : {&floats.min, &floats.max, &floats.sum, &floats.magnitudes, &floats.weighted}) {
    *number = std::bit_cast<double>((*numbers)[next++]);
  }
  return true;
}

bool FillColumns(const simdjson::dom::object& event, ResultFingerprint* fingerprint) {
  simdjson::dom::array names, types, sums, sorted;
  if (!ArrayAt(event, "names", &names) || !ArrayAt(event, "types", &types) || !ArrayAt(event, "columns", &sums) ||
      !ArrayAt(event, "sortColumns", &sorted) || types.size() != names.size() || sums.size() != names.size()) {
    return false;
  }
  auto type = types.begin();
  auto sum = sums.begin();
  for (const simdjson::dom::element name : names) {
    ResultFingerprint::Column& column = fingerprint->columns.emplace_back();
    column.name = TextOf(name);
    column.type = TextOf(*type);
    if (!FillColumn(*sum, &column)) return false;
    ++type;
    ++sum;
  }
  for (const simdjson::dom::element one : sorted) {
    const auto column = static_cast<size_t>(IntegerOf(one, -1));
    if (column < fingerprint->columns.size()) fingerprint->columns[column].is_sorted = true;
  }
  return true;
}

bool Fill(const simdjson::dom::object& event, ResultFingerprint* fingerprint) {
  simdjson::dom::element hash;
  if (!Find(event, "hash", &hash)) return false;
  const std::optional<std::vector<int64_t>> numbers = NumbersOf(hash);
  if (!numbers || numbers->size() != kHashNumbers) return false;
  std::copy_n(numbers->begin(), kHashNumbers, fingerprint->hash.begin());
  simdjson::dom::element cells;
  if (Find(event, "cells", &cells)) fingerprint->cells = NumbersOf(cells).value_or(std::vector<int64_t>());
  fingerprint->rows = IntegerAt(event, "rows", -1);
  const std::string_view part = TextAt(event, "part");
  fingerprint->part = part.empty()      ? ResultFingerprint::Part::kAll
                      : part == "first" ? ResultFingerprint::Part::kFirst
                                        : ResultFingerprint::Part::kUnordered;
  return fingerprint->rows >= 0 && FillColumns(event, fingerprint);
}

}  // namespace

void AddFingerprintEvent(std::string_view event, RecordedFingerprints* fingerprints) {
  if (event.find(kEvent) == std::string_view::npos) return;
  JsonParser parser;
  simdjson::dom::object object;
  if (parser.Parse(event).get_object().get(object) != simdjson::SUCCESS || TextAt(object, "Event") != kEvent) return;
  const int64_t execution = IntegerAt(object, "executionId", -1);
  const std::string_view unchecked = TextAt(object, "unchecked");
  if (execution < 0) {
    fingerprints->problem = unchecked;
    return;
  }
  ResultFingerprint fingerprint;
  if (!unchecked.empty()) {
    fingerprint.unchecked = unchecked;
  } else if (!Fill(object, &fingerprint)) {
    fingerprint = {};
    fingerprint.unchecked = "its fingerprint is unreadable";
  }
  fingerprints->of_executions.insert_or_assign(execution, std::move(fingerprint));
}

Result<RecordedFingerprints> ReadFingerprints(const std::string& folder, const std::string& application) {
  const Result<std::vector<std::string>> files = RecordingsBelow(folder);
  if (!files) return tl::unexpected(files.error());
  RecordedFingerprints fingerprints;
  for (const std::string& path : *files) {
    const Result<RecordedFile> file = ReadRecordedFile(path, false);
    if (!file) continue;  // reported by the reader of the application
    for (const RecordedSegment& segment : file->segments) {
      const bool is_other = !application.empty() && !segment.GetSource().application_id.empty() &&
                            segment.GetSource().application_id != application;
      if (is_other || !segment.HasSparkEvents()) continue;
      const std::shared_ptr<const Segment> contents = segment.Contents();
      for (const std::string& event : contents->spark_events) AddFingerprintEvent(event, &fingerprints);
    }
  }
  if (fingerprints.of_executions.empty() && fingerprints.problem.empty())
    fingerprints.problem = "the plugin recorded no fingerprints";
  return fingerprints;
}

bool AreEqual(const ResultFingerprint::Floats& a, const ResultFingerprint::Floats& b, std::string_view type,
              bool has_equal_weights) {
  if (a.counts != b.counts) return false;
  if (a.counts[0] == 0) return true;
  const double tolerance = type.find("float") == std::string_view::npos ? 1e-9 : 1e-5;
  const auto near = [&](double one, double other, double scale) {
    // Sums beyond the range of double cannot be compared.
    if (!std::isfinite(one) || !std::isfinite(other)) return std::isfinite(one) == std::isfinite(other);
    return std::abs(one - other) <= tolerance * scale;
  };
  const double largest = std::max({std::abs(a.min), std::abs(a.max), std::abs(b.min), std::abs(b.max)});
  const double magnitudes = std::max(a.magnitudes, b.magnitudes);
  return near(a.min, b.min, largest) && near(a.max, b.max, largest) && near(a.sum, b.sum, magnitudes) &&
         near(a.magnitudes, b.magnitudes, magnitudes) &&
         (!has_equal_weights || near(a.weighted, b.weighted, magnitudes));
}

std::optional<double> DifferentRows(const ResultFingerprint& a, const ResultFingerprint& b) {
  constexpr auto kCells = static_cast<double>(ResultFingerprint::kCells);
  constexpr double kMostUsed = 0.8 * kCells;  // with more used cells, most hold several different rows
  if (a.cells.size() != b.cells.size()) return std::nullopt;
  double share = 1;  // share of the rows in this level and all finer ones
  for (size_t level = 0; level + ResultFingerprint::kCells <= a.cells.size(); level += ResultFingerprint::kCells) {
    double different = 0;
    for (size_t cell = level; cell < level + ResultFingerprint::kCells; ++cell)
      different += a.cells[cell] == b.cells[cell] ? 0 : 1;
    share /= 2;
    if (different <= kMostUsed) return -kCells * std::log(1 - different / kCells) / share;
  }
  return std::nullopt;
}

std::string SchemaText(const ResultFingerprint& fingerprint) {
  std::vector<std::string> columns;
  for (const ResultFingerprint::Column& column : fingerprint.columns)
    columns.push_back(fmt::format("{} {}", column.name, column.type));
  return fmt::format("{}", fmt::join(columns, ", "));
}

}  // namespace sparkprof

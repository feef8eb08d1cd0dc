// SPDX-License-Identifier: Apache-2.0
#include "prove/result_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace sparkprof {
namespace {

using Part = ResultFingerprint::Part;

constexpr std::string_view kOnlyBefore = "the changed program does not run it";
constexpr std::string_view kUnstable = "its rows differ from run to run";
constexpr size_t kNamedColumns = 3;

std::string CountOf(size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// "column a", "columns a, b, c and 2 more"
std::string ColumnsText(const std::vector<std::string>& names) {
  const size_t named = std::min(names.size(), kNamedColumns);
  const std::vector<std::string> first(names.begin(), names.begin() + static_cast<int64_t>(named));
  return fmt::format("{} {}{}", names.size() == 1 ? "column" : "columns", fmt::join(first, ", "),
                     named < names.size() ? fmt::format(" and {} more", names.size() - named) : "");
}

// " (about 3% of the rows)"; empty if only floating-point numbers differ, or too many rows.
std::string ShareText(const ResultFingerprint& before, const ResultFingerprint& now) {
  const std::optional<double> rows = DifferentRows(before, now);
  if (!rows || *rows <= 0 || before.rows == 0) return "";
  // Each changed row exists once on either side.
  const double percent = std::min(100.0, 50 * *rows / static_cast<double>(before.rows));
  return percent < 0.01 ? " (less than 0.01% of the rows)" : fmt::format(" (about {:.2g}% of the rows)", percent);
}

bool HaveEqualSchemas(const ResultFingerprint& a, const ResultFingerprint& b) {
  return std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                    [](const ResultFingerprint::Column& one, const ResultFingerprint::Column& other) {
                      return one.name == other.name && one.type == other.type &&
                             one.floats.has_value() == other.floats.has_value();
                    });
}

// Columns with different values, without those that `is_left_out`. Requires equal schemas.
std::vector<size_t> DifferentColumns(const ResultFingerprint& a, const ResultFingerprint& b,
                                     const std::vector<bool>& is_left_out) {
  const bool has_equal_weights = a.hash == b.hash;
  std::vector<size_t> different;
  for (size_t i = 0; i < a.columns.size(); ++i) {
    const ResultFingerprint::Column &one = a.columns[i], &other = b.columns[i];
    const bool is_equal =
        one.hash == other.hash && (!one.floats || AreEqual(*one.floats, *other.floats, one.type, has_equal_weights));
    if (!is_left_out[i] && !is_equal) different.push_back(i);
  }
  return different;
}

}  // namespace

ResultComparison::Results ResultComparison::Keyed(const Application& application,
                                                  const RecordedFingerprints& fingerprints) {
  std::map<std::string, size_t> seen;
  Results keyed;
  for (QueryResult& result : ResultsOf(application, fingerprints)) {
    const size_t number = seen[result.name]++;
    keyed.emplace(Key{result.name, number}, std::move(result));
  }
  return keyed;
}

bool ResultComparison::IsIncomplete(const Application& application) {
  incomplete_runs_ += application.ended ? 0 : 1;
  return !application.ended;
}

void ResultComparison::AddBefore(const Application& application, const RecordedFingerprints& fingerprints) {
  if (IsIncomplete(application)) return;
  const Results results = Keyed(application, fingerprints);
  if (runs_before_++ == 0) {
    for (const auto& [key, result] : results) {
      Query& query = queries_.emplace(key, Query{result, result.unchecked, {}, false}).first->second;
      if (result.fingerprint) query.is_unstable.resize(result.fingerprint->columns.size());
    }
    has_fingerprints_ = !fingerprints.of_executions.empty();
    problem_ = fingerprints.problem;
    streams_ = application.streaming_queries.size();
    jobs_of_rdds_ = static_cast<size_t>(std::count_if(application.jobs.begin(), application.jobs.end(),
                                                      [](const Job& job) { return job.sql_execution < 0; }));
  } else {
    for (auto& [key, query] : queries_) {
      const auto found = results.find(key);
      if (found == results.end()) {
        query.unchecked = kUnstable;
      } else {
        AddRunBefore(found->second, &query);
      }
    }
    for (const auto& [key, result] : results)
      queries_.try_emplace(key, Query{result, std::string(kUnstable), {}, false});
  }
  CompareAll();
}

void ResultComparison::AddRunBefore(const QueryResult& result, Query* query) {
  if (!query->unchecked.empty()) return;
  std::optional<ResultFingerprint>& first = query->result.fingerprint;
  if (query->result.rows != result.rows) {
    query->unchecked = kUnstable;
  } else if (!first || !result.fingerprint) {
    first.reset();
  } else if (!HaveEqualSchemas(*first, *result.fingerprint)) {
    query->unchecked = kUnstable;
  } else {
    for (const size_t column : DifferentColumns(*first, *result.fingerprint, query->is_unstable))
      query->is_unstable[column] = true;
    query->has_unstable_rows = query->has_unstable_rows || first->hash != result.fingerprint->hash;
  }
}

void ResultComparison::AddAfter(const Application& application, const RecordedFingerprints& fingerprints) {
  if (IsIncomplete(application)) return;
  after_.push_back(Keyed(application, fingerprints));
  CompareAll();
}

void ResultComparison::CompareAll() {
  equal_ = 0;
  different_.clear();
  unchecked_.clear();
  for (const auto& [key, query] : queries_) {
    Outcome outcome{false, query.unchecked, {}};
    for (const Results& results : after_) {
      if (!query.unchecked.empty()) break;
      const auto found = results.find(key);
      outcome = found == results.end() ? Outcome{false, std::string(kOnlyBefore), {}} : Compare(query, found->second);
      if (!outcome.is_equal) break;
    }
    if (outcome.is_equal) ++equal_;
    if (!outcome.unchecked.empty()) ++unchecked_[outcome.unchecked];
    for (Difference& difference : outcome.difference) {
      difference.query = key.first;
      different_.push_back(std::move(difference));
    }
  }
}

ResultComparison::Outcome ResultComparison::Compare(const Query& query, const QueryResult& after) const {
  const QueryResult& before = query.result;
  if (!after.rows) return {false, after.unchecked, {}};
  Difference difference{{}, *before.rows, *after.rows, {}, {}};
  if (before.fingerprint && after.fingerprint && !HaveEqualSchemas(*before.fingerprint, *after.fingerprint)) {
    difference.text =
        fmt::format("has columns {} instead of {}", SchemaText(*after.fingerprint), SchemaText(*before.fingerprint));
    return {false, {}, {difference}};
  }
  if (before.rows != after.rows) {
    difference.text = fmt::format("has {} rows instead of {}", *after.rows, *before.rows);
    return {false, {}, {difference}};
  }
  if (before.fingerprint && after.fingerprint) return CompareValues(query, after);
  return {true, has_fingerprints_ ? "only its rows were counted" : "", {}};
}

ResultComparison::Outcome ResultComparison::CompareValues(const Query& query, const QueryResult& after) const {
  const ResultFingerprint &before = *query.result.fingerprint, &now = *after.fingerprint;
  if (before.part == Part::kUnordered || now.part == Part::kUnordered) return {false, std::string(kSomeRows), {}};
  std::vector<std::string> unstable, different, tied;
  for (size_t i = 0; i < before.columns.size(); ++i) {
    if (query.is_unstable[i]) unstable.push_back(before.columns[i].name);
  }
  const bool has_ties = before.part == Part::kFirst || now.part == Part::kFirst;
  for (const size_t column : DifferentColumns(before, now, query.is_unstable)) {
    (has_ties && !before.columns[column].is_sorted ? tied : different).push_back(before.columns[column].name);
  }
  Difference difference{{}, before.rows, now.rows, different, {}};
  if (!different.empty()) {
    difference.text = fmt::format("has other values in {}{}", ColumnsText(different), ShareText(before, now));
    return {false, {}, {difference}};
  }
  if (!tied.empty()) return {false, "it returns the first rows of an order with ties", {}};
  if (!query.has_unstable_rows && !has_ties && before.hash != now.hash) {
    difference.text = "has the values of its columns in other rows" + ShareText(before, now);
    return {false, {}, {difference}};
  }
  return {true,
          unstable.empty() ? ""
                           : fmt::format("{} {} from run to run", ColumnsText(unstable),
                                         unstable.size() == 1 ? "differs" : "differ"),
          {}};
}

std::vector<std::string> ResultComparison::Unchecked() const {
  std::vector<std::string> unchecked;
  if (!problem_.empty() && !queries_.empty()) unchecked.push_back("the values of all queries: " + problem_);
  for (const auto& [reason, count] : unchecked_)
    unchecked.push_back(fmt::format("{}: {}", CountOf(count, "query", "queries"), reason));
  if (incomplete_runs_ > 0)
    unchecked.push_back(CountOf(incomplete_runs_, "run", "runs") + " without the application's end in the recording");
  if (jobs_of_rdds_ > 0) unchecked.push_back(CountOf(jobs_of_rdds_, "job", "jobs") + " outside SQL");
  if (streams_ > 0) unchecked.push_back(CountOf(streams_, "streaming query", "streaming queries"));
  return unchecked;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "server/querier/sample_queries.h"

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/selection/selection.h"
#include "base/saturate.h"
#include "profiles/merge_profiles.h"
#include "profiles/profile_transform.h"
#include "server/querier/sample_labels.h"

namespace sparkprof {
namespace {

bool ConcernsSamples(const LabelMatchers& matchers) {
  return std::any_of(matchers.begin(), matchers.end(),
                     [](const LabelMatcher& matcher) { return FindSampleLabel(matcher.name).has_value(); });
}

// Values of labels by name, for one application; labels of samples and types are "".
class LabelValuesOf {
 public:
  explicit LabelValuesOf(const std::vector<std::string>& names) : size_(names.size()) {
    for (size_t i = 0; i < names.size(); ++i) {
      const auto* const known = std::find(std::begin(kApplicationLabels), std::end(kApplicationLabels), names[i]);
      if (known != std::end(kApplicationLabels)) {
        of_application_.emplace_back(i, static_cast<size_t>(known - std::begin(kApplicationLabels)));
      } else if (const std::optional<size_t> label = FindSampleLabel(names[i])) {
        of_samples_.emplace_back(i, *label);
      } else if (names[i] == kProfileTypeLabel) {
        types_.push_back(i);
      }
    }
  }

  bool ConcernSamples() const { return !of_samples_.empty(); }
  bool ConcernTypes() const { return !types_.empty(); }

  std::vector<std::string> OfApplication(const QueriedApplication& queried) const {
    std::vector<std::string> values(size_);
    for (const auto& [position, label] : of_application_) values[position] = queried.labels[label];
    return values;
  }
  void SetType(const std::string& type, std::vector<std::string>* values) const {
    for (const size_t position : types_) (*values)[position] = type;
  }
  // The value indexes of a sample, for SetRows.
  void RowsOf(const SampleLabels& labels, const Sample& sample, std::vector<uint32_t>* rows) const {
    rows->clear();
    for (const auto& [position, label] : of_samples_) rows->push_back(labels.Row(label, sample));
  }
  void SetRows(const SampleLabels& labels, const std::vector<uint32_t>& rows, std::vector<std::string>* values) const {
    for (size_t i = 0; i < of_samples_.size(); ++i) {
      const auto& [position, label] = of_samples_[i];
      (*values)[position] = labels.Values(label)[rows[i]];
    }
  }

 private:
  using Positions = std::vector<std::pair<size_t, size_t>>;  // index among the names, index in the table of labels

  const size_t size_;
  Positions of_application_, of_samples_;
  std::vector<size_t> types_;
};

// Adds the labels of the selected samples of all types.
void AddLabelSets(const Application& application, const std::vector<uint32_t>& rows, const SampleLabels& labels,
                  const LabelValuesOf& values, const QueriedApplication& queried, LabelSets* sets) {
  std::vector<std::string> types;
  for (const ProfileEvent& event : application.profile.events) {
    types.push_back(ProfileTypeOf(event.name, event.unit).Id());
    const bool is_queried = std::any_of(queried.types.begin(), queried.types.end(),
                                        [&](const ProfileType& type) { return type.Id() == types.back(); });
    if (!is_queried) types.back().clear();
  }
  std::set<std::pair<EventId, std::vector<uint32_t>>> known;
  std::pair<EventId, std::vector<uint32_t>> key;
  for (const uint32_t row : rows) {
    const Sample& sample = application.profile.samples[row];
    if (types[sample.event].empty()) continue;
    key.first = values.ConcernTypes() ? sample.event : EventId{0};
    values.RowsOf(labels, sample, &key.second);
    if (!known.insert(key).second) continue;
    std::vector<std::string> set = values.OfApplication(queried);
    values.SetType(types[sample.event], &set);
    values.SetRows(labels, key.second, &set);
    sets->insert(std::move(set));
  }
}

// Adds the values of all samples without reading samples.
void AddLabelSets(const LabelValuesOf& values, const QueriedApplication& queried, LabelSets* sets) {
  std::vector<std::string> set = values.OfApplication(queried);
  if (!values.ConcernTypes()) {
    sets->insert(std::move(set));
    return;
  }
  for (const ProfileType& type : queried.types) {
    values.SetType(type.Id(), &set);
    sets->insert(set);
  }
}

QueryResult<std::vector<QueriedApplication>> FindOfType(const QueriedApplications& applications,
                                                        const SampleQuery& query) {
  QueryResult<std::vector<QueriedApplication>> found = applications.Find(query.matchers, query.range);
  if (found) {
    std::erase_if(*found, [&](const QueriedApplication& queried) {
      return std::none_of(queried.types.begin(), queried.types.end(),
                          [&](const ProfileType& type) { return type.Id() == query.type; });
    });
  }
  return found;
}

void KeepLargest(size_t limit, std::vector<SampleSeries>* series) {
  if (limit == 0 || series->size() <= limit) return;
  std::vector<std::pair<int64_t, size_t>> by_sum;  // negated sum, so that the largest comes first
  for (size_t row = 0; row < series->size(); ++row) {
    int64_t sum = 0;
    for (const auto& [time_ns, value] : (*series)[row].points) AddSaturated(value, &sum);
    by_sum.emplace_back(-sum, row);
  }
  std::nth_element(by_sum.begin(), by_sum.begin() + static_cast<ptrdiff_t>(limit), by_sum.end());
  by_sum.resize(limit);
  std::sort(by_sum.begin(), by_sum.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<SampleSeries> kept;
  for (const auto& [sum, row] : by_sum) kept.push_back(std::move((*series)[row]));
  *series = std::move(kept);
}

}  // namespace

QueryResult<Profile> MergeSamples(const QueriedApplications& applications, const SampleQuery& query) {
  const QueryResult<std::vector<QueriedApplication>> found = FindOfType(applications, query);
  if (!found) return tl::unexpected(found.error());
  std::vector<Profile> parts;
  std::optional<Error> problem;
  const QueryResult<void> read = applications.Read(*found, [&](const QueriedApplication&, const Application& of) {
    const EventId event = FindProfileType(of.profile, query.type);
    if (event == kNoEvent) return;
    const SampleLabels labels(of);
    const std::vector<uint32_t> rows =
        FindSamples(of, {event, query.range.from_ns, query.range.to_ns}, SampleFilter(query.matchers, labels));
    if (rows.empty()) return;
    Result<Profile> part = Transform(of.profile, SumByStack(of.profile, rows),
                                     {.lines = false, .fold_pyspark = true, .lasting_files = true}, event);
    if (!part) {
      problem = part.error();
      return;
    }
    // Differences have negative weights, which have no width.
    std::erase_if(part->samples, [](const Sample& sample) { return sample.weight <= 0; });
    part->name = of.id;
    parts.push_back(std::move(*part));
  });
  if (!read) return tl::unexpected(read.error());
  if (problem) return Refuse(500, problem->message);
  if (parts.size() == 1) return std::move(parts.front());
  Result<MergedProfile> merged = MergeProfiles(std::move(parts), {});
  if (!merged) return Refuse(500, merged.error().message);
  return std::move(merged->profile);
}

QueryResult<std::vector<SampleSeries>> SumSteps(const QueriedApplications& applications, const SampleQuery& query,
                                                const std::vector<std::string>& group_by, int64_t step_ns,
                                                size_t limit) {
  const int64_t start_ns = query.range.from_ns;
  const int64_t last_step = (query.range.to_ns - start_ns) / step_ns;
  SampleQuery wider = query;
  wider.range = {start_ns - step_ns + 1, start_ns + last_step * step_ns};
  const QueryResult<std::vector<QueriedApplication>> found = FindOfType(applications, wider);
  if (!found) return tl::unexpected(found.error());
  const LabelValuesOf values(group_by);
  std::map<std::vector<std::string>, std::map<int64_t, int64_t>> sums;  // by labels and time of point
  const QueryResult<void> read =
      applications.Read(*found, [&](const QueriedApplication& queried, const Application& of) {
        const EventId event = FindProfileType(of.profile, query.type);
        if (event == kNoEvent) return;
        const SampleLabels labels(of);
        const SampleFilter filter(query.matchers, labels);
        std::map<std::vector<uint32_t>, std::map<int64_t, int64_t>*> by_rows;
        std::vector<uint32_t> key;
        for (const uint32_t row : FindSamples(of, {event, wider.range.from_ns, wider.range.to_ns}, filter)) {
          const Sample& sample = of.profile.samples[row];
          values.RowsOf(labels, sample, &key);
          std::map<int64_t, int64_t>*& points = by_rows[key];
          if (points == nullptr) {
            std::vector<std::string> of_series = values.OfApplication(queried);
            values.SetType(query.type, &of_series);
            values.SetRows(labels, key, &of_series);
            points = &sums[of_series];
          }
          const int64_t step = (TimeInRange(of, sample) - wider.range.from_ns) / step_ns;
          AddSaturated(sample.weight, &(*points)[start_ns + step * step_ns]);
        }
      });
  if (!read) return tl::unexpected(read.error());
  std::vector<SampleSeries> series;
  for (auto& [of_series, points] : sums) series.push_back({of_series, {points.begin(), points.end()}});
  KeepLargest(limit, &series);
  return series;
}

QueryResult<LabelSets> FindLabelSets(const QueriedApplications& applications, const std::vector<std::string>& names,
                                     const LabelMatchers& matchers, const QueriedRange& range) {
  const QueryResult<std::vector<QueriedApplication>> found = applications.Find(matchers, range);
  if (!found) return tl::unexpected(found.error());
  const LabelValuesOf values(names);
  LabelSets sets;
  if (!values.ConcernSamples() && !ConcernsSamples(matchers)) {
    for (const QueriedApplication& queried : *found) AddLabelSets(values, queried, &sets);
    return sets;
  }
  const QueryResult<void> read =
      applications.Read(*found, [&](const QueriedApplication& queried, const Application& of) {
        const SampleLabels labels(of);
        const std::vector<uint32_t> rows =
            FindSamples(of, {std::nullopt, range.from_ns, range.to_ns}, SampleFilter(matchers, labels));
        AddLabelSets(of, rows, labels, values, queried, &sets);
      });
  if (!read) return tl::unexpected(read.error());
  return sets;
}

}  // namespace sparkprof

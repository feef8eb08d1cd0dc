// SPDX-License-Identifier: Apache-2.0
#include "server/querier/queried_applications.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "base/memory_limit.h"
#include "base/text/text.h"
#include "server/querier/sample_labels.h"

namespace sparkprof {
namespace {

// Events for which Grafana has a title and a unit.
struct KnownType {
  Event event;
  std::string_view name, sample_type, period_type, period_unit;
};
constexpr KnownType kKnownTypes[] = {
    {Event::kCpu, "process_cpu", "cpu", "cpu", "nanoseconds"},
    {Event::kAlloc, "memory", "alloc_in_new_tlab_bytes", "", ""},
    {Event::kLive, "memory", "inuse_space", "space", "bytes"},
    {Event::kLock, "block", "delay", "contentions", "count"},
};

std::string TypeUnit(const std::string& unit) { return unit == "ns" ? "nanoseconds" : unit; }

// Colons separate the parts of an ID.
std::string WithoutColons(std::string text) {
  std::replace(text.begin(), text.end(), ':', '_');
  return text;
}

constexpr size_t kRowsOfPage = 1000;

bool IsApplicationLabel(std::string_view name) {
  return std::find(std::begin(kApplicationLabels), std::end(kApplicationLabels), name) != std::end(kApplicationLabels);
}

// True if the conditions for an application's labels match. Labels that sparkprof does not have are empty.
bool MatchesApplication(const LabelMatchers& matchers, const std::vector<std::string>& labels) {
  for (size_t i = 0; i < labels.size(); ++i) {
    if (!MatchesLabel(matchers, kApplicationLabels[i], labels[i])) return false;
  }
  return std::all_of(matchers.begin(), matchers.end(), [](const LabelMatcher& matcher) {
    const bool is_known =
        IsApplicationLabel(matcher.name) || FindSampleLabel(matcher.name) || matcher.name == kProfileTypeLabel;
    return is_known || matcher.Matches("");
  });
}

}  // namespace

std::string ProfileType::Id() const {
  return fmt::format("{}:{}:{}:{}:{}", name, sample_type, sample_unit, period_type, period_unit);
}

ProfileType ProfileTypeOf(const std::string& event, const std::string& unit) {
  const std::string type_unit = WithoutColons(ToUtf8(TypeUnit(unit)));
  for (const KnownType& known : kKnownTypes) {
    if (EventName(known.event) != event || EventUnit(known.event) != unit) continue;
    return {std::string(known.name), std::string(known.sample_type), type_unit, std::string(known.period_type),
            std::string(known.period_unit)};
  }
  const std::string name = WithoutColons(ToUtf8(event));
  return {name, name, type_unit, name, type_unit};
}

EventId FindProfileType(const Profile& profile, const std::string& id) {
  for (EventId row = 0; row < profile.EventCount(); ++row) {
    if (ProfileTypeOf(profile.events[row].name, profile.events[row].unit).Id() == id) return row;
  }
  return kNoEvent;
}

ApplicationQuery QueriedApplications::QueryOf(const LabelMatchers& matchers, const QueriedRange& range) const {
  ApplicationQuery query;
  query.viewer = viewer_;
  query.without_nodes = true;
  query.limit = kRowsOfPage;
  if (range.from_ns > 0) query.from_ns = range.from_ns;
  if (range.to_ns < INT64_MAX) query.to_ns = range.to_ns + 1;
  for (const LabelMatcher& matcher : matchers) {
    if (matcher.is_negated || matcher.expression) continue;
    if (matcher.name == "user") query.user = matcher.value;
    if (matcher.name == "group") query.group = matcher.value;
    if (matcher.name == "application") query.id = entries_->Resolve(matcher.value, viewer_);
  }
  return query;
}

QueryResult<std::vector<ApplicationRow>> QueriedApplications::List(ApplicationQuery query) const {
  std::vector<ApplicationRow> rows;
  do {
    Result<ApplicationPage> page = catalogue_->Applications(query);
    if (!page) return Refuse(503, page.error().message);
    if (page->total > static_cast<int64_t>(kMaxListed)) {
      return Refuse(429, fmt::format("{} applications ran in this range, at most {} are searched at once: choose a "
                                     "shorter range, or a group, a user or an application",
                                     page->total, kMaxListed));
    }
    std::move(page->applications.begin(), page->applications.end(), std::back_inserter(rows));
    query.cursor = std::move(page->next);
  } while (!query.cursor.empty());
  return rows;
}

QueryResult<std::vector<QueriedApplication>> QueriedApplications::Find(const LabelMatchers& matchers,
                                                                       const QueriedRange& range) const {
  if (deadline_.IsOver()) {
    return Refuse(deadline_.Status(), "time is up: choose a shorter range, or fewer selectors");
  }
  const MemoryLimit::Pause pause;  // the database has limits of its own
  const ApplicationQuery query = QueryOf(matchers, range);
  const QueryResult<std::vector<ApplicationRow>> rows = List(query);
  if (!rows) return tl::unexpected(rows.error());
  const Result<std::vector<SampledEvent>> events = catalogue_->SampledEvents(query);
  if (!events) return Refuse(503, events.error().message);
  std::map<ApplicationKey, std::vector<ProfileType>> types;
  for (const SampledEvent& event : *events) {
    ProfileType type = ProfileTypeOf(event.event, event.unit);
    if (MatchesLabel(matchers, kProfileTypeLabel, type.Id())) types[event.key].push_back(std::move(type));
  }
  std::vector<QueriedApplication> found;
  for (const ApplicationRow& row : *rows) {
    const auto of_row = types.find(row.key);
    if (of_row == types.end()) continue;
    QueriedApplication queried{
        row.key, {row.name, entries_->NameFor(row.key.id, viewer_), row.key.attempt, row.user, row.group}, {}};
    if (!MatchesApplication(matchers, queried.labels)) continue;
    queried.types = std::move(of_row->second);
    found.push_back(std::move(queried));
  }
  return found;
}

QueryResult<std::optional<QueriedRange>> QueriedApplications::Times() const {
  const MemoryLimit::Pause pause;  // the database has limits of its own
  ApplicationQuery query = QueryOf({}, {});
  query.limit = 1;
  query.descending = false;
  const Result<ApplicationPage> oldest = catalogue_->Applications(query);
  if (!oldest) return Refuse(503, oldest.error().message);
  query.order = ApplicationOrder::kEnd;
  query.descending = true;
  const Result<ApplicationPage> newest = catalogue_->Applications(query);
  if (!newest) return Refuse(503, newest.error().message);
  if (oldest->applications.empty() || newest->applications.empty()) return std::nullopt;
  return QueriedRange{oldest->applications.front().start_ns, newest->applications.front().end_ns};
}

QueryResult<void> QueriedApplications::ReadOne(const QueriedApplication& queried, const Use& use) const {
  std::shared_ptr<const Application> application;
  {
    const MemoryLimit::Pause pause;
    const Result<std::shared_ptr<const CachedApplication>> loaded = cache_->Get(queried.key.id);
    if (!loaded) return Refuse(503, loaded.error().message);
    if (*loaded == nullptr) return {};  // removed meanwhile
    const std::shared_ptr<CachedAttempt> attempt = (*loaded)->Attempt(queried.key.attempt);
    if (attempt == nullptr || (viewer_ && !MayView(attempt->Viewers(), *viewer_))) return {};
    application = attempt->In(Language::kMerged, /*fold=*/true);
  }
  use(queried, *application);
  const MemoryLimit::Pause pause;  // only the use of the application counts
  application.reset();
  return {};
}

QueryResult<void> QueriedApplications::Read(const std::vector<QueriedApplication>& applications, const Use& use) const {
  if (applications.size() > kMaxRead) {
    return Refuse(429, fmt::format("the selector matches {} applications, at most {} are added up at once: choose a "
                                   "shorter range, or add a condition such as application=\"{}\"",
                                   applications.size(), kMaxRead, applications.front().labels[1]));
  }
  for (size_t i = 0; i < applications.size(); ++i) {
    if (deadline_.IsOver()) {
      return Refuse(deadline_.Status(),
                    fmt::format("time is up after {} of {} applications: choose a shorter range, or add a condition "
                                "such as application=\"{}\"",
                                i, applications.size(), applications.front().labels[1]));
    }
    if (QueryResult<void> read = ReadOne(applications[i], use); !read) return read;
  }
  return {};
}

}  // namespace sparkprof

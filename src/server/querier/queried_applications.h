// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "catalogue/catalogue.h"
#include "model/application.h"
#include "model/samples/profile.h"
#include "model/viewers.h"
#include "server/applications/application_cache.h"
#include "server/folders/application_entries.h"
#include "server/querier/label_selector.h"

namespace sparkprof {

// An event in the naming of Pyroscope's clients. They draw it according to the ID: types of time and of allocated bytes
// are divided by the step, types of memory in use are not.
struct ProfileType {
  std::string name;
  std::string sample_type;
  std::string sample_unit;  // "nanoseconds", "bytes" or "count"
  std::string period_type;
  std::string period_unit;

  // Its five parts, separated by colons: "process_cpu:cpu:nanoseconds:cpu:nanoseconds".
  std::string Id() const;
};

// Events with different names or units have different types.
ProfileType ProfileTypeOf(const std::string& event, const std::string& unit);

// The event with this type; kNoEvent if the profile has none.
EventId FindProfileType(const Profile& profile, const std::string& id);

// The reason why a query has no answer, and the HTTP status of its Connect code: 400 invalid_argument, 429
// resource_exhausted, 501 unimplemented, 503 unavailable, 504 deadline_exceeded.
struct RefusedQuery {
  unsigned status = 500;
  std::string problem;
};

template <typename T>
using QueryResult = tl::expected<T, RefusedQuery>;

inline tl::unexpected<RefusedQuery> Refuse(unsigned status, std::string problem) {
  return tl::unexpected<RefusedQuery>(RefusedQuery{status, std::move(problem)});
}

// Labels that all samples of an application share.
inline constexpr std::string_view kApplicationLabels[] = {"service_name", "application", "attempt", "user", "group"};
// The label that contains the ID of a ProfileType.
inline constexpr std::string_view kProfileTypeLabel = "__profile_type__";

// Inclusive, in ns since the Unix epoch.
struct QueriedRange {
  int64_t from_ns = 0;
  int64_t to_ns = INT64_MAX;
};

struct QueriedApplication {
  ApplicationKey key;               // in the catalogue
  std::vector<std::string> labels;  // values of kApplicationLabels
  std::vector<ProfileType> types;   // types of its samples that match the selector
};

struct QueryDeadline {
  std::chrono::steady_clock::time_point time;
  bool is_of_client = false;

  bool IsOver() const { return std::chrono::steady_clock::now() > time; }
  // The HTTP status after the deadline.
  unsigned Status() const { return is_of_client ? 504 : 429; }
};

// The applications that the sender of a request may see. Other applications do not exist for it.
class QueriedApplications {
 public:
  // Queries with more applications fail, because the sum over a part of them would be wrong.
  static constexpr size_t kMaxListed = 20'000;
  static constexpr size_t kMaxRead = 100;

  QueriedApplications(Catalogue* catalogue, ApplicationCache* cache, const ApplicationEntries* entries,
                      std::optional<Viewer> viewer, QueryDeadline deadline)
      : catalogue_(catalogue), cache_(cache), entries_(entries), viewer_(std::move(viewer)), deadline_(deadline) {}

  // Applications with samples in the range that match the conditions for applications and types.
  QueryResult<std::vector<QueriedApplication>> Find(const LabelMatchers& matchers, const QueriedRange& range) const;

  // From the earliest start to the latest end; nullopt without applications.
  QueryResult<std::optional<QueriedRange>> Times() const;

  using Use = std::function<void(const QueriedApplication& queried, const Application& application)>;
  // Loads the applications one after the other. Allocations of `use` count toward this thread's MemoryLimit; loaded
  // applications belong to the cache.
  QueryResult<void> Read(const std::vector<QueriedApplication>& applications, const Use& use) const;

 private:
  ApplicationQuery QueryOf(const LabelMatchers& matchers, const QueriedRange& range) const;
  QueryResult<std::vector<ApplicationRow>> List(ApplicationQuery query) const;
  QueryResult<void> ReadOne(const QueriedApplication& queried, const Use& use) const;

  Catalogue* catalogue_;
  ApplicationCache* cache_;
  const ApplicationEntries* entries_;
  const std::optional<Viewer> viewer_;
  const QueryDeadline deadline_;
};

}  // namespace sparkprof

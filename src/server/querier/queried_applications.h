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
#include "model/viewers.h"
#include "server/applications/application_cache.h"
#include "server/folders/application_entries.h"
#include "server/querier/label_selector.h"
#include "server/querier/profile_type.h"

namespace sparkprof {

// Why a query has no answer, with the HTTP status that stands for its code in the Connect protocol: 400
// invalid_argument, 429 resource_exhausted, 501 unimplemented, 503 unavailable, 504 deadline_exceeded.
struct RefusedQuery {
  unsigned status = 500;
  std::string problem;
};

template <typename T>
using QueryResult = tl::expected<T, RefusedQuery>;

inline tl::unexpected<RefusedQuery> Refuse(unsigned status, std::string problem) {
  return tl::unexpected<RefusedQuery>(RefusedQuery{status, std::move(problem)});
}

// Labels of an application that all of its samples have.
inline constexpr std::string_view kApplicationLabels[] = {"service_name", "application", "attempt", "user", "group"};
// The label with the ID of the samples' ProfileType.
inline constexpr std::string_view kProfileTypeLabel = "__profile_type__";

// ns since the Unix epoch, both included.
struct QueriedRange {
  int64_t from_ns = 0;
  int64_t to_ns = INT64_MAX;
};

struct QueriedApplication {
  ApplicationKey key;               // of the catalogue
  std::vector<std::string> labels;  // values of kApplicationLabels
  std::vector<ProfileType> types;   // of its samples, if they match the selector
};

struct QueryDeadline {
  std::chrono::steady_clock::time_point time;
  bool is_of_client = false;
};

// The applications that the sender of a request may see. An application that is not visible does not exist for it.
class QueriedApplications {
 public:
  // Larger requests are refused: a sum over a part of the applications would be wrong.
  static constexpr size_t kMaxListed = 20'000;
  static constexpr size_t kMaxRead = 100;

  QueriedApplications(Catalogue* catalogue, ApplicationCache* cache, const ApplicationEntries* entries,
                      std::optional<Viewer> viewer, QueryDeadline deadline)
      : catalogue_(catalogue), cache_(cache), entries_(entries), viewer_(std::move(viewer)), deadline_(deadline) {}

  // Applications with samples that ran in the range and match the conditions for labels of applications and types.
  QueryResult<std::vector<QueriedApplication>> Find(const LabelMatchers& matchers, const QueriedRange& range) const;

  // From the start of the oldest application to the latest end; nullopt without applications.
  QueryResult<std::optional<QueriedRange>> Times() const;

  using Use = std::function<void(const QueriedApplication& queried, const Application& application)>;
  // Loads the applications one after the other. What `use` allocates counts for the MemoryLimit of this thread; loaded
  // applications are the cache's.
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

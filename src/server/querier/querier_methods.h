// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/querier/flame_levels.h"
#include "server/querier/message_codec.h"
#include "server/querier/queried_applications.h"
#include "server/querier/querier_request.h"

namespace sparkprof {

// Answers a method of querier.v1.QuerierService, such as "SelectSeries"; nullopt if it is unknown.
std::optional<QueryResult<std::string>> AnswerQuerier(std::string_view method, MessageCodec codec,
                                                      const QueriedApplications& applications, std::string_view body);

struct ComparedRequests {
  QuerierRequest left, right;  // left is the baseline
};
QueryResult<FlameLevels> CompareSamples(const QueriedApplications& applications, const ComparedRequests& sides);

}  // namespace sparkprof

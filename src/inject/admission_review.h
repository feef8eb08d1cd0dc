// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "inject/inject_options.h"
#include "inject/pod_injection.h"

namespace sparkprof {

inline constexpr uint64_t kMaxReviewBytes = uint64_t{4} << 20;  // the API server's own limit for a request is 3 MiB

struct ReviewAnswer {
  InjectOutcome outcome = InjectOutcome::kUnconcerned;
  std::string reason;  // of kSkipped and kMalformed; has no text of the review
  std::string body;    // AdmissionReview
};

// Answers a review (AdmissionReview of admission.k8s.io/v1). Every answer admits the pod: one that cannot be read, or
// is nested too deeply, is left as it is. Takes time in proportion to the size of the review.
ReviewAnswer AnswerReview(std::string_view review, const InjectOptions& options);

}  // namespace sparkprof

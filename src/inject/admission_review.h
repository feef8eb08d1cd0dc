// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "inject/inject_options.h"
#include "inject/pod_injection.h"

namespace sparkprof {

inline constexpr uint64_t kMaxReviewBytes = uint64_t{4} << 20;  // the API server limits requests to 3 MiB

struct ReviewAnswer {
  InjectOutcome outcome = InjectOutcome::kUnconcerned;
  std::string reason;  // for kSkipped and kMalformed; contains no text of the review
  std::string body;    // the AdmissionReview
};

// Answers a review (AdmissionReview of admission.k8s.io/v1) in time proportional to its size. Every answer admits the
// pod; a pod that cannot be read, or is nested too deeply, stays unchanged.
ReviewAnswer AnswerReview(std::string_view review, const InjectOptions& options);

}  // namespace sparkprof

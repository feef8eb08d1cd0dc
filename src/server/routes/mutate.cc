// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/time.h"
#include "inject/admission_review.h"
#include "server/routes/answers.h"

namespace sparkprof {
namespace {

constexpr int64_t kLogPauseNs = 60 * kNanosPerSecond;

// Logs at most one per minute, because anybody who reaches the address can send any number.
void LogMalformed(ServerParts* parts, const HttpRequest& request, const std::string& reason) {
  const int64_t now_ns = EpochNanos();
  int64_t logged_ns = parts->malformed_logged_ns;
  if (now_ns - logged_ns < kLogPauseNs || !parts->malformed_logged_ns.compare_exchange_strong(logged_ns, now_ns))
    return;
  if (parts->options.log)
    parts->options.log(fmt::format("admitted a pod unchanged: malformed review from {}: {}", request.peer, reason));
}

}  // namespace

HttpResponse PostMutate(ServerParts* parts, const HttpRequest& request, const Captured&) {
  ReviewAnswer answer = AnswerReview(request.body, *parts->options.inject);
  switch (answer.outcome) {
    case InjectOutcome::kUnconcerned:
      break;
    case InjectOutcome::kInjected:
      ++parts->injected_pods;
      break;
    case InjectOutcome::kSkipped:
      ++parts->skipped_pods;
      break;
    case InjectOutcome::kMalformed:
      ++parts->malformed_reviews;
      LogMalformed(parts, request, answer.reason);
      break;
  }
  return MakeResponse(200, "application/json", std::move(answer.body));
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "base/answer_limit.h"

#include <fmt/format.h>

#include <utility>

namespace sparkprof {
namespace {

thread_local size_t limit = AnswerLimit::kUnlimited;

}  // namespace

AnswerTooLarge::AnswerTooLarge(size_t most_bytes)
    : std::runtime_error(fmt::format("the answer has more than {} MiB", most_bytes >> 20)) {}

AnswerLimit::AnswerLimit(size_t most_bytes) : before_(std::exchange(limit, most_bytes)) {}
AnswerLimit::~AnswerLimit() { limit = before_; }

void CheckAnswerSize(size_t bytes) {
  if (bytes > limit) throw AnswerTooLarge(limit);
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "history/history.h"
#include "server/applications/answer_cache.h"

namespace sparkprof {

// A parsed event log, with cached answers about it.
struct LoadedHistory {
  explicit LoadedHistory(History read) : history(std::move(read)), answers(kMaxAnswerBytes) {}

  static constexpr uint64_t kMaxAnswerBytes = uint64_t{8} << 20;

  const History history;
  AnswerCache answers;
};

}  // namespace sparkprof

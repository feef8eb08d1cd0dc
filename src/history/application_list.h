// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "history/history_answers.h"

namespace sparkprof {

// An attempt as Spark's History Server lists it.
struct ListedAttempt {
  std::string id;  // empty = none
  std::string user;
  std::string spark_version;
  int64_t start_ms = 0;
  int64_t end_ms = -1;  // set for completed attempts
  int64_t updated_ms = 0;
  bool is_completed = false;
};

struct ListedApplication {
  std::string id;
  std::string name;
  std::vector<ListedAttempt> attempts;  // newest first
};

// GET /applications: the applications selected by the parameters, sorted by end, latest first.
HistoryAnswer AnswerApplications(std::vector<ListedApplication> applications, HistoryParameters parameters,
                                 int64_t now_ms);
// GET /applications/ID. Null = unknown application.
HistoryAnswer AnswerApplication(const ListedApplication* application, std::string_view id);
// GET /applications/ID/ATTEMPT.
HistoryAnswer AnswerAttempt(const ListedApplication* application, std::string_view id, std::string_view attempt);

}  // namespace sparkprof

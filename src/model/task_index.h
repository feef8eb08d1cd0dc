// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

#include "model/application.h"

namespace sparkprof {

// Finds the row of a task by its TID. The application must not change while the index exists.
class TaskIndex {
 public:
  explicit TaskIndex(const Tasks& tasks) {
    rows_.reserve(tasks.Size());
    for (size_t row = 0; row < tasks.Size(); ++row) rows_.emplace(tasks.id[row], static_cast<int32_t>(row));
  }

  // -1 if the task does not exist.
  int32_t Row(int64_t task_id) const {
    if (task_id == last_id_) return last_row_;
    const auto found = rows_.find(task_id);
    last_id_ = task_id;
    last_row_ = found == rows_.end() ? -1 : found->second;
    return last_row_;
  }

 private:
  std::unordered_map<int64_t, int32_t> rows_;
  mutable int64_t last_id_ = kNoTask;  // cache: samples of a task are usually adjacent
  mutable int32_t last_row_ = -1;
};

}  // namespace sparkprof

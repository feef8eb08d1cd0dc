// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/result.h"
#include "catalogue/catalogue.h"
#include "catalogue/testing/example_entries.h"

namespace sparkprof {

// For the files of the contract.

template <typename T>
T Take(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return T();
  }
  return std::move(*result);
}

inline void Check(const Result<void>& result) { ASSERT_TRUE(result) << result.error().message; }

inline GroupRange Hours(int64_t from, int64_t to) {
  return {.group = "group", .from_ns = kTestStart + from * kTestHour, .to_ns = kTestStart + to * kTestHour};
}

inline ApplicationRow Row(const std::string& id, int64_t hour, std::string user, std::string group,
                          ApplicationStatus status) {
  ApplicationRow row = ExampleRow(id, hour);
  row.user = std::move(user);
  row.group = std::move(group);
  row.status = status;
  return row;
}

using Stacks = std::map<std::string, std::pair<int64_t, int64_t>>;

}  // namespace sparkprof

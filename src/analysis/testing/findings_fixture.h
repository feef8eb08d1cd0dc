// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

#include "analysis/answers.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {

// An application with an executor of two cores and an empty stage, 3.
class FindingsFixture : public testing::Test {
 protected:
  FindingsFixture() : executor_(builder_.AddExecutor("1", 2)), stage_(builder_.AddStage(3, 0, 0)) {
    worker_ = builder_.AddThread(200, "Executor task launch worker-0", executor_);
  }

  // The finding with this ID, a rule and its stage: "skew-3.0"; null if there is none.
  static const Finding* Find(const Answers& answers, std::string_view id) {
    for (const Finding& finding : answers.findings) {
      if (finding.id == id) return &finding;
    }
    return nullptr;
  }

  Tasks& tasks() { return builder_.application().tasks; }

  ApplicationBuilder builder_;
  const int32_t executor_;
  const int32_t stage_;
  uint32_t worker_;
};

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/answers.h"
#include "analysis/testing/application_builder.h"
#include "base/text/text.h"

namespace sparkprof {

inline PlanMetric Count(const char* name, double value) { return {name, "sum", 1, true, value}; }
inline PlanMetric Rows(double value) { return Count("number of output rows", value); }
inline PlanMetric Size(const char* name, double value) { return {name, "size", 1, true, value}; }
inline PlanMetric Seconds(const char* name, double value) { return {name, "timing", 1, true, value * 1e9}; }

// The weight of a finding: "medium, saves 3.0 s (2.1 s to 3.9 s); cpu of driver; evidence".
inline std::string Weighed(const Finding& finding) {
  const Selection& selection = finding.selection;
  const Saving& saving = finding.saving;
  std::string text = fmt::format("{}, ", SeverityName(finding.severity));
  text += saving.IsKnown() ? fmt::format("saves {} ({} to {})", FormatDuration(saving.likely_ns),
                                         FormatDuration(saving.low_ns), FormatDuration(saving.high_ns))
                           : "saves no known time";
  text += "; " + selection.event;
  if (selection.executor) text += " of " + *selection.executor;
  if (selection.stage) text += fmt::format(" of stage {}", *selection.stage);
  return text + "; " + finding.evidence;
}

// For the tests of a rule: an application with one executor.
class FindingTest : public testing::Test {
 protected:
  explicit FindingTest(int64_t cores) : executor_(builder_.AddExecutor("1", cores)) {}

  Application& application() { return builder_.application(); }
  Executor& executor() { return application().executors[static_cast<size_t>(executor_)]; }
  Tasks& tasks() { return application().tasks; }

  void Set(std::vector<std::pair<std::string, std::string>> settings) {
    application().environment = {{"Spark", std::move(settings)}};
  }

  FrameId Python(std::string_view name, std::string_view file, uint32_t line) {
    return builder_.AddFrame(name, FrameKind::kPython, file, line);
  }

  // The finding of this rule or with this ID, which is a rule and its stage, "skew-3.0"; a failure if there is none.
  Finding Found(std::string_view name) {
    Answers answers = Answer(application());
    if (Finding* finding = Named(name, &answers)) return std::move(*finding);
    ADD_FAILURE() << "no finding " << name << "; " << answers.findings.size() << " others";
    return {};
  }

  bool Finds(std::string_view name) {
    Answers answers = Answer(application());
    return Named(name, &answers) != nullptr;
  }

  ApplicationBuilder builder_;
  const int32_t executor_;

 private:
  static Finding* Named(std::string_view name, Answers* answers) {
    for (std::vector<Finding>* list : {&answers->findings, &answers->context}) {
      for (Finding& finding : *list) {
        if (finding.rule == name || finding.id == name) return &finding;
      }
    }
    return nullptr;
  }
};

// With stage 3, of a job without a record, and a thread of the executor.
class StageFindingTest : public FindingTest {
 protected:
  explicit StageFindingTest(int64_t cores = 2) : FindingTest(cores), stage_(builder_.AddStage(3, 0, 0)) {
    worker_ = builder_.AddThread(200, "Executor task launch worker-0", executor_);
  }

  Stage& stage() { return application().stages[static_cast<size_t>(stage_)]; }

  void AddJobBetween(int64_t id, double begin, double end) {
    builder_.AddJob(id, {3});
    Job& job = application().jobs.back();
    job.submit_ns = ApplicationBuilder::Time(begin);
    job.end_ns = ApplicationBuilder::Time(end);
    job.name = "collect at job.py:7";
  }

  const int32_t stage_;
  uint32_t worker_;
};

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/answers.h"
#include "base/text/json_writer.h"
#include "loader/application_loader.h"
#include "model/application.h"

namespace sparkprof {

// Text output of `sparkprof analyze`: one section per application, then the read and skipped inputs.
class AnalyzeText {
 public:
  void Add(const Application& application, const Answers& answers, const std::string& report);
  // `written`: kind and path of each file with several applications.
  std::string Render(const ApplicationLoader& loader, const std::vector<InputOutcome>& outcomes,
                     const std::vector<std::pair<std::string, std::string>>& written) const;

 private:
  std::string text_;
};

// The analysis as JSON: {"inputs":[…],"unrecognized":[…],"notes":[…],"applications":[…]} (docs/analyze-logs.md).
class AnalyzeJson {
 public:
  AnalyzeJson() { applications_.BeginArray(); }
  void Add(const Application& application, const Answers& answers, const std::string& report);
  void AddOutcomes(std::vector<InputOutcome>&& outcomes);
  std::string Render(const ApplicationLoader& loader);

 private:
  JsonWriter applications_;
  std::vector<std::pair<std::string, InputOutcome>> outcomes_;  // by application ID
  std::string last_id_;
};

}  // namespace sparkprof

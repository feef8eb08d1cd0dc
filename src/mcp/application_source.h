// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/answers.h"
#include "base/result.h"
#include "model/application.h"

namespace sparkprof {

// A line of the list of applications. Texts are as the job has them.
struct ApplicationSummary {
  std::string key;  // what Load accepts: the ID, with "/ATTEMPT" behind it where there are several attempts
  std::string name;
  std::string user;
  std::string status;          // "finished", "failed"; empty = unknown
  std::string inputs;          // "event log, 2 text logs"; empty = unknown
  int64_t start_ns = 0;        // 0 = unknown
  int64_t duration_ns = -1;    // -1 = unknown
  int64_t finding_count = -1;  // -1 = unknown
};

struct ListQuery {
  std::string search;  // found in key, name or user, whatever the case; empty = all
  size_t offset = 0;
  size_t limit = 50;
};

struct ApplicationList {
  std::vector<ApplicationSummary> applications;  // of the offset, the latest start first
  size_t total = 0;                              // that match
};

// An application and its answers, which many tools use.
struct AskedApplication {
  std::shared_ptr<const Application> recorded;  // before ChooseLanguage
  std::shared_ptr<const Application> merged;    // Python's stacks below the JVM's, PySpark's frames folded
  std::shared_ptr<const Answers> answers;
  std::vector<std::string> problems;  // inputs that could not be read, or not completely
};

// The applications that tools answer about. Thread-safe.
class ApplicationSource {
 public:
  virtual ~ApplicationSource() = default;

  virtual Result<ApplicationList> List(const ListQuery& query) = 0;
  // Fails for an unknown key, with what to do.
  virtual Result<AskedApplication> Load(const std::string& key) = 0;
  // A folder with the source code of the jobs; empty = none.
  virtual std::string SourceFolder() const { return {}; }
};

}  // namespace sparkprof

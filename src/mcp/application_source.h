// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/answers.h"
#include "base/result.h"
#include "model/application.h"
#include "proofs/known_proof.h"

namespace sparkprof {

// A row of the application list. Texts come from the job.
struct ApplicationSummary {
  std::string key;  // key for Load: the ID, followed by "/ATTEMPT" if there are several attempts
  std::string name;
  std::string user;
  std::string status;          // "finished", "failed"; empty = unknown
  std::string inputs;          // "event log, 2 text logs"; empty = unknown
  int64_t start_ns = 0;        // 0 = unknown
  int64_t duration_ns = -1;    // -1 = unknown
  int64_t finding_count = -1;  // -1 = unknown
};

struct ListQuery {
  std::string search;  // substring of key, name or user, case-insensitive; empty = all
  size_t offset = 0;
  size_t limit = 50;
};

struct ApplicationList {
  std::vector<ApplicationSummary> applications;  // from the offset on, latest start first
  size_t total = 0;                              // number of matches
};

// An application with its answers, which many tools use.
struct AskedApplication {
  std::shared_ptr<const Application> recorded;  // before ChooseLanguage
  std::shared_ptr<const Application> merged;    // Python stacks below the JVM's, PySpark's frames folded
  std::shared_ptr<const Answers> answers;
  std::vector<std::string> problems;  // inputs that were not or only partly read
};

// The applications that tools can query. Thread-safe.
class ApplicationSource {
 public:
  virtual ~ApplicationSource() = default;

  virtual Result<ApplicationList> List(const ListQuery& query) = 0;
  // Fails for an unknown key; the error contains the fix.
  virtual Result<AskedApplication> Load(const std::string& key) = 0;
  // Proofs of changes of a group's applications, latest first.
  virtual std::vector<KnownProof> Proofs(const std::string& /*group*/) { return {}; }
  // Folder with the jobs' source code; empty = none.
  virtual std::string SourceFolder() const { return {}; }
};

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auto/decision.h"
#include "base/result.h"
#include "catalogue/catalogue.h"
#include "server/access/audit_log.h"
#include "server/applications/application_cache.h"

namespace sparkprof {

// Decides the settings of the next run of a group's job from its last runs, and keeps the decisions in
// FOLDER/auto/GROUP.auto.json. Thread-safe; decides one at a time.
class AutoDecisions {
 public:
  // Records a decision in the audit log and applies it (AuditLog::Add). `before` and `after`: the replaced settings as
  // JSON, with the reason.
  using Record = std::function<Result<void>(std::string_view before, std::string_view after, const Change& change)>;

  AutoDecisions(const std::string& folder, std::optional<AutoPolicy> policy, Catalogue* catalogue,
                ApplicationCache* applications)
      : folder_(folder + "/auto"), policy_(std::move(policy)), catalogue_(catalogue), applications_(applications) {}

  // Null without a policy.
  const AutoPolicy* Policy() const { return policy_ ? &*policy_ : nullptr; }

  // `viewer`: limits the runs to those visible to the asking job. `own`: the job's own values. Requires a policy.
  Result<AutoDecision> DecideFor(const std::string& group, const std::optional<Viewer>& viewer, const AutoValues& own,
                                 const Record& record);

  // Earlier decisions for the group.
  Result<AutoState> StateOf(const std::string& tenant, const std::string& group);

 private:
  std::string PathOf(const std::string& tenant, const std::string& group) const;
  Result<AutoState> Read(const std::string& tenant, const std::string& group) const;
  Result<std::vector<PastRun>> LastRuns(const std::string& group, const std::optional<Viewer>& viewer);

  const std::string folder_;
  const std::optional<AutoPolicy> policy_;
  Catalogue* const catalogue_;
  ApplicationCache* const applications_;
  std::mutex mutex_;                         // guards the files and known_
  std::map<ApplicationKey, PastRun> known_;  // ended runs
};

}  // namespace sparkprof

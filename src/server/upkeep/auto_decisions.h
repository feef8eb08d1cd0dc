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

// Decides the settings of the next run of a group's job by its last runs, and keeps what was decided in
// FOLDER/auto/GROUP.auto.json. Thread-safe; decides for one job at a time.
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

  // `viewer`: limits the runs to what the asking job may see. `own`: the job's own values. Requires a policy.
  Result<AutoDecision> DecideFor(const std::string& group, const std::optional<Viewer>& viewer, const AutoValues& own,
                                 const Record& record);

 private:
  Result<std::vector<PastRun>> LastRuns(const std::string& group, const std::optional<Viewer>& viewer);

  const std::string folder_;
  const std::optional<AutoPolicy> policy_;
  Catalogue* const catalogue_;
  ApplicationCache* const applications_;
  std::mutex mutex_;
  std::map<ApplicationKey, PastRun> known_;  // ended runs, by their application
};

}  // namespace sparkprof

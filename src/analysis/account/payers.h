// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/account/account_entry.h"
#include "analysis/python/udfs.h"
#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// Finds the causes of overhead costs: who allocates what is collected, what a stage waits for, why it starts more tasks
// than necessary. Uses samples if available, else plans and metrics. Computes intermediate results on first use.
class Payers {
 public:
  // `stages` from SummarizeStages, `udfs` from CostOfUdfs. All arguments must outlive it.
  Payers(const Application& application, const std::vector<StageSummary>& stages, const std::vector<UdfCost>& udfs);
  ~Payers();
  Payers(const Payers&) = delete;
  Payers& operator=(const Payers&) = delete;

  // Returns "HashAggregate of query 3" or "number of tasks"; the entry's own payer if set. Empty if the cost has no
  // separate cause, or it is unknown.
  std::string Of(const AccountEntry& entry) const;

  // Whether rows for Python cause the garbage of the stage in a row.
  bool PythonAllocates(size_t stage) const;

 private:
  class Knowledge;
  const Knowledge& Known() const;

  const Application& application_;
  const std::vector<StageSummary>& stages_;
  const std::vector<UdfCost>& udfs_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const Knowledge> known_;
};

}  // namespace sparkprof

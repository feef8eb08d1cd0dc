// SPDX-License-Identifier: Apache-2.0
#include "analysis/account/account_sums.h"

#include <fmt/format.h>

#include "analysis/account/payers.h"
#include "analysis/owners/sample_owners.h"
#include "base/saturate.h"

namespace sparkprof {
namespace {

void AddEntry(const Application& application, const Payers& payers, const AccountEntry& entry, PartSums* sums) {
  std::string part(NameOf(entry.part));
  if (IsOfStage(entry)) {
    const Stage& stage = application.stages[static_cast<size_t>(entry.stage)];
    part = fmt::format("{}: {}", OwnerOfStage(stage.id, stage.attempt).second, part);
  }
  AddSaturated(entry.ns, &(*sums)[{std::move(part), payers.Of(entry), ReasonOf(entry.part)}]);
}

}  // namespace

void AccountSums::Add(const AccountSums& other) {
  for (const auto& [key, ns] : other.core) AddSaturated(ns, &core[key]);
  for (const auto& [key, ns] : other.wall) AddSaturated(ns, &wall[key]);
  has_cores |= other.has_cores;
  is_running |= other.is_running;
}

AccountSums SumAccount(const Application& application, const std::vector<StageSummary>& stages,
                       const std::vector<UdfCost>& udfs, const AccountedRun& accounted) {
  AccountSums sums;
  const Payers payers(application, stages, udfs);
  for (const WallEntry& entry : accounted.account.wall) AddEntry(application, payers, entry, &sums.wall);
  sums.is_running = accounted.account.is_running;
  if (const std::optional<CoreLedger>& ledger = accounted.Core()) {
    sums.has_cores = true;
    for (const AccountEntry& entry : ledger->entries) AddEntry(application, payers, entry, &sums.core);
  }
  return sums;
}

}  // namespace sparkprof

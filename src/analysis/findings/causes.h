// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/findings/finding.h"

namespace sparkprof {

// Cause before symptom: a finding that another one explains leaves the list, and its title becomes a part of the
// cause's evidence.

// In a stage: garbage collection, spills and waits of tasks that have most of the data are skew.
void FoldSymptomsOfStage(const Application& application, const StageSummary& summary, std::vector<Finding>* findings);

// Symptoms in the whole application: failures for lack of memory, the collecting of a large broadcast, and the like.
void FoldSymptoms(const Application& application, std::vector<Finding>* findings);

}  // namespace sparkprof

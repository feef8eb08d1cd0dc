// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/application.h"

namespace sparkprof {

// Computes Application::coverage from samples and losses: one row per event with either. Losses of "samples" without an
// event are divided in proportion to the events' counts.
void FillCoverage(Application* application);

}  // namespace sparkprof

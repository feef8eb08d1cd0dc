// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/application.h"

namespace sparkprof {

// Fills Application::coverage from its samples and losses: one row for each event that has either. Losses of "samples"
// that do not say which event they are of are shared out by the events' counts.
void FillCoverage(Application* application);

}  // namespace sparkprof

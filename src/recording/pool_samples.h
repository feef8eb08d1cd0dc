// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/application.h"

namespace sparkprof {

// Assigns CPU samples of a native engine's threads to the tasks that wait for it (engines/engines.h): tasks with
// wall-clock samples inside the engine, on the same executor and in the same or an adjacent time bucket. If several
// tasks wait, a sample in an operator belongs to those whose stage has the operator in its plan, if any, in proportion
// to their waiting time; the total stays the same. Stacks are appended below the waiting frame. Native memory allocated
// by these threads, and its release, is assigned as well. Samples in a bucket without such a task stay unchanged.
// Returns quickly if there is no engine.
void JoinPoolSamples(Application* application);

}  // namespace sparkprof

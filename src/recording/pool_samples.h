// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/application.h"

namespace sparkprof {

// Gives CPU samples of the threads of a native engine to the tasks that wait for it (engines/engines.h): those whose
// threads wall-clock samples of the same executor and time bucket, or else the one beside it, find in the engine. Where
// several tasks wait, a sample in an operator belongs to those whose stage has it in its plan, if any has, and is
// shared out in proportion to how long each of them waits; the total stays. The stacks go below the frame that waits.
// Native memory that those threads allocate belongs to the tasks as well, and so does its release. Samples in a bucket
// without such a task stay as they are. Does nothing, quickly, without an engine.
void JoinPoolSamples(Application* application);

}  // namespace sparkprof

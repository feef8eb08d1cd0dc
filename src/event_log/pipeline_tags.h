// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/application.h"

namespace sparkprof {

// Adds the tags "flow:NAME" and "dataset:NAME" to the jobs of a Declarative Pipeline's flows (Spark 4.1 and later).
// Spark's events do not contain these names: a streaming flow is named after its query and its dataset after the sink;
// a batch flow is named after the table that it writes. Call after jobs, queries and plans are complete.
void AddPipelineTags(Application* application);

}  // namespace sparkprof

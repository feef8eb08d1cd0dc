// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/application.h"

namespace sparkprof {

// Adds the tags "flow:NAME" and "dataset:NAME" to the jobs that a flow of a Declarative Pipeline ran (Spark 4.1 and
// later). Spark's events do not name them: a streaming flow has the name of its query, and its dataset that of the
// sink; a batch flow has the name of the table that it writes. Call after jobs, queries and plans are complete.
void AddPipelineTags(Application* application);

}  // namespace sparkprof

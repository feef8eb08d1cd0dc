// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/application.h"

namespace sparkprof {

// The level as in Spark's UI: "Disk Memory Deserialized 1x Replicated".
std::string StorageLevelText(const CachedRdd& rdd);

}  // namespace sparkprof

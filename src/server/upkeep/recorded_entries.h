// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"
#include "server/applications/application_cache.h"

namespace sparkprof {

// The catalogue entries of an application, one per attempt. `location_of` returns the location of an attempt's files.
// An application without an end is running if `is_live` is set.
std::vector<CatalogueEntry> EntriesOf(const CachedApplication& application,
                                      const std::function<std::string(const std::string& attempt)>& location_of,
                                      bool is_live);

}  // namespace sparkprof

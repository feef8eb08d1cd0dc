// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"
#include "server/applications/application_cache.h"

namespace sparkprof {

// The catalogue's entries for an application, one for each attempt. `location_of` returns where the files of an attempt
// are; an application that `is_live` and has no end is running.
std::vector<CatalogueEntry> EntriesOf(const CachedApplication& application,
                                      const std::function<std::string(const std::string& attempt)>& location_of,
                                      bool is_live);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Shortens Spark's call site: "collect at /home/me/jobs/demo.py:60" becomes "collect at demo.py:60". Other names are
// unchanged.
std::string ShortCallSite(std::string_view call_site);

}  // namespace sparkprof

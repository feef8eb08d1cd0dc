// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Spark's call site for people: "collect at /home/me/jobs/demo.py:60" as "collect at demo.py:60". Other names as they
// are.
std::string ShortCallSite(std::string_view call_site);

}  // namespace sparkprof

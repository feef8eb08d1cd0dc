// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sparkprof {

// `sparkprof-submit`, with the command line of spark-submit. Profiles submissions; everything else (--status, --kill,
// --version, --help) is passed to the real spark-submit. `name`: name of the real program. Returns the job's exit code.
int Submit(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace sparkprof

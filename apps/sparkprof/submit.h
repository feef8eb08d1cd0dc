// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sparkprof {

// `sparkprof-submit`: the command line of spark-submit. A submission is profiled; everything else (--status, --kill,
// --version, --help) becomes the real spark-submit. `name` is that of the real program. The exit code is the job's.
int Submit(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "base/testing/source_file.h"

namespace sparkprof {

std::string SourceFile(const std::string& path) { return SPARKPROF_SOURCE_DIR "/" + path; }

}  // namespace sparkprof

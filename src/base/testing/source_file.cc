// SPDX-License-Identifier: Apache-2.0
#include "base/testing/source_file.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace sparkprof {

std::string SourceFile(const std::string& path) { return SPARKPROF_SOURCE_DIR "/" + path; }

std::string GeneratedFile(const std::string& path, const std::string& generated) {
  if (std::getenv("SPARKPROF_UPDATE") != nullptr) std::ofstream(SourceFile(path)) << generated;
  std::stringstream text;
  text << std::ifstream(SourceFile(path)).rdbuf();
  return text.str();
}

}  // namespace sparkprof

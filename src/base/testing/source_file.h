// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparkprof {

// The absolute path of a file of the repository, such as "docs/settings.md". Tests ask this function instead of a
// macro, so that all of them but one compile to the same objects in every clone, and ccache finds them.
std::string SourceFile(const std::string& path);

// The text of a file of the repository that a test generates. With SPARKPROF_UPDATE in the environment, it becomes
// `generated` first.
std::string GeneratedFile(const std::string& path, const std::string& generated);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparkprof {

// The content of SKILL.md: how an agent uses sparkprof's tools and command line. The tools are those of Tools().
std::string SkillText();

}  // namespace sparkprof

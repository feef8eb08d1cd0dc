// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "prove/proof.h"

namespace sparkprof {

// A page without scripts about a proof: the verdict, a bar for each measured run, the change with its interval, the
// other measures, and `details`, the lines that the terminal has below the verdict.
std::string ProofPage(const Proof& proof, const ProofSubject& subject, std::string_view details);

}  // namespace sparkprof

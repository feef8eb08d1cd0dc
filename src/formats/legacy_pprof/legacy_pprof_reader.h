// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// The binary CPU profiles of gperftools, of Go before 1.9, and of Google's Java agent: words of 4 or 8 bytes in either
// byte order. The header is 0, 3, 0 (1 for Java), the period in µs, 0; each sample is its count, its depth and that
// many addresses, leaf first; 0, 1, 0 ends them. The lines of /proc/PID/maps follow, or for Java the names of the
// addresses. Samples and values are those of google/pprof (profile/legacy_profile.go); an address without a name is
// FILE+0xADDRESS.
Result<void> ReadLegacyPprof(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeLegacyPprof(std::string_view head);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// The formats that pprof read before it had its own: CPU, heap, growth, contention and thread profiles of gperftools,
// the text that Go's net/http/pprof prints with ?debug=1, and Google's Java agent. Samples and values are those of
// google/pprof (profile/legacy_profile.go). Stacks are addresses, named FILE+0xADDRESS after the memory map at the end,
// unless the profile has names itself.
Result<void> ReadLegacyPprof(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeLegacyPprof(std::string_view head);

}  // namespace sparkprof

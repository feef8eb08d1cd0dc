// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// MOJO, the binary format of austin (-b; the default since 4.0), versions 1 to 4: "MOJ", the version, and events of one
// byte with integers of variable length and texts that end in a zero byte:
//     1 metadata: key, value        2 stack, begins a sample: process, [interpreter], thread in hexadecimal
//     3 frame: key, file, function, line, [last line, column, last column]       5 frame of this sample: key
//     4 invalid frame               6 kernel frame: name           7 garbage collection     8 idle
//     9 time                       10 memory                      11 string: key, text     12 string of this sample
//    13 the previous sample of this thread, without native frames at its end, has the frames below those so far
// Keys belong to a process. Version 1 has no columns, versions 1 and 2 have no interpreter. See AustinSamples for the
// events of the profile.
Result<void> ReadMojo(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeMojo(std::string_view head);

}  // namespace sparkprof

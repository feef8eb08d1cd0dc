// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// `py-spy dump --json`: an array of threads with their frames, callees first. As in other thread dumps, each thread is
// a sample of the event "samples", and an active one also of "runnable".
Result<void> ReadPySpyDump(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikePySpyDump(std::string_view head);

}  // namespace sparkprof

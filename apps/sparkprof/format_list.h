// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparkprof {

// Prints the supported formats for `sparkprof convert --formats`. Returns the exit code.
int PrintFormats(bool as_json);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparkprof {

// Prints the formats that are read and written, for `sparkprof convert --formats`. Returns the exit code.
int PrintFormats(bool as_json);

}  // namespace sparkprof
